"""Complexity of a sequence as the number of phrases of its exhaustive history (Lempel and Ziv 1976).

Each phrase is the shortest prefix of the rest that cannot be copied from what precedes its own last
symbol (copies may overlap); a last phrase that ends with the sequence counts too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from aiq.errors import InputError
from aiq.wings.collectives.equations.compiled import Array, compiled


@compiled
def phrases(symbols: Array, length: int) -> int:
    """Return the number of LZ76 phrases of the first ``length`` (at least 1) entries of ``symbols``."""
    count = 0
    start = 0
    while start < length:
        longest = 0
        for source in range(start):
            run = 0
            while start + run < length and symbols[source + run] == symbols[start + run]:
                run += 1
            if run > longest:
                longest = run
                if start + longest >= length:
                    return count + 1
        count += 1
        start += longest + 1
    return count


def complexity(sequence: Iterable[Hashable]) -> int:
    """Return K, the number of LZ76 phrases of ``sequence`` (any symbols, such as a string of moves).

    Raises:
        InputError: the sequence is empty.
    """
    codes: dict[Hashable, int] = {}
    symbols = np.array([codes.setdefault(symbol, len(codes)) for symbol in sequence], dtype=np.int64)
    if symbols.size == 0:
        raise InputError("a movement pattern has length 0; it needs at least one move, so give one or more symbols")
    return int(phrases(symbols, symbols.size))
