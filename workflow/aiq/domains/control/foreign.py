"""What an action beyond a control domain's own does, in a mixture with a domain that has more of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from aiq import seeding
from aiq.domains.control.base import ControlDomain
from aiq.domains.control.lane_draws import LaneDraws


class ForeignActions:
    """Translates actions into those of one domain, lane by lane.

    Args:
        domain: it declares what foreign actions do.
        seeds: of the lanes; what a foreign action becomes at random is drawn from a stream of the lane's own.
        place: of the domain in its mixture, which tells the streams of both apart.
        device: of the tensors.
    """

    def __init__(self, domain: ControlDomain, seeds: Sequence[int], place: int, device: torch.device) -> None:
        self._domain, self._device = domain, device
        self._drawn: LaneDraws | None = None
        if domain.foreign == "random":
            streams = [seeding.generator(seed, "foreign actions", place) for seed in seeds]
            self._drawn = LaneDraws(streams, lambda stream, n: stream.random((n, 1)), self._tensor)

    def translate(self, actions: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        """Return actions (lanes,) as the domain takes them; draws are used up where ``which`` (lanes,) is true."""
        if self._drawn is None:
            return translate(actions, self._domain)
        surplus = actions >= self._domain.actions
        drawn = self._drawn.take(which & surplus)[:, 0]
        return torch.where(surplus, (drawn * self._domain.actions).long(), actions)

    def keep(self, lanes: Sequence[int]) -> None:
        """Go on with these lanes alone, in this order."""
        if self._drawn is not None:
            self._drawn.keep(lanes, self._tensor(np.asarray(list(lanes), np.int64)))

    def state(self) -> dict[str, Any]:
        """Return where the streams are; nothing where none is drawn from."""
        return {} if self._drawn is None else self._drawn.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state; see ``LaneDraws.restore``."""
        if self._drawn is not None:
            self._drawn.restore(state)

    def _tensor(self, array: Any) -> torch.Tensor:
        return torch.from_numpy(np.asarray(array)).to(self._device)


def translate(actions: torch.Tensor, domain: ControlDomain) -> torch.Tensor:
    """Return actions (lanes,) as a domain takes them that draws none at random: those outside its own as declared.

    Raises:
        ValueError: the domain's foreign actions are random; ``ForeignActions`` has the streams for them.
    """
    if domain.foreign == "random":
        raise ValueError(f"foreign actions of {domain.name} are random; they need a stream")
    if domain.foreign == "noop" and domain.noop is not None:
        return actions.masked_fill(actions >= domain.actions, domain.noop)
    own = actions.clamp(max=domain.actions - 1) if domain.foreign == "clamp" else actions % domain.actions
    if domain.order is None:
        return own
    named = torch.tensor(domain.order, device=actions.device).argsort()  # as many outputs do the same as in the test
    return torch.where(actions >= domain.actions, named[own], own)
