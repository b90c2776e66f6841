"""A baseline whose package is not installed is told in the table, and has no row in the figure."""

import numpy as np

from aiq.figures import known_baselines
from aiq.records.comparison import BaselineComparison, Ranked
from aiq.stats.ranks import rank_correlation

WHY = "problexity is not installed: pip install 'aiq[baselines]'"


def test_it_is_not_drawn():
    ours = np.arange(6.0)
    there = Ranked("domains", "complexity", "linear_error", "an error", rank_correlation(ours, ours**2))
    absent = Ranked("domains", "complexity", "f1", "an overlap", rank_correlation(ours[:0], ours[:0]))
    drawing = known_baselines(BaselineComparison((there, absent), 0.95, (WHY,)))
    (axes,) = drawing.figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["linear error"]
    assert len(drawing.table.rows) == 2
    assert WHY[1:] in drawing.caption
    assert "there are 0" not in drawing.caption
