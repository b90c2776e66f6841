"""Rank correlations with the baselines that people know, as a table for people."""

from __future__ import annotations

import math

from aiq.records.known_baselines import BaselineComparison
from aiq.records.table import Shown


def known_baselines(found: BaselineComparison, run: str) -> Shown:
    """Return one row per number of ours and baseline, and what limits them."""
    rows = tuple(
        (
            one.ours.replace("_", " "),
            one.baseline.replace("_", " "),
            None if math.isnan(one.found.spearman) else one.found.spearman,
            one.found.spearman_interval,
            None if math.isnan(one.found.kendall) else one.found.kendall,
            one.found.kendall_interval,
            one.found.domains,
            one.found.note or one.meaning,
        )
        for one in found.rows
    )
    columns = ("ours", "baseline", "Spearman's ρ", "interval", "Kendall's τ", "interval of τ", "domains", "baseline is")
    title = f"{run}: rank correlations with known baselines, {found.confidence:.0%} intervals"
    return Shown(title, columns, rows, found.notes)
