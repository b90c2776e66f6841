"""Find code that a configuration names as ``module:factory``."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiq.domains.installed import find_own_modules
from aiq.errors import InputError


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
