"""lm-evaluation-harness: ``results_*.json`` as written by ``--output_path``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from aiq.readers.base import Raw, Reading, Wanted, number, part, seconds, text
from aiq.readers.documents import Document

# metrics on a scale of their own, which the files do not state
UNBOUNDED = frozenset(
    {"perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "likelihood", "bleu", "chrf", "ter", "mse"}
)


def knows(document: Document) -> bool:
    """Say whether a file has results by task, versions and a configuration, as the harness writes them."""
    content = document.json
    return isinstance(content, Mapping) and {"results", "configs", "versions"} <= set(content)


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read one score a task and file: the metric asked for, else the first that the file has for the task.

    Groups repeat their subtasks and are skipped; so are further metrics and filters of a task.
    """
    reading = Reading()
    for document in documents:
        with reading.of(document):
            content = part(document.json)
            subtasks = part(content, "group_subtasks")
            groups = {*part(content, "groups"), *(name for name, tasks in subtasks.items() if tasks)}
            for task in part(content, "results"):
                if task in groups:
                    reading.skip(task, f"a group, its subtasks are read ({document.name})")
                else:
                    _task(reading, document, content, agent_of(content), task, wanted)
    return reading


def agent_of(content: Mapping[str, object]) -> str:
    """Return the model's name: as given, else that of its arguments, else the kind of model."""
    arguments = part(content, "config").get("model_args")
    inside = text(arguments.get("pretrained") or arguments.get("model")) if isinstance(arguments, Mapping) else ""
    if isinstance(arguments, str):
        pairs = dict(pair.split("=", 1) for pair in arguments.split(",") if "=" in pair)
        inside = pairs.get("pretrained", pairs.get("model", ""))
    named = text(content.get("model_name"))
    return named or inside or text(part(content, "config").get("model"), "unnamed model")


def _task(
    reading: Reading, document: Document, content: Mapping[str, object], agent: str, task: str, wanted: Wanted
) -> None:
    """Read one task: values are named ``metric,filter`` (older files: ``metric``), errors ``metric_stderr,filter``."""
    values = part(content, "results", task)
    there = {
        key: value
        for key, raw in values.items()
        if "_stderr" not in key and key != "sample_len" and (value := number(raw)) is not None
    }
    names = {key: key.partition(",")[0] for key in there}
    chosen = wanted.pick(list(names.values())) or next(iter(names.values()), None)
    if chosen is None:
        reading.skip(task, f"has no number ({document.name})")
        return
    key = next(key for key, name in names.items() if name == chosen)
    for other in there:
        if other != key:
            reading.skip(f"{task}: {other}", f"another metric, {key} is read; take it with --metric {names[other]}")
    name, comma, rest = key.partition(",")
    better = part(content, "higher_is_better", task).get(name, _listed(content, task, name))
    run = str(content.get("date", document.name))
    se = number(values.get(f"{name}_stderr{comma}{rest}"))
    raw = Raw(agent, task, there[key], document.name, run, math.nan if se is None else se, better is False)
    reading.add(raw._replace(metric=name, bounded=name not in UNBOUNDED, date=seconds(content.get("date"))))


def _listed(content: Mapping[str, object], task: str, metric: str) -> object:
    """Return what the task's configuration says of the direction of a metric, None where it says nothing."""
    listed = part(content, "configs", task).get("metric_list")
    for one in listed if isinstance(listed, list) else ():
        if part(one).get("metric") == metric:
            return part(one).get("higher_is_better")
    return None
