"""Whose performances are scored, the agent that they are compared with, and code that a configuration names."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, JsonValue, field_validator, model_validator

from aiq.config.training import FACTORY, Adam, Learning, Network, Reinforcement
from aiq.errors import InputError
from aiq.settings import Settings, fixed

LONGEST = 64
_AGAIN = re.compile(r"(.+?)\1{19}")  # Snakemake takes it for a rule that feeds itself
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def check_name(what: str, name: str) -> None:
    """Names become parts of file names, so they are plain words."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{what} name {name!r} must be letters, digits, '_', '.', '-', a letter or digit first")
    if len(name) > LONGEST or _AGAIN.search(name):
        raise ValueError(
            f"{what} name {name[:LONGEST]!r} has {len(name)} letters; take {LONGEST} at most, none 20 times in a row"
        )


class Agent(Network):
    """An agent to be scored: a network of given depth and width, trained on every domain (3.3.6)."""

    name: str = Field(min_length=1, description="name in tables and figures")

    @model_validator(mode="after")
    def _check_agent_name(self) -> Agent:
        check_name("agent", self.name)
        return self


class OutsidePlayer(Settings):
    """An agent made elsewhere, see docs/how-to/own-agent.md.

    Python code that plays every control domain of the suite, or learns every labelled one.
    """

    name: str = Field(min_length=1, description="name in tables and figures")
    factory: str = Field(
        description="module:factory, importable from the working folder; on control domains called for every "
        "episode, on labelled ones for every training: an estimator (fit, predict) or a torch module"
    )
    arguments: dict[str, JsonValue] = Field(default_factory=dict, description="further arguments of the factory")
    episodes: int = Field(100, ge=1, description="control: episodes of each repetition; their mean is its performance")
    batched: ClassVar = fixed(False)

    @field_validator("factory")
    @classmethod
    def _check_factory(cls, value: str) -> str:
        if not FACTORY.fullmatch(value):
            raise ValueError(f"factory is {value!r}; write module:factory, for example my_agents:balancer")
        return value

    @model_validator(mode="after")
    def _check_outside_name(self) -> OutsidePlayer:
        check_name("agent", self.name)
        return self


class Agents(Settings):
    """Whose performances are scored."""

    networks: list[Agent] = Field(default_factory=list, description="agents trained here")
    outside: list[OutsidePlayer] = Field(
        default_factory=list, description="agents made elsewhere that play or learn here"
    )
    repetitions: int = Field(
        3,
        ge=1,
        le=100_000,
        description="trainings (or series of episodes) of each agent on each domain, for the intervals",
    )
    training: Learning | None = Field(None, description="how they are trained; null: as the pool")
    table: str | None = Field(None, description="CSV agent,domain,performance[,repetition] of results made elsewhere")

    @model_validator(mode="after")
    def _unique(self) -> Agents:
        names = [agent.name for agent in self.networks] + [agent.name for agent in self.outside]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"agent {name!r} is named twice")
        return self


class Baseline(Settings):
    """The agent that others are compared with on control domains, the paper's baseline by default (3.4.3)."""

    network: Network = Field(
        default_factory=lambda: Network(layers=2, width=512), description="its network, dense; default 2 x 512"
    )
    training: Reinforcement = Field(
        default_factory=lambda: Reinforcement(
            algorithm="dqn", steps=500_000, optimizer=Adam(name="adam", learning_rate=0.001)
        ),
        description="how it is trained; default DQN with 500,000 steps and Adam at 0.001",
    )
    repetitions: int = Field(3, ge=1, le=100_000, description="trainings on each domain, for the intervals")
    trained_on: str | None = Field(
        None, description="the one domain that it is trained on before it plays all; null: each domain by itself"
    )
    episodes: int = Field(100, ge=1, description="episodes played on each domain, for performance and entropy")


# ---- Code that a configuration names -------------------------------------------------------------


def load_factory(name: str, what: str = "agent factory") -> Callable[..., Any]:
    """Return the callable named ``module:factory``; modules of the working folder are found too.

    Raises:
        InputError: the name is malformed, the module cannot be imported, or has no such callable.
    """
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise InputError(f"{what} is {name!r}; write module:factory, for example my_agents:Greedy")
    from aiq.domains.family import find_own_modules

    find_own_modules()
    try:
        factory = getattr(importlib.import_module(module), attribute, None)
    except ImportError as error:
        raise InputError(f"{what} {name!r} cannot be imported ({error}); check the module's name") from error
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"{what} {name!r} cannot be imported, its module fails ({reason}); correct it") from error
    if not callable(factory):
        raise InputError(f"{what} {name!r} is not a callable of module {module}; check the name after the colon")
    return factory  # type: ignore[no-any-return]


def module_file(factory: str) -> list[str]:
    """Return the file in the working folder that ``module:factory`` names, as a list of one, or an empty list."""
    path = Path(*factory.partition(":")[0].split(".")).with_suffix(".py")
    return [str(path)] if path.is_file() else []
