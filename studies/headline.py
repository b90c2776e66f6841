"""Which number leads: the mean over independent skills, mean volumes of fixed breadth, or the volume per dimension.

The candidates are defined in ``studies/headline_rivals.py``, the suites in ``headline_truth.py``, the demands in
``headline_demands.py``. Run it with ``python -m studies headline``; it goes on where it was cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from studies import headline_coverage, headline_demands, kept_estimates
from studies.cells import Cells
from studies.headline_truth import Cell

Row = dict[str, Any]

SNRS = (4, 8, 16, 32, 64)
QUICKSTART = Cell(6, "quickstart", 0, repetitions=5, agents=6)
CONTROL = Cell(4, "control", 0, repetitions=3, agents=4)
COVERAGE = (
    *((Cell(10, spectrum, snr), 300) for spectrum in ("decaying", "sharp") for snr in SNRS),
    (QUICKSTART, 400),
    (CONTROL, 400),
    *((Cell(10, "decaying", snr, empty=empty), 200) for empty in (4, 6) for snr in (4, 16)),
    *((Cell(10, "decaying", 16, agents=8, apart=apart), 200) for apart in (0.0025, 0.006, 0.017)),
    *((Cell(tests, spectrum, snr), 200) for tests in (4, 20) for spectrum in ("decaying", "sharp") for snr in SNRS),
)
RIVALS = (
    *((Cell(10, "decaying", snr), 25) for snr in SNRS),
    (QUICKSTART, 25),
    *((Cell(10, "sharp", snr), 20) for snr in (4, 16, 64)),
    *((Cell(tests, "decaying", 16), 20) for tests in (4, 20)),
)
VOLUMES = tuple((Cell(10, "decaying", snr), 25) for snr in SNRS)
DEMANDS = 8
LEAST, MOST = 0.93, 0.97  # the goal of a nominal 95 % interval
GOAL = ("value", "difference")


def run(quick: bool, cells: Cells) -> list[Row]:
    """Return the rows of all cells; ``quick``: a few suites of a few."""
    rows: list[Row] = []
    if quick:
        rows += headline_coverage.rows(Cell(10, "decaying", 8), 12)
        rows += headline_demands.estimate_rows(Cell(4, "sharp", 16), 2)
        rows += headline_demands.volume_rows(Cell(4, "decaying", 16), 2)
        return rows + headline_demands.demand_rows(1, seconds=False)
    for name, work, which in _parts():
        for cell, suites in which:
            rows += cells.of({"part": name, **cell.words, "suites": suites}, lambda w=work, c=cell, s=suites: w(c, s))
    return rows + cells.of({"part": "demands", "suites": DEMANDS}, lambda: headline_demands.demand_rows(DEMANDS))


def _parts() -> Iterable[tuple[str, Callable[[Cell, int], list[Row]], Sequence[tuple[Cell, int]]]]:
    yield "coverage", headline_coverage.rows, COVERAGE
    yield "rivals", headline_demands.estimate_rows, RIVALS
    yield "volume", headline_demands.volume_rows, VOLUMES


def markdown(rows: list[Row], seconds: float) -> str:
    """Return the page: demands, errors, coverage, orders."""
    parts = [
        "# Which number leads",
        "Candidates: M0, the mean over independent skills; M1, its arithmetic form; A1 to A3, mean volumes of breadth "
        "1 to 3; the paper's volume per dimension with d by share (.90), by noise, or given (3). Simulated suites "
        "unless *quickstart* and *control* (`benchmarks/control-small.yaml`), which take a run's own estimates as "
        "truth. Made by `python -m studies headline`.",
        "## Demands, on exact suites",
        f"Ten tests, spectrum .7^k, twelve agents, {DEMANDS} suites. Changes are mean absolute changes of a value; "
        "*uneven over even*: an agent of ones and zeros less its own weighted mean (at most 0 is asked for). `–`: no "
        "value in any suite.",
        _demands([row for row in rows if row["what"] == "demand"]),
        "## Error of the value, against its own limit",
        "Bias and, after the slash, root mean square error, from all noise: directions, lengths, agents. The limit of "
        "*noise* is that of perfect data, in which all dimensions stand above the noise.",
        _estimates([row for row in rows if row["what"] == "estimate"]),
        "## Coverage of nominal 95 % intervals of M0",
        "*Ranks*: all rank sets hold at once. *Middle*: the value lies in the middle half of its replicates. *None*: "
        "share of suites without a headline, which count nowhere else. `empty`: so many of the tests are solved by any "
        "network; *apart*: agents alike but for a level of this standard deviation. `+` and `−`: the value or the "
        f"difference is held more often than {MOST} or less often than {LEAST}, the goal; with `+` intervals are wider "
        "than need be.",
        _coverage([row for row in rows if row["what"] == "coverage" and row["measure"] == "M0"]),
        "Of the volume per dimension (five agents): " + _volumes(rows),
        "## Orders of two agents, by what was said of them",
        _orders([row for row in rows if row["what"] == "order"]),
    ]
    return "\n\n".join(parts)


def _text(value: Any, digits: int = 3) -> str:
    """Return a number without its leading zero."""
    if value is None or value != value:
        return "–"
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def _lines(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _demands(rows: list[Row]) -> str:
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    names = list(dict.fromkeys(row["demand"] for row in rows))
    at = {(row["demand"], row["measure"]): row["number"] for row in rows}
    return _lines(["demand", *measures], [[name, *(_text(at.get((name, m))) for m in measures)] for name in names])


def _where(row: Row) -> str:
    kept = row["spectrum"] in kept_estimates.NAMES
    said = str(row["spectrum"]) if kept else f"{row['tests']} {row['spectrum']}, SNR {row['snr']}"
    said += f", {row['empty']} empty" if row["empty"] else ""
    return said + (f", {row['agents']} agents apart {row['apart']}" if row["apart"] is not None else "")


def _estimates(rows: list[Row]) -> str:
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    places = list(dict.fromkeys(_where(row) for row in rows))
    at = {(_where(row), row["measure"]): f"{_text(row['bias'])} / {_text(row['rmse'])}" for row in rows}
    return _lines(["suite", *measures], [[where, *(at[where, m] for m in measures)] for where in places])


def _aside(share: float) -> str:
    """Return the sign of a coverage outside its goal."""
    rounded = round(share, 3)
    return " +" if rounded > MOST else " −" if rounded < LEAST else ""


def _coverage(rows: list[Row]) -> str:
    names = ("value", "difference", "independent", "ranks", "middle", "bias", "rmse", "width")
    body = [
        [
            _where(row),
            *(_text(row[name]) + (_aside(row[name]) if name in GOAL else "") for name in names),
            _text(row["without"] / row["suites"], 2),
        ]
        for row in rows
    ]
    return _lines(["suite", *names, "none"], body)


def _volumes(rows: list[Row]) -> str:
    found = [row for row in rows if row["what"] == "coverage" and row["measure"] != "M0"]
    return "; ".join(f"{row['measure']}, {_where(row)}: {_text(row['value'], 2)}" for row in found) + "."


def _orders(rows: list[Row]) -> str:
    found = []
    for label, chosen in (("similar agents (apart)", True), ("all other cells", False)):
        for low in sorted({row["low"] for row in rows}):
            some = [row for row in rows if row["low"] == low and (row["apart"] is not None) == chosen]
            n = sum(row["orders"] for row in some)
            if n:
                said, right = (sum(row[k] * row["orders"] for row in some) / n for k in ("said", "right"))
                found.append([label, f"{low:.2f}–{some[0]['high']:.2f}", str(n), _text(said), _text(right)])
    found += [
        [_where(row), "0.85–0.95", str(row["orders"]), _text(row["said"]), _text(row["right"])]
        for row in rows
        if row["apart"] is not None and row["low"] == 0.85
    ]
    return _lines(["cells", "said", "orders", "said, mean", "right"], found)
