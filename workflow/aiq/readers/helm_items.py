"""HELM: the scores of instances in ``per_instance_stats.json``, or in ``display_predictions.json`` of the site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aiq.readers.base import Raw, Reading, Wanted, number, part, text
from aiq.readers.documents import DamagedError, Document
from aiq.readers.helm import COMPANIONS, LOWER, SPLITS, USUAL, run_of
from aiq.readers.sheets import listed

Instance = tuple[str, str]


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read every instance of runs by one metric: the one asked for, else the first usual one; trials are tries.

    Perturbed copies are left out. ``--cluster split`` and ``--cluster sub_split`` take the split of an instance.
    """
    reading = Reading()
    for document in documents:
        with reading.of(document):
            _run(reading, document, wanted)
    return reading


def _run(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read one run."""
    reading.companions |= {str(document.path.with_name(name)) for name in COMPANIONS}
    beside = [Document(document.path.with_name(name)) for name in COMPANIONS[1:]]
    there = next((one for one in beside if one.path.exists()), None)
    if there is None:
        reading.skip(str(document.path.parent), "has no per_instance_stats.json: no scores of instances")
        return
    agent, task = run_of(document)
    found, splits, perturbed = _instances(there)
    names = list(dict.fromkeys(name for stats in found.values() for name in stats))
    metric = wanted.pick(names, USUAL)
    if metric is None:
        words = listed(names) or "none"
        raise DamagedError(f"{there.name} has none of the usual metrics; name one with --metric: {words}")
    usual = next((split for split in SPLITS if split in {s for s, _ in splits.values()}), None)
    for (item, trial), stats in found.items():
        split, sub = splits[item, trial]
        if metric in stats and (usual is None or split in ("", usual)):
            cluster = {"split": split, "sub_split": sub}.get(wanted.cluster or "")
            raw = Raw(agent, task, stats[metric], there.name, metric=metric, item=item, epoch=trial)
            reading.add(raw._replace(lower=metric in LOWER, bounded=metric not in LOWER, cluster=cluster or None))
    others = [name for name in names if name != metric]
    if others:
        reading.decide(f"instances by {metric}, not {listed(others, 4)}; choose with --metric")
    if perturbed:
        reading.skip(f"{agent} on {task}", f"{perturbed} perturbed copies of instances")


def _instances(document: Document) -> tuple[dict[Instance, dict[str, float]], dict[Instance, tuple[str, str]], int]:
    """Return metrics and splits by instance and trial; one instance stands once for every class of metrics."""
    content = document.json
    if not isinstance(content, list):
        raise DamagedError(f"{document.name} is no list of instances")
    found: dict[Instance, dict[str, float]] = {}
    splits: dict[Instance, tuple[str, str]] = {}
    perturbed = 0
    for row in map(part, content):
        if row.get("perturbation"):
            perturbed += 1
            continue
        key = (str(row.get("instance_id")), str(row.get("train_trial_index", 0)))
        known = found.setdefault(key, {})
        splits.setdefault(key, ("", ""))
        for name, value, about in _stats(row):
            if value is not None and not about.get("perturbation"):
                known.setdefault(name, value)
                if about.get("split"):
                    splits[key] = (text(about.get("split")), text(about.get("sub_split")))
    return found, splits, perturbed


def _stats(row: Mapping[str, object]) -> Iterator[tuple[str, float | None, Mapping[str, object]]]:
    """Yield the metrics of an instance: statistics, or plain numbers by name."""
    stats = row.get("stats")
    if isinstance(stats, Mapping):
        yield from ((str(name), number(value), {}) for name, value in stats.items())
    for stat in map(part, stats if isinstance(stats, list) else ()):
        about = part(stat, "name")
        yield text(about.get("name")), number(stat.get("mean")), about
