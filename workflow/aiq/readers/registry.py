"""The formats, in the order in which a source is tried against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from aiq.errors import InputError, choice
from aiq.readers import every_eval_ever, helm, hugging_face, inspect_logs, lm_eval, score_arrays, tables
from aiq.readers.base import Format, Wanted
from aiq.readers.documents import Document
from aiq.records.results import Skipped

METRIC, NAMES = ("metrics",), ("names",)

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        one.name: one
        for one in (
            Format("table", "a table agent,domain,performance", tables.knows_long, tables.load_long),
            Format("wide", "a table of agents × domains", tables.knows_wide, tables.load_wide),
            Format("openrlbenchmark", "a table of mean ± deviation", score_arrays.knows_table, score_arrays.load_table),
            Format("lm-eval", "results of lm-evaluation-harness", lm_eval.knows, lm_eval.load, METRIC),
            Format("inspect", "logs of Inspect", inspect_logs.knows, inspect_logs.load, METRIC),
            Format("helm", "runs of HELM", helm.knows, helm.load, METRIC),
            Format(
                "every-eval-ever", "records of Every Eval Ever", every_eval_ever.knows, every_eval_ever.load, METRIC
            ),
            Format("rliable", "score arrays of rliable", score_arrays.knows_arrays, score_arrays.load_arrays, NAMES),
            Format("hugging-face", "Hugging Face's .eval_results", hugging_face.knows, hugging_face.load),
        )
    }
)


def sniff(found: Sequence[Document], wanted: str | None = None) -> tuple[Format, list[Document], list[Skipped]]:
    """Return the format of documents by their content, those that are of it, and those left aside.

    Args:
        found: the documents of one source.
        wanted: the name of a format, where a source holds several.

    Raises:
        InputError: an unknown name, no format fits, or several do.
    """
    if wanted is not None and wanted not in FORMATS:
        raise InputError(choice("the format", wanted, FORMATS))
    kinds: dict[str, list[Document]] = {}
    aside: list[Skipped] = []
    for document in found:
        try:
            kind = next((f.name for f in FORMATS.values() if wanted in (None, f.name) and f.knows(document)), None)
        except InputError as error:
            if len(found) == 1:
                raise
            aside.append(Skipped(document.name, str(error)))
            continue
        if kind is None:
            aside.append(Skipped(document.name, "of no known format"))
        else:
            kinds.setdefault(kind, []).append(document)
    if not kinds:
        what = found[0].name if len(found) == 1 else f"none of {len(found)} files, {found[0].name} the first,"
        known = ", ".join(f"{f.name} ({f.words})" for f in FORMATS.values())
        raise InputError(f"{what} is of no known format; known are {known}")
    if len(kinds) > 1:
        raise InputError(f"the source holds files of the formats {', '.join(kinds)}; choose one with --format")
    (kind, documents), *_ = kinds.items()
    return FORMATS[kind], documents, aside


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
