"""Environments from their names: what ``key`` wrote is read again."""

from __future__ import annotations

import re

import numpy as np

from aiq.errors import InputError
from aiq.wings.anytime.equations.automata import RAW_REWARDS, Automaton
from aiq.wings.anytime.equations.cups import Cups
from aiq.wings.anytime.equations.grid import Grid

_STATE = re.compile(r"(\d+),(\d+),(\d+):(\d+):(\d+)")
_GRID = re.compile(r"([LRUDS]+)/([LRUDS]+)@(\d)(\d)(\d)(\d)")


def cups_of(key: str) -> Cups:
    """Return the cups of a colouring, one 0 (black) or 1 (white) a cup, as in ``01101``.

    Raises:
        InputError: it holds other symbols, or there are fewer than three cups.
    """
    if not re.fullmatch("[01]+", key):
        raise InputError(f"the cups are {key!r}; write one 0 (black) or 1 (white) a cup, for example 01101")
    return Cups(tuple(map(int, key)))


def automaton_of(key: str) -> Automaton:
    """Return the automaton of a table, ``next,next,next:reward:symbol`` a state with a space between states.

    Raises:
        InputError: the text is no such table, or the table is no environment of the test.
    """
    found = [_STATE.fullmatch(word) for word in key.split()]
    rows = [tuple(map(int, state.groups())) for state in found if state is not None]
    if not rows or len(rows) < len(found):
        raise InputError(
            f"the automaton is {key!r}; write a state as its three next states, the number of its reward (0 to 4) and "
            "its symbol, and a space between states, for example '0,1,1:0:0 0,0,1:4:1'"
        )
    table = np.array(rows)
    if table[:, 3].max() >= len(RAW_REWARDS) or table[:, 4].max() >= len(rows):
        raise InputError(
            f"the automaton is {key!r}; rewards are numbered 0 to {len(RAW_REWARDS) - 1} and symbols 0 to "
            f"{len(rows) - 1} (the number of states less one)"
        )
    return Automaton(table[:, :3], table[:, 3], table[:, 4])


def grid_of(key: str) -> Grid:
    """Return the grid of ``good path/evil path@xyxy``, the first cells of Good and Evil behind the paths.

    Raises:
        InputError: the text is no such pair of paths, or both begin in one cell.
    """
    found = _GRID.fullmatch(key)
    if found is None:
        raise InputError(
            f"the grid is {key!r}; write the paths of Good and Evil over L, R, U, D, S and their first cells, each 0 "
            "to 8, for example 'RRD/S@0044'"
        )
    good, evil, *cells = found.groups()
    a, b, c, d = map(int, cells)
    return Grid(good, evil, (a, b), (c, d))
