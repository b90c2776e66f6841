"""The cart-pole in two dimensions as a control domain: many side by side, step by step equal to Gymnasium's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from aiq.domains.base import DataSheet
from aiq.domains.cartpole import START, Constants, Equations, fallen
from aiq.domains.control.base import DeclaredDomain, LaneDraws, Outcome, Worlds, on_host, streams
from aiq.errors import DomainError

if TYPE_CHECKING:
    from aiq.domains.control.settings import CartPole

_ACTIONS = ("push left", "push right")


class CartPoleDomain(DeclaredDomain):
    """A pole on a cart that is pushed left or right; 1 for every step, 200 steps (3.1.4)."""

    settings: CartPole
    on_gpu = True

    def __init__(self, name: str, settings: CartPole) -> None:
        super().__init__(
            name,
            settings,
            observations=4,
            actions=len(_ACTIONS),
            bounds=(0.0, float(settings.steps)),
            horizon=settings.steps,
            sheet=_sheet(settings),
        )

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> CartPoleWorlds:
        """Return one cart-pole for each seed."""
        settings = self.settings
        constants = Constants(
            settings.force, settings.gravity, settings.half_length, settings.cart_mass, settings.pole_mass
        )
        return CartPoleWorlds(seeds, constants, settings.steps, device=device)


class CartPoleWorlds(Worlds):
    """Cart-poles side by side, one a lane.

    The k-th episode of a lane begins in the k-th state, U[-0.05, 0.05] each, of NumPy's generator of the lane's
    seed: as Gymnasium's CartPole after ``reset(seed=seed)`` and k - 1 times ``reset()``. The physics is computed
    with numpy on the CPU, where its calls cost less than torch's for few lanes, and with torch elsewhere.
    """

    def __init__(self, seeds: Sequence[int], constants: Constants, steps: int, device: str = "cpu") -> None:
        self.lanes, self.failures = len(seeds), {}
        self._steps, self._device = steps, torch.device(device)
        self._library: Any = np if self._device.type == "cpu" else torch
        given = (constants.force, constants.gravity, constants.half_length, constants.cart_mass, constants.pole_mass)
        self._equations = Equations(self._library, Constants(*(self._array(np.float64(value)) for value in given)))
        self._state = self._array(np.zeros((4, self.lanes)))
        self._ticks = self._array(np.zeros(self.lanes, np.int64))
        self._running = self._array(np.zeros(self.lanes, bool))
        self._starts = LaneDraws(streams(seeds), lambda stream, n: stream.uniform(-START, START, (n, 4)), self._array)

    def reset(self, which: torch.Tensor) -> torch.Tensor:
        """Begin a new episode in the lanes where ``which`` is true; return all observations (lanes, 4), float32."""
        library, chosen = self._library, self._in(which)
        if not bool(chosen.any()):
            return self._observe()
        begun = self._starts.take(chosen).T
        self._state = library.where(chosen, begun, self._state)
        self._ticks = library.where(chosen, 0, self._ticks)
        self._running = self._running | chosen
        return self._observe()

    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        """Take one step in the lanes where ``which`` is true."""
        library, chosen, action = self._library, self._in(which), self._in(actions)
        self._check(action, chosen)
        after = self._equations.advance(self._state, action)
        if bool(chosen.all()):
            self._state = after
            self._ticks = self._ticks + 1
            terminated, truncated = fallen(after), self._ticks >= self._steps
            self._running = ~(terminated | truncated)
            return Outcome(which.to(torch.float32), self._out(terminated), self._out(truncated), self._observe())
        self._state = library.where(chosen, after, self._state)
        self._ticks = self._ticks + chosen
        terminated = fallen(self._state) & chosen
        truncated = (self._ticks >= self._steps) & chosen
        self._running = self._running & ~(terminated | truncated)
        observed = self._observe() * which[:, None]
        return Outcome(which.to(torch.float32), self._out(terminated), self._out(truncated), observed)

    def keep(self, lanes: Sequence[int]) -> None:
        """Go on with these lanes alone, in this order."""
        order = self._array(np.asarray(lanes, np.int64))
        self._state = self._state[:, order]
        self._ticks, self._running = self._ticks[order], self._running[order]
        self._starts.keep(lanes, order)
        self.lanes = len(lanes)

    def state(self) -> dict[str, Any]:
        """Return positions, speeds and steps of all lanes, and what they draw from."""
        held, running = (on_host(array) for array in (self._state, self._running))
        return {
            "state": np.ascontiguousarray(held),
            "by_lane": bool(held.flags.f_contiguous and not held.flags.c_contiguous),  # as it lies in memory
            "ticks": np.array(on_host(self._ticks)),
            "running": np.array(running),
            "starts": self._starts.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of as many lanes."""
        held = np.array(state["state"])
        if held.shape != (4, self.lanes):
            raise ValueError(f"it holds states of shape {held.shape}, not {(4, self.lanes)}")
        self._state = self._array(held)
        if state["by_lane"] and self._library is np:
            self._state = np.asfortranarray(self._state)
        self._ticks = self._array(np.array(state["ticks"], np.int64))
        self._running = self._array(np.array(state["running"], bool))
        self._starts.restore(state["starts"])

    def _check(self, actions: Any, chosen: Any) -> None:
        if bool(((actions & ~1) != 0).any()):
            raise DomainError(f"action is {int(actions[(actions & ~1) != 0][0])}; CartPole's actions are 0 and 1")
        late = chosen > self._running
        if bool(late.any()):
            lane = int(self._library.where(late)[0][0])
            raise DomainError(f"the episode of lane {lane} is over: reset it before the next step")

    def _observe(self) -> torch.Tensor:
        if self._library is np:
            return torch.from_numpy(self._state.T.astype(np.float32, order="C"))
        observed: torch.Tensor = self._state.T.to(torch.float32).contiguous()
        return observed

    def _array(self, values: Any) -> Any:
        """Return values as an array of the library, with memory of its own."""
        return np.array(values) if self._library is np else torch.tensor(values, device=self._device)

    def _in(self, tensor: torch.Tensor) -> Any:
        """Return a tensor as an array of the library that shares its memory."""
        return tensor.numpy() if self._library is np else tensor

    def _out(self, array: Any) -> Any:
        """Return an array of the library as a tensor that shares its memory."""
        return torch.from_numpy(array) if self._library is np else array


def _sheet(settings: CartPole) -> DataSheet:
    return DataSheet(
        description="A pole on a cart on a track, to be kept upright by pushes to the left and right",
        source="Gymnasium's CartPole-v1 (Barto, Sutton and Anderson 1983), computed here, equal to it step by step",
        licence="made here; the environment is MIT",
        value_range=(0.0, float(settings.steps)),
        class_names=_ACTIONS,
        notes=(
            "observation: position in m, velocity in m/s, angle in rad, angular velocity in rad/s",
            f"reward: 1 for every step; an episode has at most {settings.steps}; performance = return / "
            f"{settings.steps}",
            "start: each number of the observation U[-0.05, 0.05]",
            "end: position beyond 2.4 m or angle beyond 12 degrees",
            f"force {settings.force:g} N, gravity {settings.gravity:g} m/s², half the pole's length "
            f"{settings.half_length:g} m, cart {settings.cart_mass:g} kg, pole {settings.pole_mass:g} kg, step 0.02 s",
        ),
    )
