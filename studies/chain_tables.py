"""The same chain through the command line: every step reads tables and prints JSON, as a person would call it."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logit

from aiq.cli import main
from studies.chain_estimates import BY_EXCESS, LENGTHS, Found, Said, names
from studies.chain_truth import POINTS, Design, Measured

Floats = npt.NDArray[np.float64]


def estimate(measured: Measured, design: Design, seed: int) -> Found:
    """Run ``aiq complexity``, ``dissimilarity``, ``space`` and ``score`` on tables of one suite.

    Raises:
        RuntimeError: a command ended with another status than 0; its words are in the sentence.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        hard = [_complexity(place, measured, i) for i in range(design.domains)]
        pairs = _dissimilarity(place, measured, design)
        _lengths(place, design, hard)
        _write(
            place / "d.csv",
            ("a", "b", "dissimilarity", "se"),
            [
                (one["a"], one["b"], one["signed"] if one["a"] != one["b"] else abs(one["signed"]), one["se"])
                for one in pairs
            ],
        )
        _scores_table(place, measured, design)
        found = {
            (length, d): _score(place, length, d, seed) for length in LENGTHS for d in ("auto", str(design.dimensions))
        }
    auto, given = found["complexity", "auto"], found["complexity", str(design.dimensions)]
    by_excess = [found["relative_excess", d] for d in ("auto", str(design.dimensions))]
    return Found(
        {
            "complexity": _said(hard, "mccp_k", "interval"),
            "relative_excess": _said(hard, "relative_excess", "relative_excess_interval"),
            "signed": _said([one for one in pairs if one["a"] != one["b"]], "signed", "interval"),
            "per_dimension": _said(_by_agent(auto), "per_dimension", "interval"),
            "relative_given_d": _said(_by_agent(given), "relative", "relative_interval"),
            f"per_dimension{BY_EXCESS}": _said(_by_agent(by_excess[0]), "per_dimension", "interval"),
            f"relative_given_d{BY_EXCESS}": _said(_by_agent(by_excess[1]), "relative", "relative_interval"),
        },
        int(auto["dimensions"]),
        _order(auto, design.agents),
    )


def _call(*arguments: object) -> Any:
    """Return what a command printed, as JSON."""
    out, err = io.StringIO(), io.StringIO()
    status: object = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([*map(str, arguments), "--json"])
        except SystemExit as end:
            status = end.code
    if status not in (0, None):
        raise RuntimeError(f"aiq {' '.join(map(str, arguments))} ended with {status}: {err.getvalue().strip()}")
    return json.loads(out.getvalue())


def _write(path: Path, header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def _complexity(place: Path, measured: Measured, i: int) -> dict[str, Any]:
    rows = list(zip(measured.parameters[i].tolist(), measured.performance[i].tolist(), strict=True))
    _write(place / "trials.csv", ("size", "performance"), rows)
    found: dict[str, Any] = _call(
        "complexity", place / "trials.csv", "--k", 16, "--largest", measured.largest[i], "--resamples", 2
    )
    return found


def _dissimilarity(place: Path, measured: Measured, design: Design) -> list[dict[str, Any]]:
    rows = [
        (a, b, r, p, measured.curves[i, j, r, k])
        for i, a in enumerate(names(design))
        for j, b in list(enumerate(names(design)))[i:]
        for r in range(design.repetitions)
        for k, p in enumerate(POINTS.tolist())
    ]
    _write(place / "curves.csv", ("a", "b", "repetition", "p", "performance"), rows)
    how = ("--paired", "no", "--resamples", 2)  # every point is a draw of its own, as in ``chain_estimates``
    found: list[dict[str, Any]] = _call("dissimilarity", place / "curves.csv", *how)["pairs"]
    return found


def _scores_table(place: Path, measured: Measured, design: Design) -> None:
    rows = [
        (f"a{i}", name, r, measured.scores[r, i, j])
        for i in range(design.agents)
        for j, name in enumerate(names(design))
        for r in range(design.repetitions)
    ]
    _write(place / "performance.csv", ("agent", "domain", "repetition", "performance"), rows)


def _lengths(place: Path, design: Design, hard: list[dict[str, Any]]) -> None:
    """Write a table a length: values with standard errors, that of a relative excess from its logit."""
    bits = [(one["mccp_k"], _se(one["interval"])) for one in hard]
    parts = [(one["relative_excess"], one["relative_excess_interval"]) for one in hard]
    excess = [
        (value, 0.0 if ends is None else _se(logit(np.clip(ends, 1e-12, 1 - 1e-12))) * value * (1 - value))
        for value, ends in parts
    ]
    for length, rows in zip(LENGTHS, (bits, excess), strict=True):
        named = [(name, *row) for name, row in zip(names(design), rows, strict=True)]
        _write(place / f"{length}.csv", ("domain", length, "se"), named)


def _score(place: Path, length: str, dimensions: str, seed: int) -> dict[str, Any]:
    target = place / f"space-{length}-{dimensions}.h5"
    tables = ("--complexity", place / f"{length}.csv", "--length", length, "--dissimilarity", place / "d.csv")
    space = _call("space", *tables, "-o", target, "--dimensions", dimensions, "--seed", seed)
    found: dict[str, Any] = _call("score", target, place / "performance.csv", "--seed", seed)
    return {**found, "dimensions": space["dimensions"]}


def _se(interval: Any) -> float:
    """Return the standard error that a normal interval of 95 % has."""
    return 1e-6 if interval is None else (interval[1] - interval[0]) / (2 * 1.959964)


def _said(records: list[dict[str, Any]], value: str, interval: str) -> Said:
    pairs = [record[interval] or (np.nan, np.nan) for record in records]
    return Said(np.array([record[value] for record in records]), np.array(pairs, dtype=np.float64).reshape(-1, 2))


def _by_agent(found: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(found["agents"], key=lambda one: str(one["agent"]))


def _order(found: dict[str, Any], agents: int) -> Floats:
    """Return the probabilities that are printed, of agents next to each other in the table; NaN elsewhere."""
    table = np.full((agents, agents), np.nan)
    for one, other in zip(found["agents"][:-1], found["agents"][1:], strict=True):
        i, j = int(one["agent"][1:]), int(other["agent"][1:])
        table[i, j], table[j, i] = one["order"], 1 - one["order"]
    return table
