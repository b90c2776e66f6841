"""Readers: results of other programs as one frame of observations in [0, 1].

One file per format; which one a source is of is seen from its content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from aiq.errors import InputError
from aiq.readers.base import Reading, Wanted, listed
from aiq.readers.columns import check_names, summary
from aiq.readers.documents import Document, documents
from aiq.readers.registry import FORMATS as FORMATS
from aiq.readers.registry import check_wanted, load
from aiq.readers.registry import sniff as sniff
from aiq.readers.scaling import Scale as Scale
from aiq.readers.scaling import read_ranges as read_ranges
from aiq.readers.scaling import to_observations
from aiq.readers.several import KEEP as KEEP
from aiq.readers.sheets import sheet
from aiq.records.observations import Observations


def read(
    source: str | Path | Any,
    *,
    format: str | None = None,
    metric: str | Sequence[str] = (),
    names: Sequence[str] = (),
    items: bool = False,
    cluster: str | None = None,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
    keep: str | None = None,
    latest: bool = False,
    ranges: Mapping[str, tuple[float, float]] | str | Path | None = None,
    lower: Sequence[str] = (),
    clip: bool = False,
    missing: str = "keep",
    domains: Sequence[str] | None = None,
    known: Sequence[str] = (),
) -> Observations:
    """Return the results in a file or folder as performances in [0, 1].

    Args:
        source: a file or folder; ``-`` is a table on standard input, and so is a pipe; or a data frame, or a mapping
            of columns.
        format: its format, seen from the content by default; one of ``FORMATS``.
        metric: which metric to take where there are several, in order of preference; refused of tables.
        names: names of the tasks of arrays that have none; refused of all else.
        items: read every item's score; by default items are read where a source holds nothing else.
        cluster: the column or field of an item by which items belong together.
        columns: take these columns or tests alone.
        drop: leave these columns or tests out.
        rename: old name of a column, test or agent -> new name.
        keep: what to do with several scores of an agent on a test: ``apart`` tells agents apart by what differs
            (revision, image size), ``all`` takes them as repetitions, ``latest`` the last one by date.
        latest: the same as ``keep="latest"``.
        ranges: lowest and highest possible score by domain (``*``: all others), or a file
            ``domain,low,high[,lower_is_better]``. Ranges that a file states itself are used without.
        lower: domains on which lower is better, where the file does not say so.
        clip: cut scores to their range; otherwise one outside is refused.
        missing: what to do with missing cells: ``keep``, ``refuse``, leave out ``agents`` or ``domains`` that have
            one, or count them as ``zero``.
        domains: take these domains alone, in this order.
        known: tests whose scores lie in [0, 1], 1 is best, whatever the names of their columns say.

    Raises:
        InputError: nothing can be read, a score has no known range or is outside it, scores that cannot be told
            apart, a metric, names, items or a cluster where there are none, an unknown column.
    """
    if latest and keep not in (None, "latest"):
        raise InputError(f"latest takes one score of several, and keep is {keep!r}; give one of the two")
    given = documents(source)
    for document in given:
        document.rename = dict(rename or {})
    metrics = (metric,) if isinstance(metric, str) else tuple(metric)
    kind, of_items, found, aside = sniff(given, format, items)
    wanted = Wanted(metrics, tuple(names), items, cluster, tuple(columns), tuple(drop), tuple(known))
    check_wanted(kind, wanted)
    reading = load(kind, of_items, found, wanted)
    _check_columns(reading, found, {"columns": columns, "drop": drop}, rename or {})
    for what, word in (("agent", "agents"), ("domain", "tests")):
        lost = sorted({*reading.blank[what]} - {*reading.rows.names(what)})
        if lost:
            reading.skip(f"{word} in rows", f"no score of {listed(lost)}")
    if kind.name == "table":
        _leave_out_means(reading, {*known, *columns})
    kept = [name for name in wanted.columns if kind.name != "table" or name in reading.rows.names("domain")]
    reading.rows.choose("domain", kept if kind.name != "wide" else (), drop, rename or {})
    reading.rows.choose("agent", (), (), rename or {})
    aside = [one for one in aside if one.name not in reading.companions]
    left = [one for one in aside if not one.reason.startswith("damaged: ")]
    if left:
        reading.decide(
            f"{len(left)} of {len(given)} files left aside, and named among the skipped ({left[0].name}: "
            f"{left[0].reason})"
        )
    reading.skipped = [*aside, *reading.skipped]
    damaged = sum(one.reason.startswith("damaged: ") for one in reading.skipped)
    if damaged:
        reading.decide(f"{damaged} of {len(given)} files damaged: skipped, and named among the skipped")
    stated = read_ranges(ranges) if isinstance(ranges, str | Path) else Scale(dict(ranges or {}))
    scale = replace(stated, lower=stated.lower | frozenset(lower), clip=clip)
    results = to_observations(reading, scale, kind.name, "latest" if latest else keep)
    if items and not results.has_items:
        raise InputError("items are asked for, but what was read has none; leave items out")
    if cluster is not None and "cluster" not in results.frame.columns:
        raise InputError(f"cluster is {cluster!r}, but what was read has no such column or field; leave it out")
    return (results if domains is None else results.only(domains)).complete(missing)


def _leave_out_means(reading: Reading, asked: set[str]) -> None:
    """Leave out tests of a table with one row a result that are by their names means over tests or ranks."""
    tests = reading.rows.names("domain")
    means = [name for name in tests if summary(name) and name not in asked]
    if means and len(means) < len(tests):
        reading.decide(f"means over tests and ranks are left out (take one with --columns): {listed(means)}")
        reading.rows.choose("domain", (), means, {})


def _check_columns(
    reading: Reading, found: Sequence[Document], asked: Mapping[str, Sequence[str]], rename: Mapping[str, str]
) -> None:
    if not rename and not any(asked.values()):
        return
    headers = [name for document in found if (one := sheet(document)) is not None for name in one.given]
    tests = [*reading.rows.names("domain"), *headers]
    check_names(asked, [*dict.fromkeys(tests), *rename.values()])
    check_names({"rename": tuple(rename)}, [*dict.fromkeys([*tests, *reading.rows.names("agent")])])
