"""Classes of environments and examinees of the anytime test, made from their settings."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

from aiq import wing
from aiq.errors import InputError, reason
from aiq.plans.run import Run
from aiq.wings.anytime import settings
from aiq.wings.anytime.equations import agents, automata, cups, grid
from aiq.wings.anytime.equations.protocol import Agent, AgentError, AgentStopped, Clock, EnvironmentClass

PLAIN: dict[str, Callable[[], Agent]] = {
    "random": agents.RandomAgent,
    "black_cup": cups.BlackCup,
    "follow_good": agents.FollowGood,
}


def environment_class(name: str, made: settings.Environments, root: int) -> EnvironmentClass:
    """Return the class of environments that the settings describe, under its name in the configuration."""
    match made:
        case settings.Cups():
            return cups.CupsClass(made.largest, name)
        case settings.Automata():
            return automata.AutomatonClass(made.largest, name)
        case settings.GridWorld():
            return grid.GridClass(made.longest, name)
        case settings.BfPrograms():
            if "algorithmic" not in wing.measures():
                needed = "family programs needs the measure algorithmic, which is not installed here"
                raise InputError(f"class {name!r}: {needed}")
            from aiq.wings.anytime.programs import ProgramClass

            return ProgramClass(name, root, made.blocks, made.symbols)


def examinee(name: str, who: settings.Examinee, environments: EnvironmentClass, clock: Clock) -> Agent:
    """Return the agent that the settings describe, under its name in the configuration."""
    match who:
        case settings.Slow():
            agent: Agent = agents.SlowAgent(_player(name, who.agent, environments), who.seconds, clock)
        case settings.Sandbagger():
            winner = _player("winner", who.winner, environments)
            agent = agents.SandbaggingAgent(winner, environments.oracle(-1))
        case _:
            agent = _player(name, who, environments)
    cast(Any, agent).name = name
    return agent


def _player(name: str, who: settings.Player, environments: EnvironmentClass) -> Agent:
    match who:
        case settings.QLearner():
            return agents.TabularQ(who.rate, who.discount, who.exploration)
        case settings.Outside():
            return Guarded(name, outside(who.file, who.attribute))
        case settings.Plain():
            return environments.oracle() if who.kind == "oracle" else PLAIN[who.kind]()


class Guarded:
    """An agent from outside whose own failures become one sentence, whichever of its methods fails."""

    def __init__(self, name: str, agent: Agent) -> None:
        self.name, self._agent = name, agent
        self.begin, self.observe, self.act = (partial(self._call, method) for method in ("begin", "observe", "act"))

    def _call(self, method: str, *arguments: object) -> Any:
        """Call a method of the agent."""
        try:
            return getattr(self._agent, method)(*arguments)
        except (AgentError, AgentStopped):
            raise
        except Exception as error:
            why = reason(error)
            raise AgentError(f"agent {self.name!r} failed in {method}() with {why}; correct the agent") from error


def outside(file: str, attribute: str) -> Agent:
    """Return the agent that a Python file defines: an instance of a class, or a policy function.

    Raises:
        InputError: the file fails, lacks the attribute, or the attribute is neither.
    """
    defined = getattr(_module(file), attribute, None)
    if defined is None:
        raise InputError(f"{file} defines no {attribute!r}; define it, or name what the file defines")
    if isinstance(defined, type):
        try:
            agent = defined()
        except Exception as error:
            raise InputError(f"{attribute} of {file} cannot be made: {reason(error)}; give it no arguments") from error
        if all(callable(getattr(agent, method, None)) for method in ("begin", "observe", "act")):
            return cast(Agent, agent)
        raise InputError(f"{attribute} of {file} is no agent; it needs the methods begin, observe and act")
    if callable(defined):
        return agents.PolicyAgent(defined)
    raise InputError(f"{attribute} of {file} is {defined!r}; it must be a class or a function of the observation")


def _module(file: str) -> object:
    spec = importlib.util.spec_from_file_location("aiq_examinee", file) if Path(file).exists() else None
    if spec is None or spec.loader is None:
        raise InputError(f"the agent's file {file} is no Python file; give the path of a file that ends in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"the agent's file {file} fails: {reason(error)}; correct it") from error
    return module


def looks(run: Run[Any, Any, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield agents' files, each with what refuses it where it cannot be run or defines no agent of its name."""
    for name, who in run.configuration.agents.items():
        for agent in settings.outside(who):
            yield f"agent {name}", partial(outside, agent.file, agent.attribute)
