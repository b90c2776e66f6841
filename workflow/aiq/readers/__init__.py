"""Readers: results of other programs as one frame of observations in [0, 1].

Which format a source is of is seen from its content; formats stand in the order in which a source is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from aiq.errors import InputError, choice
from aiq.readers import harnesses, logs, records, tables, wide_tables
from aiq.readers.base import Reading, Wanted, listed
from aiq.readers.columns import check_names, summary
from aiq.readers.documents import Document, documents
from aiq.readers.scaling import Scale, read_ranges, to_observations
from aiq.readers.sheets import sheet
from aiq.records.observations import Observations, Skipped
from aiq.records.table import counted


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


# ---- Formats ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reader:
    """How a document is known by its content, and how it is read; ``whole``: all documents at once."""

    knows: Callable[[Document], bool]
    read: Callable[[Reading, Any, Wanted], None]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """One format: readers of tests and of items (None: none), choices it ``takes``, ``how`` its ``Reading`` is set."""

    name: str
    words: str
    tests: Reader | None
    items: Reader | None = None
    takes: tuple[str, ...] = ()
    how: Mapping[str, Any] = field(default_factory=dict)


def _has(*keys: str) -> Callable[[Document], bool]:
    """Return whether a document is a JSON object with some keys."""
    return lambda document: isinstance(document.json, Mapping) and {*keys} <= {*document.json}


def _is_inspect(document: Document) -> bool:
    return document.suffix == ".eval" or _has("version", "status", "eval")(document)


def _is_helm(document: Document) -> bool:
    return document.path.name == "run_spec.json" and _has("name", "adapter_spec")(document)


def _is_mteb(document: Document) -> bool:
    return _has("task_name", "scores")(document) or _has("mteb_dataset_name", "mteb_version")(document)


def _samples(document: Document) -> bool:
    first = document.first
    return isinstance(first, Mapping) and "doc_id" in first and bool({"resps", "filtered_resps"} & {*first})


def _responses(document: Document) -> bool:
    return isinstance(document.first, Mapping) and {"subject_id", "responses"} <= {*document.first}


_METRIC = ("metrics",)
_GUESS = {"guess": True, "variant": "label"}
_LONG, _WIDE = Reader(tables.knows, tables.read_table), Reader(wide_tables.knows, wide_tables.read_wide)
_EVERY = _has("schema_version", "model_info", "evaluation_results")
_ALL = (
    Format("timm", "result tables of timm", Reader(wide_tables.knows_timm, wide_tables.timm), None, _METRIC,
           {"variant": "img_size", "apart": True}),
    Format("openrlbenchmark", "a table of mean ± deviation", Reader(wide_tables.knows_means, wide_tables.means)),
    Format("lm-eval", "results of lm-evaluation-harness",
           Reader(_has("results", "configs", "versions"), harnesses.results),
           Reader(_samples, harnesses.samples, whole=True), _METRIC),
    Format("inspect", "logs of Inspect", Reader(_is_inspect, logs.log), Reader(_is_inspect, logs.samples), _METRIC),
    Format("helm", "runs of HELM", Reader(_is_helm, harnesses.run), Reader(_is_helm, harnesses.instances), _METRIC),
    Format("mteb", "result folders of MTEB", Reader(_is_mteb, records.mteb, whole=True),
           how={"variant": "revision", "guess": True, "lenient": True}),
    Format("every-eval-ever", "records of Every Eval Ever", Reader(_EVERY, records.records), None, _METRIC),
    Format("resolved", "lists of resolved instances", None, Reader(logs.knows_resolved, logs.resolved, whole=True)),
    Format("responses", "lines of responses by subject", None, Reader(_responses, logs.responses)),
    Format("rliable", "score arrays of rliable", Reader(records.knows_arrays, records.arrays), None, ("names",)),
    Format("hugging-face", "Hugging Face's .eval_results",
           Reader(records.knows_hugging_face, records.hugging_face)),
    Format("table", "a table agent,domain,performance", _LONG, _LONG, how=_GUESS),
    Format("wide", "a table of agents × domains", _WIDE, _WIDE, how=_GUESS),
)  # fmt: skip
FORMATS: Mapping[str, Format] = MappingProxyType({form.name: form for form in _ALL})  # name -> format

_TABLES = ("table", "wide")  # what any table is, if it is nothing more special
_OTHERS = {
    False: "holds scores of items; read them with --items",
    True: "holds scores of whole tests; read them without --items",
}


def sniff(
    given: Sequence[Document], wanted: str | None = None, items: bool = False
) -> tuple[Format, bool, list[Document], list[Skipped]]:
    """Return the format of documents by their content, whether items are read, those of it, and those left aside.

    Items are read where they are asked for, and where a source holds nothing else. ``wanted``: the name of a format.
    """
    if wanted is not None and wanted not in FORMATS:
        raise InputError(choice("the format", wanted, FORMATS))
    formats = list(FORMATS.values()) if wanted is None else [FORMATS[wanted]]
    broken: dict[Document, InputError] = {}
    kinds: dict[str, list[Document]] = {}
    of_items = items
    for of_items in (True,) if items else (False, True):
        kinds = _by_format(given, formats, of_items, broken, alone=len(given) == 1)
        if kinds:
            break
    else:
        raise _unknown(given, items)
    matched = {document for members in kinds.values() for document in members}
    unknown = [document for document in given if document not in matched]
    rest = _by_format(unknown, formats, not of_items, broken)  # items among tests, or tests among items
    special = [name for name in kinds if name not in _TABLES] or [*kinds]
    mixed = dict.fromkeys([*special, *(name for name in rest if name not in _TABLES)])
    if len(mixed) > 1:
        raise _mixed({name: [*kinds.get(name, ()), *rest.get(name, ())] for name in mixed})
    taken = kinds.pop(special[0])
    words = "of no known format" if wanted is None else f"not of the format {wanted}"
    why = dict.fromkeys(unknown, words)
    for name, members in kinds.items():
        why |= dict.fromkeys(members, f"of the format {name}, not {special[0]}; choose with --format")
    for members in rest.values():
        why |= dict.fromkeys(members, _OTHERS[of_items])
    why |= {document: f"damaged: {error}" for document, error in broken.items()}
    return FORMATS[special[0]], of_items, taken, [Skipped(file.name, why[file]) for file in given if file in why]


def _by_format(
    given: Iterable[Document], formats: Sequence[Format], items: bool, broken: dict[Document, InputError],
    alone: bool = False,
) -> dict[str, list[Document]]:  # fmt: skip
    """Return documents by the names of their formats; those that cannot be read are noted as broken."""
    kinds: dict[str, list[Document]] = {}
    readers = {kind.name: reader for kind in formats if (reader := kind.items if items else kind.tests) is not None}
    for document in (document for document in given if document not in broken):
        try:
            kind = next((name for name, reader in readers.items() if reader.knows(document)), None)
        except InputError as error:
            if alone:
                raise
            broken[document] = error
            continue
        if kind is not None:
            kinds.setdefault(kind, []).append(document)
    return kinds


def _mixed(kinds: Mapping[str, Sequence[Document]]) -> InputError:
    """Return the refusal of a source of several formats: their numbers would be put together by nobody's choice."""
    words = [f"{name} ({counted(len(files), 'file')}, {files[0].name} the first)" for name, files in kinds.items()]
    return InputError(
        f"the source holds files of the formats {', '.join(words[:-1])} and {words[-1]}; choose one with "
        f"--format {'|'.join(kinds)}, or read each folder by itself"
    )


def _unknown(given: Sequence[Document], items: bool) -> InputError:
    first = given[0]
    if len(given) == 1:
        table = sheet(first)
        if table is not None and len(table.header) > 1 and not items:
            return InputError(wide_tables.no_agents(table))
        if (table is not None and not table.header) or (first.path.is_file() and not first.path.stat().st_size):
            return InputError(f"{first.name} is empty; give a file with results")
    what = first.name if len(given) == 1 else f"none of {len(given)} files, {first.name} the first,"
    kinds = [kind for kind in FORMATS.values() if not items or kind.items is not None]
    words = "holds scores of items of a known format" if items else "is of no known format"
    return InputError(f"{what} {words}; known are {', '.join(f'{kind.name} ({kind.words})' for kind in kinds)}")


def load(kind: Format, items: bool, documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read documents of one format."""
    reader = kind.items if items else kind.tests
    assert reader is not None
    reading = Reading(**kind.how, files=len(documents))
    if reader.whole:
        reader.read(reading, documents, wanted)
    else:
        for document in documents:
            with reading.of(document):
                reader.read(reading, document, wanted)
    reading.flush()
    if not len(reading.rows) and reading.damaged:
        raise reading.damaged[0]
    asked = {part for name in wanted.metrics for part in (name, name.partition(",")[0], name.partition("/")[0])}
    there = reading.rows.names("metric")
    if asked and there and not asked & {*there, *(name.rpartition("/")[2] for name in there)}:
        raise InputError(f"metric is {listed(wanted.metrics)}, and no result is by it; there are {listed(there)}")
    return reading


def check_wanted(kind: Format, wanted: Wanted) -> None:
    """Refuse choices that mean nothing to a format."""
    for what, option, given in (("metrics", "metric", wanted.metrics), ("names", "names", wanted.names)):
        if given and what not in kind.takes:
            formats = ", ".join(form.name for form in FORMATS.values() if what in form.takes)
            raise InputError(
                f"{option} is {', '.join(given)}, but {kind.words} has nothing to choose by it; leave it out, it is "
                f"for the formats {formats}"
            )
