"""Exceptions that a person can act on, and the sentences they carry.

Every message is one sentence: what is wrong, the value, what is allowed, what to do.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable


class AiqError(Exception):
    """Base of all errors with which aiq refuses something; the message is one sentence for a person."""


class InputError(AiqError):
    """A number, table or argument that a caller supplied cannot be used."""


class ConfigurationError(InputError):
    """A configuration is malformed or asks for something scientifically wrong."""


class DomainError(InputError):
    """A domain's data are missing, unreadable or unfit for measurement."""


class StorageError(InputError):
    """A file of results is missing, incomplete, corrupt, foreign or made by another configuration."""


class NotKeptError(AiqError):
    """What is under way cannot be written down within itself; the sentence says what of it."""


class TrainingError(AiqError):
    """A training cannot be set up or every trial of it failed."""


def reason(error: BaseException) -> str:
    """Return the kind of an error and what it says, on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for the closest allowed word, or an empty string if none is close."""
    close = difflib.get_close_matches(word, list(allowed), n=1, cutoff=0.6)
    return f" (did you mean '{close[0]}'?)" if close else ""


def choice(what: str, value: object, allowed: Iterable[str]) -> str:
    """Return the sentence that refuses ``value`` for ``what``, names the allowed words and guesses the one meant."""
    words = list(allowed)
    more = f" and {len(words) - 20} more" if len(words) > 60 else ""
    first = ", ".join(words[:20] if more else words)
    return f"{what} is {value!r}{did_you_mean(str(value), words)}; allowed are {first}{more}"


REDO = "AIQ_REDO"
"""Variable of the environment: the command that makes again what is missing or damaged, where the run is known."""


def redo_command() -> str:
    """Return the command that makes again what is missing, damaged or of other settings, and goes on with a run."""
    return os.environ.get(REDO, "aiq run CONFIG --resume (CONFIG: the configuration of that run)")
