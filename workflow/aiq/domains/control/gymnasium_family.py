"""The family gymnasium: any Gymnasium environment with discrete actions, made once to see what it is like. No torch."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, JsonValue, field_validator, model_validator

from aiq.domains.base import DataSheet
from aiq.domains.control.settings import Control, Range
from aiq.domains.family import ControlFamily, find_own_modules, maker
from aiq.errors import DomainError, did_you_mean

if TYPE_CHECKING:
    import gymnasium
    from gymnasium import spaces


class Gymnasium(Control):
    """Any Gymnasium environment with discrete actions; its returns are put on [0, 1] by the bounds."""

    source: Literal["gymnasium"] = Field(description="the source: gymnasium")
    id: str = Field(min_length=1, description="id of the environment, as gymnasium.make takes it (module:Name-v0)")
    bounds: Range = Field(description="smallest and largest return of an episode: performance 0 and 1")
    options: dict[str, JsonValue] = Field(default_factory=dict, description="arguments of gymnasium.make")
    horizon: int | None = Field(
        None, ge=1, le=1_000_000, description="longest episode in steps; null takes the environment's own limit"
    )
    scale: list[Range] | Literal["auto"] | None = Field(
        None,
        description="a list low, high of every number of the observation, mapped to -1 and 1; auto takes them from a "
        "Box with finite bounds; null changes nothing",
    )

    @field_validator("options")
    @classmethod
    def _check_options(cls, value: dict[str, Any]) -> dict[str, Any]:
        """Only what can be written down, and not what is set elsewhere."""
        for key in ("id", "max_episode_steps", "render_mode"):
            if key in value:
                instead = "use horizon" if key == "max_episode_steps" else "leave it out"
                raise ValueError(f"options must not hold {key!r}: {instead}")
        try:
            json.dumps(value, allow_nan=False)
        except ValueError:
            raise ValueError("options hold a number that is not finite") from None
        return value

    @field_validator("bounds", mode="before")
    @classmethod
    def _check_bounds(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise ValueError(f"bounds is {value!r}, it must be [smallest return, largest return]")
        return value

    @model_validator(mode="after")
    def _check_ranges(self) -> Gymnasium:
        if not self.bounds[0] < self.bounds[1]:
            raise ValueError(
                f"bounds {list(self.bounds)} must be the smallest and the largest return, the smaller first"
            )
        for number, (low, high) in enumerate(self.scale if isinstance(self.scale, list) else []):
            if not low < high:
                raise ValueError(f"scale {[low, high]} of entry {number} must be low and high, the smaller first")
        return self


FAMILY = ControlFamily(
    Gymnasium,
    maker("aiq.domains.control.lane_worlds", "GymnasiumDomain"),
    "any Gymnasium environment with discrete actions and declared bounds of its return",
    "observations flattened, discrete ones one-hot; as many actions as the environment has",
    ("torch", "gymnasium"),
    {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0]},
)


# ---- What an environment is like: made once, its spaces and its longest episode read -------------

Observed = npt.NDArray[np.floating[Any]]
Flatten = Callable[[Any], Observed]


@dataclass(frozen=True, slots=True)
class Kind:
    """Entries of an observation and how one is made of them, actions and the first one's number, longest episode."""

    observations: int
    flatten: Flatten
    actions: int
    first_action: int
    horizon: int
    sheet: DataSheet


def look(name: str, settings: Gymnasium) -> Kind:
    """Make the environment once and see what it is like.

    Raises:
        DomainError: there is no such environment or it cannot be made, its actions are not discrete, its
            observations cannot be flattened or scaled, or it has no longest episode.
    """
    from gymnasium import spaces

    environment = make(name, settings)
    try:
        space = environment.action_space
        if not isinstance(space, spaces.Discrete):
            raise DomainError(
                f"domain {name}: the actions of {settings.id!r} are {space}; only discrete actions (Discrete) can be "
                "learned: wrap the environment so that it has a few of them"
            )
        observations, flatten = flattening(name, settings, environment.observation_space)
        horizon = settings.horizon or environment.spec.max_episode_steps  # type: ignore[union-attr]
        if horizon is None:
            raise DomainError(
                f"domain {name}: environment {settings.id!r} has no longest episode of its own: set horizon to a "
                "number of steps"
            )
        sheet = _sheet(settings, environment, int(space.n), horizon)
        return Kind(observations, flatten, int(space.n), int(space.start), horizon, sheet)
    finally:
        environment.close()


def make(name: str, settings: Gymnasium) -> gymnasium.Env[Any, Any]:
    """Make the environment.

    Raises:
        DomainError: Gymnasium knows no such environment, a package is missing, or the options do not fit.
    """
    import gymnasium

    env_id = settings.id
    find_own_modules()
    try:
        return gymnasium.make(env_id, max_episode_steps=settings.horizon, disable_env_checker=True, **settings.options)
    except (gymnasium.error.UnregisteredEnv, gymnasium.error.DeprecatedEnv) as error:
        raise DomainError(
            f"domain {name}: id is {env_id!r}{did_you_mean(env_id, gymnasium.registry)}, which Gymnasium does not know "
            "or not any more: correct it, or write module:Name-v0 to have it registered by a module"
        ) from error
    except (gymnasium.error.DependencyNotInstalled, ImportError) as error:
        raise DomainError(
            f"domain {name}: environment {env_id!r} needs a package or module that is not installed here: "
            f"{_one_line(error)}"
        ) from error
    except Exception as error:
        raise DomainError(
            f"domain {name}: environment {env_id!r} cannot be made with options {settings.options}: "
            f"{type(error).__name__}: {_one_line(error)}"
        ) from error


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")


def flattening(name: str, settings: Gymnasium, space: spaces.Space[Any]) -> tuple[int, Flatten]:
    """Return the number of entries of an observation, and what turns one into them."""
    from gymnasium import spaces

    if not space.is_np_flattenable:
        raise DomainError(
            f"domain {name}: observations of {settings.id!r} are {space}, which have no fixed number of entries"
        )
    entries = int(spaces.flatdim(space))
    if entries == 0:
        raise DomainError(f"domain {name}: observations of {settings.id!r} are {space}, which have no entries")
    plain = _plain(space, entries)
    if settings.scale is None:
        return entries, plain
    low, high = _ranges(name, settings, space, entries)
    middle, half = (low + high) / 2, (high - low) / 2

    def scaled(observation: Any) -> Observed:
        moved: Observed = (plain(observation) - middle) / half
        return moved

    return entries, scaled


def _plain(space: spaces.Space[Any], entries: int) -> Flatten:
    from gymnasium import spaces

    if isinstance(space, spaces.Box):
        return lambda observation: np.asarray(observation).reshape(-1)
    if isinstance(space, spaces.Discrete):
        rows, first = np.eye(entries, dtype=np.float32), int(space.start)

        def one_hot(observation: Any) -> Observed:
            number = int(observation) - first
            if not 0 <= number < entries:
                raise ValueError(f"observation {observation} lies outside {space}")
            row: Observed = rows[number]
            return row

        return one_hot
    return lambda observation: np.asarray(spaces.flatten(space, observation))


def _ranges(
    name: str, settings: Gymnasium, space: spaces.Space[Any], entries: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the smallest and the largest value of every entry, to be mapped to -1 and 1."""
    from gymnasium import spaces

    if settings.scale == "auto":
        if not isinstance(space, spaces.Box):
            raise DomainError(
                f"domain {name}: scale is 'auto', but observations of {settings.id!r} are {space}: leave scale out"
            )
        low, high = (np.asarray(side, np.float64).reshape(-1) for side in (space.low, space.high))
        unknown = np.flatnonzero(~(np.isfinite(low) & np.isfinite(high) & (high > low) & (high < 1e30)))
        if len(unknown):
            raise DomainError(
                f"domain {name}: scale is 'auto', but entry {unknown[0]} of an observation of {settings.id!r} has the "
                f"bounds [{low[unknown[0]]:g}, {high[unknown[0]]:g}]: list [low, high] for each of {entries} entries"
            )
        return low, high
    given = np.array(settings.scale, np.float64).reshape(-1, 2)
    if len(given) != entries:
        raise DomainError(
            f"domain {name}: scale has {len(given)} ranges; observations of {settings.id!r} have {entries} entries"
        )
    return given[:, 0], given[:, 1]


def _sheet(settings: Gymnasium, environment: gymnasium.Env[Any, Any], actions: int, horizon: int) -> DataSheet:
    lines = (type(environment.unwrapped).__doc__ or "").strip().splitlines()
    about = " ".join(line.strip() for line in lines[:1]).strip("# ")
    return DataSheet(
        description=f"The Gymnasium environment {settings.id}" + (f": {about}" if about else ""),
        source=f"Gymnasium {settings.id}, options {settings.options or 'none'}",
        licence="the environment's own (Gymnasium's are MIT)",
        value_range=settings.bounds,
        class_names=tuple(f"action {number}" for number in range(actions)),
        notes=(
            f"observation: {' '.join(str(environment.observation_space).split())}, flattened; scale "
            f"{settings.scale or 'none'}",
            f"returns between {settings.bounds[0]:g} and {settings.bounds[1]:g} are performances between 0 and 1",
            f"an episode has at most {horizon} steps",
        ),
    )
