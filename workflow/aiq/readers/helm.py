"""HELM: folders of runs, each with ``run_spec.json``: scores of runs in ``stats.json``, of instances in two others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from aiq.errors import InputError
from aiq.readers.base import Raw, Reading, Wanted, listed, number, part, parts, text
from aiq.readers.documents import DamagedError, Document

USUAL = (
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
    """Read the score of a run: the metric asked for, else the first usual one, on the split test (else valid).

    Perturbed versions are skipped. The standard error is that of the mean over trials, where there is more than one.
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
    """Return the statistic to take and its name."""
    content = document.json
    if not isinstance(content, list):
        raise DamagedError(f"{document.name} is no list of statistics")
    statistics: dict[tuple[str, str], Mapping[str, Any]] = {}
    for statistic in parts(content):
        about = part(statistic, "name")
        if number(statistic.get("count")) and not about.get("perturbation"):
            statistics.setdefault((text(about.get("name")), text(about.get("split"))), statistic)
    names = list(dict.fromkeys(name for name, _ in statistics))
    chosen = wanted.pick(names, USUAL)
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
    metric = wanted.pick(names, USUAL)
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
