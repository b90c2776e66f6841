"""Actions of discrete environments, checked before they are taken."""

from __future__ import annotations

import operator
from typing import Any

from aiq.errors import InputError


def checked_action(environment: str, action: Any, count: int) -> int:
    """Return an action as an integer.

    Args:
        environment: its name in a refusal.
        action: what was given.
        count: number of the environment's actions.

    Raises:
        InputError: it is none of 0 to ``count`` - 1.
    """
    try:
        number = operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < count:
        raise InputError(f"action is {action!r}; {environment} has the discrete actions 0 to {count - 1}")
    return number
