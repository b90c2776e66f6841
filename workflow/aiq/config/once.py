"""Compute a fingerprint once for each set of arguments: a parsed workflow asks for it again and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def once(method: Method) -> Method:
    """Return a method that keeps its results on its object, by its positional arguments.

    The object must not change: plans do not.
    """
    place = f"_once_{method.__name__}"

    @wraps(method)
    def kept(self: Any, *args: Any) -> Any:
        """Look the result up, or compute and keep it."""
        results: dict[Any, Any] = self.__dict__.setdefault(place, {})
        if args not in results:
            results[args] = method(self, *args)
        return results[args]

    return cast(Method, kept)
