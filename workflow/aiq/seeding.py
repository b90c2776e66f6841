"""Keyed randomness: one root seed, and every generator named by words.

A generator depends on the root seed and its key alone, never on global state or on the order of
execution; so results do not depend on how work was cut into jobs or on what ran before.
"""

from __future__ import annotations

import hashlib
import json
import operator
from typing import Any

import numpy as np

Word = str | int


def _spawn_key(key: tuple[Word, ...]) -> tuple[int, ...]:
    """Map a key of words to 128 bits as four 32-bit integers; ``1`` and ``"1"`` differ."""
    if not key:
        raise ValueError("a generator needs a key of at least one word")
    text = "\x1f".join(_spelt(word) for word in key)
    digest = hashlib.sha256(text.encode()).digest()[:16]
    return tuple(int.from_bytes(digest[i : i + 4], "big") for i in range(0, 16, 4))


def _spelt(word: Word) -> str:
    """Return a word with its type; integers and words of NumPy count as Python's own."""
    if isinstance(word, str):
        if "\x1f" in word:
            raise ValueError(f"the word {word!r} of a generator's key holds the separator of words")
        return f"str:{word}"
    if isinstance(word, bool | np.bool_ | float):
        raise TypeError(f"{word!r} cannot be part of a generator's key, only words and integers can")
    return f"int:{operator.index(word)}"


def sequence(root: int, *key: Word) -> np.random.SeedSequence:
    """Return the seed sequence of ``key`` under the root seed (a non-negative integer)."""
    return np.random.SeedSequence(entropy=root, spawn_key=_spawn_key(key))


def generator(root: int, *key: Word) -> np.random.Generator:
    """Return the NumPy generator of ``key``, for example ``generator(7, "trial", "digits", 3)``."""
    return np.random.Generator(np.random.PCG64(sequence(root, *key)))


def integer(root: int, *key: Word) -> int:
    """Return a seed in [0, 2**63) for libraries that take an integer (torch, gymnasium)."""
    return int(sequence(root, *key).generate_state(1, np.uint64)[0] >> np.uint64(1))


def state_of(generator: np.random.Generator) -> str:
    """Return where a generator is in its stream, as JSON, for ``resumed``."""
    return json.dumps(generator.bit_generator.state, default=lambda array: array.tolist())


def resumed(state: str) -> np.random.Generator:
    """Return a generator that goes on where another one was.

    Raises:
        KeyError, TypeError, ValueError: no state of a generator.
    """
    record: Any = json.loads(state)
    if record["bit_generator"] != "PCG64":
        raise ValueError(f"the state is one of {record['bit_generator']}, not of PCG64")
    bits = np.random.PCG64(0)
    bits.state = record
    return np.random.Generator(bits)
