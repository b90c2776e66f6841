"""The command line for tests: what it must print, its verbs, and small tables."""

from __future__ import annotations

import json
from collections.abc import Callable

import click
import pytest

from aiq.cli.main import cli

TRIALS = "size,performance\n100,0.5\n2000,0.9\n90000,0.97\n"
CURVE = "p,performance\n0,0.8\n0.5,0.7\n1,0.9\n"
C = "domain,complexity\nA,1\nB,2\nC,1.5\n"
D = "a,b,dissimilarity\nA,B,0.02\nC,A,0.3\nB,C,0.1\n"
P = "agent,domain,performance\nme,A,0.9\nme,B,0.4\nme,C,0.7\nyou,A,0.5\nyou,B,0.9\nyou,C,0.8\n"
PARTED = "a,b,p,repetition,performance,told\n" + "".join(
    f"{a},{b},{p},{r},{v + 0.001 * (r * (7 + i) % 5)},{v + 0.02 + 0.001 * (r * (5 + i) % 7)}\n"
    for i, (a, b) in enumerate((("A", "A"), ("A", "B")))
    for r in (1, 2, 3)
    for p, v in ((0, 0.8), (0.5, 0.7), (1, 0.8))
)
ALONE = "domain,p,performance,repetition\n" + "".join(
    f"{d},{p},{v + 0.002 * r},{r}\n" for d in "AB" for r in (0, 1) for p, v in ((0, 0), (0.5, 0.75), (1, 0.81))
)
SPACE = ("space", "--complexity", "c.csv", "--dissimilarity", "d.csv")
QUICK = ("--resamples", "50")

Aiq = Callable[..., tuple[int, str, str]]
"""Of the fixture ``aiq``: words and tables -> exit status, standard output, standard error."""


def refused(done: tuple[int, str, str], *words: str) -> None:
    """One line on standard error that holds the words, nothing on standard output, exit status 2."""
    status, out, err = done
    assert (status, out) == (2, ""), err
    assert err.startswith("aiq: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    for word in words:
        assert word in err


def record(done: tuple[int, str, str]) -> dict:
    """The one JSON object on standard output."""
    status, out, err = done
    assert (status, err) == (0, "")
    answer = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert isinstance(answer, dict)
    return answer


def verbs(group: click.Group = cli, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    """Every verb, verbs below verbs included, by its words."""
    below: dict[tuple[str, ...], click.Command] = {}
    for name, command in group.commands.items():
        below[(*path, name)] = command
        if isinstance(command, click.Group):
            below |= verbs(command, (*path, name))
    return below
