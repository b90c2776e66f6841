"""The formats, in the order in which a source is tried against them; modules of other programs are imported late."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

from aiq.errors import InputError, choice
from aiq.readers import tables, wide_tables
from aiq.readers.base import Reading, Wanted, listed
from aiq.readers.documents import Document
from aiq.readers.sheets import sheet
from aiq.records.observations import Skipped
from aiq.records.table import counted


@dataclass(frozen=True, slots=True)
class Reader:
    """How a document is known by its content, and how it is read.

    ``read`` is a function of a reading, a document and what is wanted, or the name of one, after its module. ``whole``
    is true where it takes all documents at once.
    """

    knows: Callable[[Document], bool]
    read: Callable[[Reading, Any, Wanted], None] | str
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """One format: the readers of scores of tests and of items, None where it has none of either.

    ``takes`` are the choices of ``Wanted`` that mean something to it, ``how`` are settings of its ``Reading``.
    """

    name: str
    words: str
    tests: Reader | None
    items: Reader | None = None
    takes: tuple[str, ...] = ()
    how: Mapping[str, Any] = field(default_factory=dict)


def _late(name: str, *ends: str) -> Callable[[Document], bool]:
    """Return a function that is imported once a document ends so that it may say yes."""
    return lambda document: document.suffix in ends and bool(_function(name)(document))


def _function(name: str) -> Any:
    module, _, function = name.partition(".")
    return getattr(import_module(f"aiq.readers.{module}"), function)


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


METRIC = ("metrics",)
_GUESS = {"guess": True, "variant": "label"}
_LONG, _WIDE = Reader(tables.knows, tables.read_table), Reader(wide_tables.knows, wide_tables.read_wide)
_ALL = (
    Format(
        "timm", "result tables of timm", Reader(wide_tables.knows_timm, wide_tables.timm), None, METRIC,
        {"variant": "img_size", "apart": True},
    ),
    Format(
        "openrlbenchmark", "a table of mean ± deviation", Reader(wide_tables.knows_means, wide_tables.means)
    ),
    Format(
        "lm-eval", "results of lm-evaluation-harness",
        Reader(_has("results", "configs", "versions"), "lm_eval.results"),
        Reader(_samples, "lm_eval.samples", whole=True), METRIC,
    ),
    Format(
        "inspect", "logs of Inspect", Reader(_is_inspect, "inspect_logs.log"),
        Reader(_is_inspect, "inspect_logs.samples"), METRIC,
    ),
    Format("helm", "runs of HELM", Reader(_is_helm, "helm.run"), Reader(_is_helm, "helm.instances"), METRIC),
    Format(
        "mteb", "result folders of MTEB", Reader(_is_mteb, "records.mteb", whole=True), None, (),
        {"variant": "revision", "guess": True, "lenient": True},
    ),
    Format(
        "every-eval-ever", "records of Every Eval Ever",
        Reader(_has("schema_version", "model_info", "evaluation_results"), "records.records"), None, METRIC,
    ),
    Format(
        "resolved", "lists of resolved instances", None,
        Reader(_late("instances.knows_resolved", ".json"), "instances.resolved", whole=True),
    ),
    Format("responses", "lines of responses by subject", None, Reader(_responses, "instances.responses")),
    Format(
        "rliable", "score arrays of rliable",
        Reader(_late("arrays.knows", ".npz", ".npy", ".json"), "arrays.arrays"), None, ("names",),
    ),
    Format(
        "hugging-face", "Hugging Face's .eval_results",
        Reader(_late("records.knows_hugging_face", ".yaml", ".yml"), "records.hugging_face"),
    ),
    Format("table", "a table agent,domain,performance", _LONG, _LONG, (), _GUESS),
    Format("wide", "a table of agents × domains", _WIDE, _WIDE, (), _GUESS),
)  # fmt: skip
FORMATS: Mapping[str, Format] = MappingProxyType({form.name: form for form in _ALL})
"""Name -> format."""

_TABLES = ("table", "wide")  # what any table is, if it is nothing more special
_OTHERS = {
    False: "holds scores of items; read them with --items",
    True: "holds scores of whole tests; read them without --items",
}


def sniff(
    given: Sequence[Document], wanted: str | None = None, items: bool = False
) -> tuple[Format, bool, list[Document], list[Skipped]]:
    """Return the format of documents by their content, whether items are read, those of it, and those left aside.

    Items are read where they are asked for, and where a source holds nothing else. ``wanted``: the name of a format,
    where a source holds several.
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
    """Return the refusal of a source of no known format."""
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
    """Read documents of one format.

    Raises:
        DamagedError: nothing could be read, and a file is damaged.
        InputError: what is in them cannot be used.
    """
    reader = kind.items if items else kind.tests
    assert reader is not None
    read = _function(reader.read) if isinstance(reader.read, str) else reader.read
    reading = Reading(**kind.how, files=len(documents))
    if reader.whole:
        read(reading, documents, wanted)
    else:
        for document in documents:
            with reading.of(document):
                read(reading, document, wanted)
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
