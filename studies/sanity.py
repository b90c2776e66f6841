"""The sanity suite: what a default must withstand, on real data that ship with scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from studies import sanity_lines as lines
from studies import sanity_spaces as spaces
from studies import sanity_suite as suite
from studies.cells import Cells, Row
from studies.sanity_lines import Pools

LARGER = ("digits at 12x12", "digits at 16x16", "digits padded to 256", "breast-cancer padded to 256")
LABELS = ("four classes", "one label", "30 % labels random", "25 % pixels random")


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return a row a number: its line, its interval, and whether it passed.

    Args:
        quick: short trainings of small pools and few mixtures, without lines e, f and g.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    rows: list[Row] = []
    for name, work in (quick_parts() if quick else full_parts()).items():
        rows += cells.of({"part": name}, lambda work=work: list(work()))  # type: ignore[misc]
    return rows


def quick_parts() -> dict[str, Callable[[], Iterator[Row]]]:
    """Return the parts of the quick study."""
    pools = Pools(quick=True)
    return {
        "a upscaled": lambda: lines.upscaled(pools, LARGER[1:2]),
        "b labels": lambda: lines.labels(pools, LABELS[1:3]),
        "d order": lambda: lines.known_order(suite.QUICK, (), ("wine",)),
    }


def full_parts() -> dict[str, Callable[[], Iterator[Row]]]:
    """Return all parts."""
    pools = Pools(quick=False)
    return {
        "a upscaled": lambda: lines.upscaled(pools, LARGER),
        "b labels": lambda: lines.labels(pools, LABELS),
        "c duplicated, complexity": lambda: lines.duplicated(pools),
        "c duplicated, dissimilarity": lines.duplicated_pairs,
        "d order": lambda: lines.known_order(suite.BASE, suite.RELATED, suite.UNRELATED),
        "e complexity": lambda: lines.grown(pools),
        "e dissimilarity": lines.moved_pairs,
        "f copies": spaces.copies,
        "g pool sizes": lines.pool_sizes,
    }
