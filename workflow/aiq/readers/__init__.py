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
from aiq.readers.registry import check_wanted, load, sniff
from aiq.readers.scaling import Scale, read_ranges, to_observations
from aiq.readers.sheets import sheet
from aiq.records.observations import Observations, Skipped


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
        document.rename = rename or {}
    metrics = (metric,) if isinstance(metric, str) else tuple(metric)
    kind, of_items, taken, aside = sniff(given, format, items)
    wanted = Wanted(metrics, tuple(names), items, cluster, tuple(columns), tuple(drop), tuple(known))
    check_wanted(kind, wanted)
    reading = load(kind, of_items, taken, wanted)
    _choose(reading, taken, kind.name, wanted, rename or {})
    _tell_aside(reading, aside, len(given))
    stated = read_ranges(ranges) if isinstance(ranges, str | Path) else Scale(dict(ranges or {}))
    scale = replace(stated, lower=stated.lower | frozenset(lower), clip=clip)
    results = to_observations(reading, scale, kind.name, "latest" if latest else keep)
    if items and not results.has_items:
        raise InputError("items are asked for, but what was read has none; leave items out")
    if cluster is not None and "cluster" not in results.frame.columns:
        raise InputError(f"cluster is {cluster!r}, but what was read has no such column or field; leave it out")
    return (results if domains is None else results.only(domains)).complete(missing)


def _choose(reading: Reading, taken: Sequence[Document], kind: str, wanted: Wanted, rename: Mapping[str, str]) -> None:
    """Keep the tests that are asked for under the names that are asked for; tell what has no score."""
    rows, (columns, drop) = reading.rows, (wanted.columns, wanted.drop)
    tests = rows.names("domain")
    if rename or columns or drop:
        headers = [name for document in taken if (table := sheet(document)) is not None for name in table.given]
        check_names({"columns": columns, "drop": drop}, [*dict.fromkeys([*tests, *headers]), *rename.values()])
        check_names({"rename": tuple(rename)}, [*dict.fromkeys([*tests, *headers, *rows.names("agent")])])
    for what, words in (("agent", "agents in rows"), ("domain", "tests in rows")):
        lost = sorted({*reading.blank[what]} - {*rows.names(what)})
        if lost:
            reading.skip(words, f"no score of {listed(lost)}")
    if kind == "table":
        means = [name for name in tests if summary(name) and name not in (*wanted.known, *columns)]
        if means and len(means) < len(tests):
            reading.decide(f"means over tests and ranks are left out (take one with --columns): {listed(means)}")
            rows.choose("domain", (), means, {})
        columns = tuple(name for name in columns if name in rows.names("domain"))
    rows.choose("domain", columns if kind != "wide" else (), drop, rename)
    rows.choose("agent", (), (), rename)


def _tell_aside(reading: Reading, aside: Sequence[Skipped], files: int) -> None:
    """List files that were left aside or are damaged, and say how many there are."""
    aside = [file for file in aside if file.name not in reading.companions]
    left = [file for file in aside if not file.reason.startswith("damaged: ")]
    if left:
        reading.decide(
            f"{len(left)} of {files} files left aside, and named among the skipped ({left[0].name}: {left[0].reason})"
        )
    reading.skipped = [*aside, *reading.skipped]
    damaged = sum(file.reason.startswith("damaged: ") for file in reading.skipped)
    if damaged:
        reading.decide(f"{damaged} of {files} files damaged: skipped, and named among the skipped")
