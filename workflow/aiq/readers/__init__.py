"""Readers: results of other programs as one table of performances in [0, 1].

One file per format; which one a source is of is seen from its content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aiq.readers.base import Wanted
from aiq.readers.documents import documents
from aiq.readers.registry import FORMATS as FORMATS
from aiq.readers.registry import check_wanted
from aiq.readers.registry import sniff as sniff
from aiq.readers.scaling import Scale as Scale
from aiq.readers.scaling import read_ranges as read_ranges
from aiq.readers.scaling import to_results
from aiq.records.results import Results


def read(
    source: str | Path,
    *,
    format: str | None = None,
    metric: str | Sequence[str] = (),
    names: Sequence[str] = (),
    ranges: Mapping[str, tuple[float, float]] | str | Path | None = None,
    lower: Sequence[str] = (),
    clip: bool = False,
    missing: str = "keep",
    domains: Sequence[str] | None = None,
) -> Results:
    """Return the results in a file or folder as performances in [0, 1].

    Args:
        source: a file or folder; ``-`` is a table on standard input, and so is a pipe.
        format: its format, seen from the content by default; one of ``FORMATS``.
        metric: which metric to take where there are several, in order of preference; refused of tables.
        names: names of the tasks of arrays that have none; refused of all else.
        ranges: lowest and highest possible score by domain (``*``: all others), or a file
            ``domain,low,high[,lower_is_better]``. Ranges that a file states itself are used without.
        lower: domains on which lower is better, where the file does not say so.
        clip: cut scores to their range; otherwise one outside is refused.
        missing: what to do with missing cells: ``keep``, ``refuse``, leave out ``agents`` or ``domains`` that have
            one, or count them as ``zero``.
        domains: take these domains alone, in this order.

    Raises:
        InputError: nothing can be read, a score has no known range or is outside it, a duplicate, a metric or names
            where there is nothing to choose by them.
    """
    kind, found, aside = sniff(documents(source), format)
    metrics = (metric,) if isinstance(metric, str) else tuple(metric)
    wanted = Wanted(metrics, tuple(names))
    check_wanted(kind, wanted)
    reading = kind.load(found, wanted)
    reading.skipped = [*aside, *reading.skipped]
    stated = read_ranges(ranges) if isinstance(ranges, str | Path) else Scale(dict(ranges or {}))
    scale = replace(stated, lower=stated.lower | frozenset(lower), clip=clip)
    results = to_results(reading, scale, kind.name)
    return (results if domains is None else results.only(domains)).complete(missing)
