"""The formats, in the order in which a source is tried against them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from aiq.errors import InputError, choice
from aiq.readers import helm, inspect_logs, instances, lm_eval, program_tables, records, tables, wide_tables
from aiq.readers.base import Format, Reading, Wanted, each, listed
from aiq.readers.documents import Document
from aiq.readers.sheets import sheet
from aiq.records.observations import Skipped
from aiq.records.table import counted

METRIC, NAMES = ("metrics",), ("names",)
_LONG = each(tables.read_table, guess=True, variant="label")
_WIDE = each(wide_tables.read_wide, guess=True, variant="label")

_ALL = (
    Format(
        "timm", "result tables of timm", program_tables.knows_timm,
        each(program_tables.timm, variant="img_size", apart=True), METRIC,
    ),
    Format(
        "openrlbenchmark", "a table of mean ± deviation", program_tables.knows_table, each(program_tables.means)
    ),
    Format(
        "lm-eval", "results of lm-evaluation-harness", lm_eval.knows, each(lm_eval.results), METRIC,
        lm_eval.knows_samples, lm_eval.load_samples,
    ),
    Format(
        "inspect", "logs of Inspect", inspect_logs.knows, each(inspect_logs.log), METRIC,
        inspect_logs.knows, each(inspect_logs.samples),
    ),
    Format("helm", "runs of HELM", helm.knows, each(helm.run), METRIC, helm.knows, each(helm.instances)),
    Format("mteb", "result folders of MTEB", records.knows_mteb, records.load_mteb),
    Format("every-eval-ever", "records of Every Eval Ever", records.knows_records, each(records.records), METRIC),
    Format(
        "resolved", "lists of resolved instances", None, None, (), instances.knows_resolved, instances.load_resolved
    ),
    Format(
        "responses", "lines of responses by subject", None, None, (),
        instances.knows_responses, each(instances.responses),
    ),
    Format(
        "rliable", "score arrays of rliable", program_tables.knows_arrays, each(program_tables.arrays), NAMES
    ),
    Format("hugging-face", "Hugging Face's .eval_results", records.knows_hugging_face, each(records.hugging_face)),
    Format("table", "a table agent,domain,performance", tables.knows, _LONG, (), tables.knows, _LONG),
    Format("wide", "a table of agents × domains", wide_tables.knows, _WIDE, (), wide_tables.knows, _WIDE),
)  # fmt: skip
FORMATS: Mapping[str, Format] = MappingProxyType({one.name: one for one in _ALL})
"""Name -> format."""

_TABLES = ("table", "wide")  # what any table is, if it is nothing more special
_ITEMS = "holds scores of items; read them with --items"
_TESTS = "holds scores of whole tests; read them without --items"


def sniff(
    given: Sequence[Document], wanted: str | None = None, items: bool = False
) -> tuple[Format, bool, list[Document], list[Skipped]]:
    """Return the format of documents by their content, whether items are read, those of it, and those left aside.

    Items are read where they are asked for, and where a source holds nothing else.

    Args:
        given: the documents of one source.
        wanted: the name of a format, where a source holds several.
        items: whether scores of items are asked for.

    Raises:
        InputError: an unknown name, no format fits, or several do.
    """
    if wanted is not None and wanted not in FORMATS:
        raise InputError(choice("the format", wanted, FORMATS))
    formats = [kind for name, kind in FORMATS.items() if wanted in (None, name)]
    broken: dict[str, InputError] = {}
    for of_items in (True,) if items else (False, True):
        kinds: dict[str, list[Document]] = {}
        for document in given:
            kind = _kind(document, formats, of_items, broken, alone=len(given) == 1)
            if kind is not None:
                kinds.setdefault(kind, []).append(document)
        if kinds:
            break
    else:
        raise _unknown(given, items)
    known = [document for members in kinds.values() for document in members]
    rest: dict[str, list[Document]] = {}  # known by what was not looked for: items among tests, or tests among items
    for document in (one for one in given if one not in known and one.name not in broken):
        kind = _kind(document, formats, not of_items, broken)
        if kind is not None:
            rest.setdefault(kind, []).append(document)
    special = [name for name in kinds if name not in _TABLES] or [*kinds]
    mixed = [*dict.fromkeys([*special, *(name for name in rest if name not in (*special, *_TABLES))])]
    if len(mixed) > 1:
        raise _mixed({name: [*kinds.get(name, ()), *rest.get(name, ())] for name in mixed})
    taken = kinds.pop(special[0])
    others = {id(document): name for name, members in kinds.items() for document in members}
    same = {id(document) for members in rest.values() for document in members}
    aside = []
    for document in (one for one in given if one not in taken):
        reason = "of no known format" if wanted is None else f"not of the format {wanted}"
        if document.name in broken:
            reason = f"damaged: {broken[document.name]}"
        elif id(document) in others:
            reason = f"of the format {others[id(document)]}, not {special[0]}; choose with --format"
        elif id(document) in same:
            reason = _TESTS if of_items else _ITEMS
        aside.append(Skipped(document.name, reason))
    return FORMATS[special[0]], of_items, taken, aside


def _mixed(found: Mapping[str, Sequence[Document]]) -> InputError:
    """Return the refusal of a source of several formats: their numbers would be put together by nobody's choice."""
    words = [f"{name} ({counted(len(files), 'file')}, {files[0].name} the first)" for name, files in found.items()]
    return InputError(
        f"the source holds files of the formats {' and '.join([', '.join(words[:-1]), words[-1]])}; choose one with "
        f"--format {'|'.join(found)}, or read each folder by itself"
    )


def _kind(
    document: Document, formats: Sequence[Format], items: bool, broken: dict[str, InputError], alone: bool = False
) -> str | None:
    """Return the name of the format of a document, None where it is of none or cannot be read."""
    if document.name in broken:
        return None
    try:
        for one in formats:
            knows: Callable[[Document], bool] | None = one.knows_items if items else one.knows
            if knows is not None and knows(document):
                return one.name
    except InputError as error:
        if alone:
            raise
        broken[document.name] = error
    return None


def _unknown(given: Sequence[Document], items: bool) -> InputError:
    """Return the refusal of a source of no known format."""
    if len(given) == 1:
        table = sheet(given[0])
        if table is not None and len(table.header) > 1 and not items:
            return InputError(wide_tables.no_agents(table))
        if (table is not None and not table.header) or (given[0].path.is_file() and not given[0].path.stat().st_size):
            return InputError(f"{given[0].name} is empty; give a file with results")
    what = given[0].name if len(given) == 1 else f"none of {len(given)} files, {given[0].name} the first,"
    kinds = [one for one in FORMATS.values() if not items or one.knows_items is not None]
    words = "holds scores of items of a known format" if items else "is of no known format"
    return InputError(f"{what} {words}; known are {', '.join(f'{one.name} ({one.words})' for one in kinds)}")


def load(kind: Format, items: bool, documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read documents of one format.

    Raises:
        DamagedError: nothing could be read, and a file is damaged.
        InputError: what is in them cannot be used.
    """
    reader = kind.load_items if items else kind.load
    assert reader is not None
    reading = reader(documents, wanted)
    reading.flush()
    if not len(reading.rows) and reading.damaged:
        raise reading.damaged[0]
    asked = {part for name in wanted.metrics for part in (name, name.partition(",")[0], name.partition("/")[0])}
    there = reading.rows.names("metric")
    if asked and there and not asked & {*there, *(name.rpartition("/")[2] for name in there)}:
        raise InputError(f"metric is {listed(wanted.metrics)}, and no result is by it; there are {listed(there)}")
    return reading


def check_wanted(kind: Format, wanted: Wanted) -> None:
    """Refuse choices that mean nothing to a format.

    Raises:
        InputError: a metric or names are given, which would be ignored.
    """
    for what, option, given in (("metrics", "metric", wanted.metrics), ("names", "names", wanted.names)):
        if given and what not in kind.takes:
            known = ", ".join(one.name for one in FORMATS.values() if what in one.takes)
            raise InputError(
                f"{option} is {', '.join(given)}, but {kind.words} has nothing to choose by it; leave it out, it is "
                f"for the formats {known}"
            )
