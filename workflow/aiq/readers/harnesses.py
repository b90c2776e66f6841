"""Harnesses: folders of runs of HELM, ``results_*.json`` and ``samples_*.jsonl`` of lm-evaluation-harness."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from aiq.errors import InputError
from aiq.readers.base import Raw, Reading, Wanted, listed, number, part, parts, seconds, text
from aiq.readers.documents import DamagedError, Document

# ---- HELM ---------------------------------------------------------------------------------------------


_HELM_USUAL = (
    *("quasi_exact_match", "exact_match", "final_number_exact_match", "math_equiv_chain_of_thought", "f1_score"),
    *("bleu_4", "rouge_2", "classification_macro_f1", "RR@10", "NDCG@10"),
)
"""HELM keeps the main metric of a scenario in its schema, not in the run; these are taken in this order."""

COMPANIONS = ("stats.json", "per_instance_stats.json", "display_predictions.json")
SPLITS = ("test", "valid")
LOWER = frozenset({"bits_per_byte", "perplexity", "logprob_per_byte", "ece_10_bin", "ece_1_bin"})
_PARTS = ("model", "model_deployment", "tokenizer")

Instance = tuple[str, str]


def run(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read the score of a run, unperturbed: the metric asked for, else the first usual one, on the split test or valid.

    The standard error is that of the mean over trials, where there is more than one.
    """
    beside = Document(document.path.with_name("stats.json"))
    reading.companions |= {str(document.path.with_name(name)) for name in COMPANIONS}
    if not beside.path.exists():
        reading.skip(str(document.path.parent), "has no stats.json: the run is not finished")
        return
    agent, task = _run_of(document)
    name, stat = _stat(beside, wanted)
    value = number(stat.get("mean"))
    if value is None:
        reading.skip(str(document.path.parent), f"{name} has no mean")
        return
    count, spread = number(stat.get("count")) or 0, number(stat.get("stddev"))
    error = math.nan if count < 2 or spread is None else spread / math.sqrt(count - 1)
    lower = name in LOWER
    reading.add(Raw(agent, task, value, beside.name, se=error, lower=lower, bounded=not lower, metric=name))


def _run_of(document: Document) -> tuple[str, str]:
    """Return the model and the test of a run: ``mmlu:subject=law,model=a_b`` is the test ``mmlu:subject=law``."""
    spec = part(document.json)
    adapter = part(spec, "adapter_spec")
    agent = text(adapter.get("model")) or text(adapter.get("model_deployment"), "unnamed model")
    scenario, _, options = text(spec.get("name"), document.path.parent.name).partition(":")
    kept = [option for option in options.split(",") if option and option.partition("=")[0] not in _PARTS]
    return agent, f"{scenario}:{','.join(kept)}" if kept else scenario


def _stat(document: Document, wanted: Wanted) -> tuple[str, Mapping[str, Any]]:
    content = document.json
    if not isinstance(content, list):
        raise DamagedError(f"{document.name} is no list of statistics")
    statistics: dict[tuple[str, str], Mapping[str, Any]] = {}
    for statistic in parts(content):
        about = part(statistic, "name")
        if number(statistic.get("count")) and not about.get("perturbation"):
            statistics.setdefault((text(about.get("name")), text(about.get("split"))), statistic)
    names = list(dict.fromkeys(name for name, _ in statistics))
    chosen = wanted.pick(names, _HELM_USUAL)
    splits = [split for split in SPLITS if (chosen, split) in statistics]
    if chosen is None or not splits:
        raise InputError(
            f"{document.name} has none of the usual metrics; name one with --metric: {', '.join(names) or 'none'}"
        )
    return chosen, statistics[chosen, splits[0]]


def instances(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read every instance of a run by one metric: the one asked for, else the first usual one; trials are tries.

    Perturbed copies are left out. ``--cluster split`` and ``--cluster sub_split`` take the split of an instance.
    """
    reading.companions |= {str(document.path.with_name(name)) for name in COMPANIONS}
    beside = [Document(document.path.with_name(name)) for name in COMPANIONS[1:]]
    there = next((companion for companion in beside if companion.path.exists()), None)
    if there is None:
        reading.skip(str(document.path.parent), "has no per_instance_stats.json: no scores of instances")
        return
    agent, task = _run_of(document)
    metrics, splits, perturbed = _instances(there)
    names = list(dict.fromkeys(name for stats in metrics.values() for name in stats))
    metric = wanted.pick(names, _HELM_USUAL)
    if metric is None:
        words = listed(names) or "none"
        raise DamagedError(f"{there.name} has none of the usual metrics; name one with --metric: {words}")
    usual = next((split for split in SPLITS if split in {s for s, _ in splits.values()}), None)
    for (item, trial), stats in metrics.items():
        split, sub = splits[item, trial]
        if metric in stats and (usual is None or split in ("", usual)):
            cluster, lower = {"split": split, "sub_split": sub}.get(wanted.cluster or "") or None, metric in LOWER
            raw = Raw(agent, task, stats[metric], there.name, lower=lower, bounded=not lower, metric=metric)
            reading.add(raw._replace(item=item, epoch=trial, cluster=cluster))
    others = [name for name in names if name != metric]
    if others:
        reading.decide(f"instances by {metric}, not {listed(others, 4)}; choose with --metric")
    if perturbed:
        reading.skip(f"{perturbed} perturbed copies of instances", f"{agent} on {task}")


def _instances(document: Document) -> tuple[dict[Instance, dict[str, float]], dict[Instance, tuple[str, str]], int]:
    """Return metrics and splits by instance and trial; one instance stands once for every class of metrics."""
    content = document.json
    if not isinstance(content, list):
        raise DamagedError(f"{document.name} is no list of instances")
    metrics: dict[Instance, dict[str, float]] = {}
    splits: dict[Instance, tuple[str, str]] = {}
    perturbed = 0
    for row in parts(content):
        if row.get("perturbation"):
            perturbed += 1
            continue
        key = (str(row.get("instance_id")), str(row.get("train_trial_index", 0)))
        of_instance = metrics.setdefault(key, {})
        splits.setdefault(key, ("", ""))
        for name, value, about in _stats(row):
            if value is not None and not about.get("perturbation"):
                of_instance.setdefault(name, value)
                if about.get("split"):
                    splits[key] = (text(about.get("split")), text(about.get("sub_split")))
    return metrics, splits, perturbed


def _stats(row: Mapping[str, object]) -> Iterator[tuple[str, float | None, Mapping[str, object]]]:
    """Yield the metrics of an instance: statistics, or plain numbers by name."""
    stats = row.get("stats")
    if isinstance(stats, Mapping):
        yield from ((str(name), number(value), {}) for name, value in stats.items())
    for stat in parts(stats):
        about = part(stat, "name")
        yield text(about.get("name")), number(stat.get("mean")), about


# ---- lm-evaluation-harness ----------------------------------------------------------------------------


_USUAL = ("acc", "exact_match", "acc_norm", "mc2", "mc1", "pass@1", "f1", "em")
_OTHER = frozenset(
    {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash"),
        *("prompt_hash", "target_hash", "doc_id_true", "schema"),
    }
)
_OLD_NAME = re.compile(r"(?:pretrained__|model__)?(?P<model>.+__[^_]+|(?<=__)[^_]+)_(?P<task>.+)")
"""Before 0.4.3: ``<arguments of the model>_<task>``, / and = of the arguments as __."""
_NAME = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d\d-\d\dT[\d\-:.]+)")

# metrics on a scale of their own, which the files do not state
UNBOUNDED = frozenset(
    {"perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "likelihood", "bleu", "chrf", "ter", "mse"}
)


def results(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read one score a task, not of groups: by the metric asked for, else the first that the file has for the task."""
    content = part(document.json)
    subtasks = part(content, "group_subtasks")
    groups = {*part(content, "groups"), *(name for name, tasks in subtasks.items() if tasks)}
    for task in part(content, "results"):
        if task in groups:
            reading.skip(task, f"a group, its subtasks are read ({document.name})")
        else:
            _task(reading, document, content, task, wanted)


def agent_of(content: Mapping[str, object]) -> str:
    """Return the model's name: as given, else that of its arguments, else the kind of model."""
    arguments = part(content, "config").get("model_args")
    inside = text(arguments.get("pretrained") or arguments.get("model")) if isinstance(arguments, Mapping) else ""
    if isinstance(arguments, str):
        pairs = dict(pair.split("=", 1) for pair in arguments.split(",") if "=" in pair)
        inside = pairs.get("pretrained", pairs.get("model", ""))
    named = text(content.get("model_name"))
    return named or inside or text(part(content, "config").get("model"), "unnamed model")


def _task(reading: Reading, document: Document, content: Mapping[str, object], task: str, wanted: Wanted) -> None:
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
    listed_ = parts(part(content, "configs", task).get("metric_list"))
    stated = next((entry.get("higher_is_better") for entry in listed_ if entry.get("metric") == name), None)
    better = part(content, "higher_is_better", task).get(name, stated)
    run = str(content.get("date", document.name))
    se = number(values.get(f"{name}_stderr{comma}{rest}"), math.nan)
    raw = Raw(agent_of(content), task, there[key], document.name, run, se, better is False, metric=name)
    reading.add(raw._replace(bounded=name not in UNBOUNDED, date=seconds(content.get("date"))))


def samples(reading: Reading, documents: Sequence[Document], wanted: Wanted) -> None:
    """Read the score of every item: by the metric asked for, else a usual one, and the first filter.

    ``--metric NAME,FILTER`` takes another filter. Items are named by ``doc_id``; where one number stands for different
    questions (by ``doc_hash``), the later ones have their hash in the name, so that they are not compared.
    """
    hashes: dict[tuple[str, str], str] = {}
    differ = 0
    for document in documents:
        with reading.of(document):
            differ += _file(reading, document, wanted, hashes)
    if differ:
        reading.decide(f"{differ} items bear the number of another question (doc_hash differs): not compared with it")


def _file(reading: Reading, document: Document, wanted: Wanted, hashes: dict[tuple[str, str], str]) -> int:
    """Read one file; return how many of its items bear the number of another question."""
    agent, task, run = _whose(document, reading)
    times: dict[str, int] = {}
    others: dict[str, None] = {}  # filters and metrics that are not read
    metric, wanted_filter, lost, differ = "", None, 0, 0
    for line, row in document.objects():
        if not isinstance(row, Mapping) or "doc_id" not in row:
            raise DamagedError(f"{document.name} line {line} is no item: it has no doc_id")
        if not metric:
            metric, wanted_filter = _choose(row, wanted, others)
        mark, value = row.get("filter"), _number(row.get(metric))
        if mark not in (None, wanted_filter):
            others[f"filter {mark}"] = None
            continue
        if value is None:
            lost += 1
            continue
        item = str(row["doc_id"])
        times[item] = times.get(item, 0) + 1
        if times[item] > 1 and wanted_filter is None:
            continue  # the second filter of a version that does not name it
        mark = text(row.get("doc_hash"))
        other = bool(mark) and hashes.setdefault((task, item), mark) != mark
        differ += other
        cluster = part(row, "doc").get(wanted.cluster) if wanted.cluster else None
        reading.add(
            Raw(
                agent, task, value, document.name, run, bounded=metric not in UNBOUNDED, metric=metric,
                date=seconds(run), item=f"{item} {mark[:8]}" if other else item, epoch=str(times[item]),
                cluster=None if cluster is None else str(cluster), line=line,
            )
        )  # fmt: skip
    if others:
        by = metric if wanted_filter is None else f"{metric},{wanted_filter}"
        reading.decide(f"{task}: {by} is read, not {listed(list(others))}; choose with --metric NAME,FILTER")
    if max(times.values(), default=0) > 1:
        words = "each is a try" if wanted_filter is not None else "the first is read: it is that of the first filter"
        reading.decide(f"{task}: items stand up to {max(times.values())} times in a file, {words}")
    if lost:
        reading.skip(task, f"{lost} items have no number as {metric or 'any metric'}")
    if not times:
        raise DamagedError(f"{document.name} holds no score of an item")
    return differ


def _choose(row: Mapping[str, object], wanted: Wanted, others: dict[str, None]) -> tuple[str, object]:
    """Return the metric and the filter of a file that are read, by a line of it; the other metrics are noted."""
    metrics, mark = row.get("metrics"), row.get("filter")
    names = [str(name) for name in metrics] if isinstance(metrics, list) else []
    names = [n for n in names or row if n not in _OTHER and _number(row.get(n)) is not None]
    asked = [name.partition(",") for name in wanted.metrics]
    usual = next((name for name in _USUAL if name in names), names[0] if names else "")
    metric, given = next(((name, rest) for name, _, rest in asked if name in names), (usual, ""))
    others |= dict.fromkeys(f"metric {name}" for name in names if name != metric)
    return metric, None if mark is None else given or mark


def _number(value: object) -> float | None:
    """Return a score: a number, true or false; None for lists and gaps."""
    if isinstance(value, bool | int | float) and math.isfinite(value):
        return float(value)
    return None


def _whose(document: Document, reading: Reading) -> tuple[str, str, str]:
    """Return model, task and date of a file, by its name, its folder and the results beside it."""
    match = _NAME.fullmatch(document.stem)
    if match is None:
        old = _OLD_NAME.fullmatch(document.stem)
        if old is None:
            return document.path.resolve().parent.name, document.stem, ""
        reading.decide(
            "names of files before version 0.4.3 hold model and test in one: cut at the first _ after the last __; "
            "where that is wrong, --rename OLD=NEW"
        )
        return old["model"], old["task"], ""
    beside = Document(document.path.with_name(f"results_{match['date']}.json"))
    agent = ""
    if beside.path.exists():
        with suppress(DamagedError):
            agent = agent_of(part(beside.json))
    day, _, time = match["date"].partition("T")  # in names of files colons are dashes
    return agent or document.path.resolve().parent.name, match["task"], f"{day}T{time.replace('-', ':')}"
