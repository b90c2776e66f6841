"""Learners made elsewhere: factories of anything with fit and predict, or of torch modules."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, JsonValue, StringConstraints

from aiq.errors import InputError
from aiq.settings import Settings

# ---- Find code that a configuration names as ``module:factory`` ----------------------------------


def load_factory(name: str, what: str = "agent factory") -> Callable[..., Any]:
    """Return the callable named ``module:factory``; modules of the working folder are found too.

    Args:
        name: ``module:factory``.
        what: how a refusal calls it.

    Raises:
        InputError: the name is malformed, the module cannot be imported, or has no such callable.
    """
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise InputError(f"{what} is {name!r}; write module:factory, for example my_agents:Greedy")
    from aiq.domains.installed import find_own_modules

    find_own_modules()
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except ImportError as error:
        raise InputError(f"{what} {name!r} cannot be imported ({error}); check the module's name") from error
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"{what} {name!r} cannot be imported, its module fails ({reason}); correct it") from error
    if not callable(found):
        raise InputError(f"{what} {name!r} is not a callable of module {module}; check the name after the colon")
    return found  # type: ignore[no-any-return]


def module_file(factory: str) -> list[str]:
    """Return the file in the working folder that ``module:factory`` names, as a list of one, or an empty list."""
    path = Path(*factory.partition(":")[0].split(".")).with_suffix(".py")
    return [str(path)] if path.is_file() else []


# ---- Learners made elsewhere ---------------------------------------------------------------------


FACTORY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")

Named = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
"""``module:name``, importable from the working folder."""


class Learner(Settings):
    """A member of a pool made elsewhere, see docs/how-to/own-agent.md."""

    factory: Named = Field(description="module:factory of an estimator (fit, predict) or a torch module")
    arguments: dict[str, JsonValue] = Field(default_factory=dict, description="arguments of the factory")
    size: Annotated[int, Field(ge=1)] | Named = Field(
        description="numbers that a trained one consists of, as the parameters of a network: a number, or "
        "module:function that tells it of the trained learner (aiq.policies.learners:parameters for torch modules)"
    )


class Generated(Settings):
    """A pool of learners that a function gives one after another."""

    generator: Named = Field(
        description="module:function, called with seed and arguments; yields mappings of factory, arguments and size"
    )
    arguments: dict[str, JsonValue] = Field(default_factory=dict, description="further arguments of the function")
