"""Arguments of the public functions, refused in one sentence where they are not what the signature says."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from numbers import Real
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from aiq.errors import InputError, choice

BOUNDS = {"resamples": (2, 1_000_000), "bins": (1, 100_000), "halves": (2, 10_000)}
"""Argument -> the smallest and the largest number that it may be."""
SHOWN = 60  # letters of a value in a sentence
P = ParamSpec("P")
R = TypeVar("R")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that refuses what its signature does not allow: missing and unknown arguments, other types.

    What is typed ``Any`` or by a class of its own is for the function to judge.
    """
    hints, signature = get_type_hints(function), inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise InputError(f"aiq.{function.__name__}: {error}; see help(aiq.{function.__name__})") from None
        check(given, hints)
        return function(*args, **kwargs)

    return call


def check_options(given: Mapping[str, Any], function: Callable[..., object]) -> None:
    """Refuse options that a function does not have, or not with such values."""
    hints = get_type_hints(function)
    for name in given:
        if name not in hints:
            raise InputError(choice("the option", name, [word for word in hints if word != "return"]))
    check(given, hints)


def check(given: Mapping[str, Any], hints: Mapping[str, Any]) -> None:
    """Refuse the first argument that is not what its type says, and roots and numbers of resamples out of bounds."""
    for name, value in given.items():
        allowed = _allowed(hints.get(name, Any))
        if not any(_fits(value, one) for one in allowed):
            said = repr(value) if len(repr(value)) <= SHOWN and "\n" not in repr(value) else f"a {type(value).__name__}"
            words = [word for one in allowed if get_origin(one) is Literal for word in get_args(one)]
            if isinstance(value, str) and words:
                raise InputError(choice(name, value, map(str, words)))
            raise InputError(f"{name} is {said}; it must be {' or '.join(map(_words, allowed))}")
        if name == "seed" and value < 0:
            raise InputError(f"the seed is {value}; it must be a whole number of at least 0")
        least, most = BOUNDS.get(name, (None, None))
        if least is not None and not least <= value <= most:
            raise InputError(f"{name} is {value}; it must be a whole number of at least {least}, at most {most:,}")


def check_word(what: str, word: object, *allowed: str) -> None:
    """Refuse what is not one of some words."""
    if word not in allowed:
        raise InputError(choice(what, word, allowed))


def _allowed(hint: Any) -> list[Any]:
    """Return the types of a union, or the one type."""
    if get_origin(hint) in (Union, types.UnionType):
        return [one for part in get_args(hint) for one in _allowed(part)]
    return [hint]


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, as far as can be seen without reading it."""
    kind = get_origin(hint) or hint
    if kind is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if kind is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if kind is int:
        return hasattr(value, "__index__") and not isinstance(value, bool)
    if kind is tuple and Ellipsis not in get_args(hint):
        return isinstance(value, tuple | list) and len(value) == len(get_args(hint))
    if kind in (Sequence, tuple):
        listed = isinstance(value, Sized) and isinstance(value, Iterable)
        return listed and (float not in get_args(hint) or all(_fits(one, float) for one in value))
    return isinstance(value, kind) if kind in (str, bool, type(None), Mapping) else True


def _words(hint: Any) -> str:
    kind = get_origin(hint) or hint
    if kind is Literal:
        return ", ".join(map(str, get_args(hint)))
    if kind is tuple and Ellipsis not in get_args(hint):
        return f"{len(get_args(hint))} of them, as ('A', 'B')"
    if kind is Sequence and float in get_args(hint):
        return "a list of numbers"
    known = {float: "a number", int: "a whole number", type(None): "None", bool: "True or False", str: "a text"}
    return known.get(kind, "a list" if kind in (Sequence, tuple) else f"a {getattr(kind, '__name__', kind)}")
