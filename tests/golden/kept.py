"""The numbers that are kept: one file of JSON per run and stage, and what is told where today's differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.runs import TRAINED, Made
from tests.golden.texts import read, written

FOLDER = Path(__file__).parent / "numbers"
WRITE = "python -m tests.golden"
NEAR = {"rtol": 1e-9, "atol": 1e-12}  # sums in another order, functions of another library of mathematics
OF_TRAININGS = {"rtol": 1e-4, "atol": 1e-7}
MAY_DIFFER = 0.1
"""On another kind of processor: how near trained numbers are, and the share of places that may be farther off.

Measured by switching instructions off (AVX2 alone, then none but SSE, with other loops of every library): of 1,500
places none changed by more than 2.2e-5 of itself (weights after 200 steps), losses by 2e-7, no performance at all. A
single answer near a tie may still fall the other way, which moves the places that follow from it.
"""
OF_OTHERS = {"learners"}  # other libraries train there, whose sums differ by 1e-7 between processors of one kind
SHOWN = 3  # places that a sentence names


def _path(run: str, stage: str) -> Path:
    return FOLDER / run / f"{stage.replace(' ', '-')}.json"


def load(run: str) -> dict[str, Made]:
    """Return stage -> what is kept of a run."""
    kept = {}
    for path in sorted((FOLDER / run).glob("*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        kept[raw["stage"]] = Made(raw["stage"], raw["versions"], read(raw["numbers"]), raw["processor"])
    return kept


def keep(run: str, stages: Sequence[Made]) -> None:
    """Write the numbers of a run and forget those of stages that it has no more."""
    paths = {_path(run, made.name): made for made in stages}
    for path in (FOLDER / run).glob("*.json"):
        if path not in paths:
            path.unlink()
    for path, made in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        head = {"stage": made.name, "versions": made.versions, "processor": made.processor}
        lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
        path.write_text("{" + ",\n".join([*lines, f'"numbers": {written(made.leaves)}']) + "}\n", encoding="utf-8")


# ---- what differs -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """What one stage makes otherwise than it did.

    Attributes:
        stage: its name.
        sentence: what differs and what to do.
        unversioned: whether numbers changed although no version was raised.
    """

    stage: str
    sentence: str
    unversioned: bool


def differences(run: str, stages: Sequence[Made], kept: Mapping[str, Made]) -> list[Difference]:
    """Return what differs, by stage in the order in which they work; nothing where all is as it was."""
    found = []
    for made in stages:
        if made.name not in kept:
            found.append(
                Difference(made.name, f"No numbers are kept of stage {made.name!r} of the run {run}: {WRITE}", False)
            )
        elif kept[made.name].versions != made.versions:
            found.append(_raised(run, made, kept[made.name]))
        else:
            found += _changed(run, made, kept[made.name])
    gone = set(kept) - {made.name for made in stages}
    return found + [
        Difference(name, f"The run {run} has no stage {name!r} any more: {WRITE}", False) for name in sorted(gone)
    ]


def _raised(run: str, made: Made, kept: Made) -> Difference:
    names = sorted(set(made.versions) | set(kept.versions))
    words = [
        f"{name!r} from {kept.versions.get(name, 'none')} to {made.versions.get(name, 'none')}"
        for name in names
        if kept.versions.get(name) != made.versions.get(name)
    ]
    return Difference(
        made.name,
        f"Stage {made.name!r} of the run {run}: the version of {', '.join(words)}. Write the numbers again: {WRITE}",
        False,
    )


def _changed(run: str, made: Made, kept: Made) -> Iterator[Difference]:
    """Yield what differs in a stage whose versions are as they were."""
    where = f"Stage {made.name!r} (version {made.versions[made.name]}) of the run {run}"
    gone = sorted(set(kept.leaves) - set(made.leaves))
    new = sorted(set(made.leaves) - set(kept.leaves))
    for places, word in ((gone, "no longer has"), (new, "now also has")):
        if places:
            yield Difference(made.name, f"{where} {word} {_listed(places)}. If that is meant: {WRITE}", False)
    common = [place for place in made.leaves if place in kept.leaves]
    another = made.processor != kept.processor
    loose = another or made.name in OF_OTHERS
    same = _near(OF_TRAININGS) if loose else _equal if made.name in TRAINED else _near(NEAR)
    changed = [place for place in common if not same(made.leaves[place], kept.leaves[place])]
    if changed and (not another or len(changed) > MAY_DIFFER * len(common)):
        words = "; ".join(_difference(place, kept.leaves[place], made.leaves[place], same) for place in changed[:SHOWN])
        more = f" (and {len(changed) - SHOWN} places more)" if len(changed) > SHOWN else ""
        note = f", far beyond what another processor ({kept.processor}) explains" if another else ""
        yield Difference(
            made.name,
            f"{where} gives other numbers under an unchanged version{note}: {words}{more}. Either that was not meant, "
            f"and the code is wrong; or raise the version of {made.name!r} (its Stage in workflow/aiq) and write the "
            f"numbers again: {WRITE}",
            True,
        )


def _listed(places: Sequence[str]) -> str:
    return ", ".join(places[:SHOWN]) + (f" and {len(places) - SHOWN} more" if len(places) > SHOWN else "")


def _equal(new: Any, old: Any) -> bool:
    """Whether two leaves are the same to the last digit."""
    if isinstance(old, np.ndarray) or isinstance(new, np.ndarray):
        if not (isinstance(old, np.ndarray) and isinstance(new, np.ndarray)):
            return False
        numeric = old.dtype.kind in "fc"
        return np.shape(new) == old.shape and np.array_equal(new, old, equal_nan=numeric)
    return new == old or (new != new and old != old)


def _near(how: Mapping[str, float]) -> Callable[[Any, Any], bool]:
    """Return whether two leaves are the same, numbers up to rounding."""

    def near(new: Any, old: Any) -> bool:
        if isinstance(old, list):
            return isinstance(new, list) and len(new) == len(old) and all(map(near, new, old))
        if isinstance(old, np.ndarray) and old.dtype.kind == "f":
            return np.shape(new) == old.shape and np.allclose(new, old, **how, equal_nan=True)
        if isinstance(old, float) and isinstance(new, int | float):
            return bool(np.isclose(new, old, **how, equal_nan=True))
        return _equal(new, old)

    return near


def _difference(place: str, old: Any, new: Any, same: Callable[[Any, Any], bool]) -> str:
    """Return place, old and new value: of an array or a column those of the first entry that differs."""
    if not isinstance(old, np.ndarray | list):
        return f"{place} was {old!r} and is {new!r}"
    before, after = np.asarray(old, dtype=object), np.asarray(new, dtype=object)
    if before.shape != after.shape:
        return f"{place} had the shape {before.shape} and has {after.shape}"
    first = next(at for at in np.ndindex(before.shape) if not same(after[at], before[at]))
    return f"{place}{list(first)} was {before[first]!r} and is {after[first]!r}"
