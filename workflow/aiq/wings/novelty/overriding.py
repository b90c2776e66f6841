"""The frozen network with local overrides where performance falls (NAPPING's kind).

After the abstract and what is known of the method (arXiv 2312.11138; no public code). Differences: a region is all that
lies nearer to a stored embedding than a radius, which is measured in level 0; a replacement is tried for some episodes
and kept if they do better than those before; one region is tried at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.wings.novelty.detection import Alarm
from aiq.wings.novelty.networks import Frozen
from aiq.wings.novelty.protocol import Seen
from aiq.wings.novelty.state import Floats

_RECENT = 3
_TRIED = 2
_BEFORE_FALL = 15


@dataclass
class Region:
    """Embeddings near a centre, in which an action stands in for the network's.

    Attributes:
        centre: (units,).
        action: that is done there.
    """

    centre: Floats
    action: int


class Overriding(Frozen):
    """Of the kind of NAPPING.

    Args:
        weights: of the network of level 0.
        radius: of a region, from distances of embeddings in level 0.
        alarm: raised by low performance: it hears 1 less the mean of the latest episodes.
    """

    name = "overriding"

    def __init__(self, weights: Sequence[npt.NDArray[np.float32]], radius: float, alarm: Alarm) -> None:
        super().__init__(weights)
        self._radius, self.alarm = radius, alarm

    @property
    def alarmed(self) -> bool:  # type: ignore[override]
        """Whether performance has fallen."""
        return self.alarm.raised

    def begin(self, seed: int) -> None:
        """Begin a trial without overrides."""
        self._rng = np.random.default_rng(seed)
        self.alarm = Alarm(self.alarm.threshold)
        self.regions: list[Region] = []
        self._trial: Region | None = None
        self._scores: list[float] = []
        self._tried: list[float] = []
        self._latest: list[float] = []

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        self._path: list[tuple[Floats, int]] = []

    def act(self, observation: Seen) -> int:
        """Return the action of the nearest region, or the network's."""
        values, embedding = self.values(observation)
        chosen = int(np.argmax(values))
        regions = self.regions if self._trial is None else [*self.regions, self._trial]
        if regions:
            apart = [float(np.linalg.norm(region.centre - embedding)) for region in regions]
            nearest = int(np.argmin(apart))
            if apart[nearest] <= self._radius:
                chosen = regions[nearest].action
        self._path.append((embedding, chosen))
        return chosen

    def end(self, ticks: int) -> None:
        """Hear the performance; once it has fallen, judge the region under trial and begin another one."""
        performance = ticks / 200
        self._latest = [*self._latest[1 - _RECENT :], performance]
        if len(self._latest) == _RECENT:
            self.alarm.hear(1 - float(np.mean(self._latest)))
        if not self.alarmed:
            return
        if self._trial is None:
            self._scores = [*self._scores[-5:], performance]
        else:
            self._tried.append(performance)
            if len(self._tried) == _TRIED:
                self._judge()
        if self._trial is None and performance < 1:
            self._trial, self._tried = self._proposed(), []

    def _judge(self) -> None:
        """Keep the region under trial if its episodes did better than those before."""
        if self._trial is not None and np.mean(self._tried) > np.mean(self._scores):
            self.regions.append(self._trial)
            self._scores = list(self._tried)
        self._trial = None

    def _proposed(self) -> Region:
        """Return a region some ticks before the fall, with an action at random that is not the one that was taken."""
        embedding, action = self._path[-min(len(self._path), 1 + int(self._rng.integers(_BEFORE_FALL)))]
        return Region(np.asarray(embedding, np.float64), int((action + self._rng.integers(1, 5)) % 5))
