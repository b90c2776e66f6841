"""The family answered: a labelled domain as worlds to act in, many side by side. Torch is imported with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, JsonValue, field_validator

from aiq.domains.base import DataSheet, LabelledDomain, Request
from aiq.domains.control.base import DeclaredDomain, LaneDraws, Outcome, Worlds, check_step, streams, uniform
from aiq.domains.control.settings import Control
from aiq.domains.family import ControlFamily
from aiq.domains.labelled.settings import Labelled
from aiq.errors import ConfigurationError, DomainError, choice
from aiq.settings import validate

if TYPE_CHECKING:
    import torch


class Answered(Control):
    """A labelled domain, played: an episode shows samples one after another, the right label pays 1."""

    source: Literal["answered"] = Field(description="the source: answered")
    data: dict[str, JsonValue] = Field(
        description="the labelled domain: its source and parameters, as they would stand in a suite of labelled domains"
    )
    steps: int = Field(50, ge=1, le=1_000_000, description="samples of an episode, each drawn from all")

    @field_validator("data")
    @classmethod
    def _check_data(cls, value: dict[str, Any]) -> dict[str, Any]:
        try:
            settings = _labelled(value)
        except ConfigurationError as error:
            raise ValueError(str(error)) from error
        if settings.numeric:
            raise ValueError("a number is learned in the labelled domain, which no action can be: take one of classes")
        return settings.model_dump(mode="json")

    @property
    def labelled(self) -> Labelled:
        """The settings of the labelled domain."""
        return _labelled(self.data)

    @property
    def files(self) -> tuple[str, ...]:
        """Paths that the labelled domain is read from."""
        return self.labelled.files

    @property
    def stored(self) -> tuple[str, ...]:
        """Files below data_root that a download of the labelled domain puts there."""
        return self.labelled.stored


def _labelled(data: dict[str, Any]) -> Labelled:
    from aiq.domains.registry import FAMILIES  # the registry imports the family of these settings

    source = str(data.get("source"))
    if source not in FAMILIES:
        raise ConfigurationError(choice("data.source", source, FAMILIES))
    settings: Labelled = validate(FAMILIES[source].settings, data, "data")
    return settings


def _read(name: str, settings: Answered, request: Request) -> AnsweredDomain:
    from aiq.domains.registry import load

    labelled_settings, where = settings.labelled, str(request.data_root)
    whole = load(name, labelled_settings, root_seed=request.root_seed, data_root=where, download=request.download)
    return AnsweredDomain(name, settings, whole, settings.steps)


FAMILY = ControlFamily(
    Answered,
    _read,
    "a labelled domain, played: every step shows a sample, the action is the answer",
    "observations: the sample as a vector (pictures flattened, 0 to 1); as many actions as classes",
    ("torch",),
    {"source": "answered", "data": {"source": "sklearn", "name": "wine"}},
    reads=True,
)


# ---- Its worlds, many side by side ---------------------------------------------------------------

Split = Literal["train", "test"]


@dataclass(frozen=True, eq=False)
class Samples:
    """What is shown, (n, F) float32 (pictures flattened and divided by 255), and the action that is paid, (n,) int64.

    That is the place of the sample's class among the domain's classes, in rising order.
    """

    observations: npt.NDArray[np.float32]
    answer: npt.NDArray[np.int64]

    @classmethod
    def of(cls, domain: LabelledDomain, split: Split) -> Samples:
        """Return the samples of a split of a labelled domain.

        Raises:
            DomainError: a number is learned in it.
        """
        if domain.numeric:
            raise DomainError(f"domain {domain.name}: a number is learned, which no action can be")
        x, y = (domain.train_x, domain.train_y) if split == "train" else (domain.test_x, domain.test_y)
        observations = x.reshape(len(x), -1).astype(np.float32)
        if domain.is_image:
            observations /= np.float32(255)
        return cls(np.ascontiguousarray(observations), np.searchsorted(np.array(domain.classes), y).astype(np.int64))

    def drawn(self, uniform: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the places of samples for numbers in [0, 1)."""
        places: npt.NDArray[np.int64] = (uniform * len(self.answer)).astype(np.int64)
        return places


class AnsweredDomain(DeclaredDomain):
    """A labelled domain whose samples are shown one after another; the performance is the share of right answers.

    Learners are shown the training split. What is measured is measured on the test split: the domain ``measured``.
    """

    def __init__(
        self, name: str, settings: Control, labelled: LabelledDomain, steps: int, split: Split = "train"
    ) -> None:
        self.samples, self.split = Samples.of(labelled, split), split
        self._labelled, self._settings = labelled, settings
        super().__init__(
            name,
            settings,
            observations=self.samples.observations.shape[1],
            actions=len(labelled.classes),
            bounds=(0.0, float(steps)),
            horizon=steps,
            sheet=_sheet(labelled, steps),
        )
        shape = [str(size) for size in labelled.shape]
        self.space = ("picture", *shape) if labelled.is_image else ("vector", labelled.label_space, *shape)

    @cached_property
    def _tested(self) -> AnsweredDomain:
        return AnsweredDomain(self.name, self._settings, self._labelled, self.horizon, "test")

    @property
    def measured(self) -> AnsweredDomain:
        """The domain with the samples of the test split."""
        return self if self.split == "test" else self._tested

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> _AnsweredWorlds:
        """Return one world for each seed; what it shows is what the Gymnasium environment of this seed shows."""
        return _AnsweredWorlds(self.name, self.samples, self.horizon, self.actions, seeds, device)


class _AnsweredWorlds(Worlds):
    """Samples shown side by side, one a lane; see ``Worlds``."""

    def __init__(
        self, name: str, samples: Samples, steps: int, actions: int, seeds: Sequence[int], device: str = "cpu"
    ) -> None:
        import torch  # settings are read without it

        self.lanes, self.failures = len(seeds), {}
        self._name, self._samples, self._steps, self._actions = name, samples, steps, actions
        self._device, self._tensor = torch.device(device), torch.from_numpy
        self._draws = LaneDraws(streams(seeds), uniform, np.asarray)
        self._place = np.zeros(self.lanes, np.int64)
        self._ticks, self._running = np.zeros(self.lanes, np.int64), np.zeros(self.lanes, bool)

    def reset(self, which: torch.Tensor) -> torch.Tensor:
        chosen = which.cpu().numpy()
        if chosen.any():
            self._draw(chosen)
            self._ticks[chosen], self._running[chosen] = 0, True
        return self._out(self._samples.observations[self._place])

    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        chosen, given = which.cpu().numpy(), actions.cpu().numpy()
        check_step(self._name, self._actions, given, chosen, self._running)
        right = (given == self._samples.answer[self._place]) & chosen
        self._draw(chosen)
        self._ticks += chosen
        cut = (self._ticks >= self._steps) & chosen
        self._running &= ~cut
        seen = self._samples.observations[self._place]
        if not chosen.all():
            seen = seen * chosen[:, None].astype(np.float32)
        ended = np.zeros(self.lanes, bool)
        return Outcome(*(self._out(part) for part in (right.astype(np.float32), ended, cut, seen)))

    def keep(self, lanes: Sequence[int]) -> None:
        order = np.array(list(lanes), np.int64)
        self._draws.keep(order.tolist(), order)
        self._place, self._ticks, self._running = self._place[order], self._ticks[order], self._running[order]
        self.lanes = len(order)

    def state(self) -> dict[str, Any]:
        return {
            "draws": self._draws.state(),
            "place": self._place.copy(),
            "ticks": self._ticks.copy(),
            "running": self._running.copy(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        if len(state["place"]) != self.lanes:
            raise ValueError(f"it holds {len(state['place'])} lanes, not {self.lanes}")
        self._draws.restore(state["draws"])
        self._place, self._ticks = (np.array(state[key], np.int64) for key in ("place", "ticks"))
        self._running = np.array(state["running"], bool)

    def _draw(self, chosen: npt.NDArray[np.bool_]) -> None:
        drawn = self._samples.drawn(self._draws.take(chosen)[:, 0])
        self._place = np.where(chosen, drawn, self._place)

    def _out(self, array: npt.NDArray[np.generic]) -> torch.Tensor:
        return self._tensor(array).to(self._device)


def _sheet(labelled: LabelledDomain, steps: int) -> DataSheet:
    names = labelled.sheet.class_names
    named = len(names) == labelled.labels
    return replace(
        labelled.sheet,
        class_names=tuple(names[label] if named else f"class {label}" for label in labelled.classes),
        notes=(
            *labelled.sheet.notes,
            f"played: every step shows one of {len(labelled.train_y)} training samples, drawn from all, and pays 1 for "
            f"the right class, else 0; an episode has {steps} steps",
            f"performance: share of right answers on samples drawn from the {len(labelled.test_y)} of the test split; "
            f"a random agent has 1/{len(labelled.classes)}",
        ),
    )
