"""The public table of the suite's similarities, and how it lies in the noise of the simulated recipe.

The table is the authors' file ``dev/formatter/old_code/nice results.csv``, all tests (2019). That it is the paper's
Fig. 5, which is a picture without numbers, is inferred: the same ten tests, half of the diagonal is 1, both pairs that
the text names are 1, the lower triangle is empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from aiq.errors import InputError
from aiq.records.table import Cell, Table
from aiq.wings.similarity2020.gym2020.published import Pair
from aiq.wings.similarity2020.gym2020.suite import SUITE
from aiq.wings.similarity2020.gym2020.tables import Floats

_ROWS = (
    (1, 1, 0.13, 0.03, 0.55, 0.50, 0.82, 0.39, 0.10, 0.20),
    (1, 0.05, 0.02, 0.50, 0.14, 0.58, 0.56, 0.20, 0.21),
    (0.5, 0.10, 0.30, 0.09, 0.30, 0.10, 0.23, 0.03),
    (0.5, 0.40, 0.30, 0.11, 0.19, 0.16, 0.28),
    (1, 0.25, 1, 1, 0.31, 0.27),
    (1, 0.20, 0.37, 0.25, 0.25),
    (1, 1, 0.80, 1),
    (0.5, 0.00, 0.16),
    (0.28, 0.33),
    (0.85,),
)
_NAMES = tuple(SUITE)
PRINTED: Mapping[Pair, float] = MappingProxyType(
    {(_NAMES[i], _NAMES[i + j]): float(value) for i, row in enumerate(_ROWS) for j, value in enumerate(row)}
)
_HALF_DIGIT = 0.005


def comparison(simulated: Mapping[Pair, Floats], confidence: float = 0.95) -> Table:
    """Return one row a pair: the printed |S| beside the simulated ones.

    ``below`` and ``above`` are the shares of the runs at or below, and at or above, the printed value as it was
    rounded; ``outside`` where the smaller of the two is under (1 - confidence) / 2.

    Args:
        simulated: what ``heat_map`` returned.
        confidence: of the range ``low`` to ``high``, quantiles of the runs.

    Raises:
        InputError: a pair that the table does not have, or the confidence is outside (0, 1).
    """
    if not 0 < confidence < 1:
        raise InputError(f"the confidence is {confidence:g}; it must lie strictly between 0 and 1")
    tail = (1 - confidence) / 2
    rows: list[tuple[Cell, ...]] = []
    for pair, sizes in simulated.items():
        if pair not in PRINTED:
            raise InputError(f"the printed table has no pair {pair[0]}, {pair[1]}; give pairs of {', '.join(_NAMES)}")
        printed = PRINTED[pair]
        low, high = (float(end) for end in np.quantile(sizes, [tail, 1 - tail]))
        below, above = (
            float(np.mean(side)) for side in (sizes <= printed + _HALF_DIGIT, sizes >= printed - _HALF_DIGIT)
        )
        rows.append((*pair, printed, float(sizes.mean()), low, high, below, above, bool(min(below, above) < tail)))
    columns = ("a", "b", "printed", "mean", "low", "high", "below", "above", "outside")
    return Table.of(columns, rows)
