"""What the verbs print of analyses: comparison, sensitivity, variance, precision, known baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan

from aiq.plans.cost import LEARNER_SECONDS
from aiq.records.comparison import BaselineComparison
from aiq.records.estimate import Estimate
from aiq.records.explain import LEARNERS, Change, Compared, Comparison, Sensitivity, Tried
from aiq.records.quotient import THE_HEADLINE
from aiq.records.table import Display, warned
from aiq.records.variance import ALL, GROWN, Advice, Rounds, Variances, mean_half

PAIRED = "paired: over the same policies; independent: over policies of their own; identical: the same trainings"


def comparison(result: Comparison) -> list[Display]:
    """Return a table of settings, complexities, dissimilarities, dimensions and agents each; sentences with the last.

    Every number stands beside those of the other runs, then how far the later runs are from the first.
    """
    tables = []
    if result.settings:
        rows = tuple((name, *(None if v is None else str(v) for v in vs)) for name, vs in result.settings.items())
        tables.append(Display("settings that differ", ("setting", *result.runs), rows))
    tables.append(_numbers("complexity", "domain", result, result.complexity))
    tables.append(_numbers("dissimilarity, signed", "pair", result, result.dissimilarity))
    tables.append(_dimensions(result))
    if result.agents:
        tables.append(_numbers("AIQ per dimension", "agent", result, result.agents))
    return [*tables[:-1], replace(tables[-1], sentences=_sentences(result))]


def _numbers(title: str, what: str, result: Comparison, compared: Sequence[Compared]) -> Display:
    percent, later = f"{result.confidence:.0%}", result.runs[1:]
    columns = [what, *result.runs]
    for run in later:
        columns += [f"{run} − {result.runs[0]}" if len(later) > 1 else "difference", percent, "how"]
    rows = []
    for row in compared:
        cells: list[object] = [" – ".join(row.name), *(_value(row, place) for place in range(len(result.runs)))]
        for difference in row.differences:
            e = difference.estimate
            cells += [None if e is None else e.value, None if e is None else e.interval, difference.pairing or None]
        rows.append(tuple(cells))
    return Display(title, tuple(columns), tuple(rows))


def _value(row: Compared, place: int) -> object:
    estimate = row.values[place]
    if estimate is None:
        return None
    rank = row.ranks[place] if row.ranks else None
    return estimate.value if rank is None else f"{estimate.value:.4g} ({rank}.)"


def _dimensions(result: Comparison) -> Display:
    cells = []
    for space in result.dimensions:
        likely = space.probabilities.get(space.kept)
        cells.append(str(space.kept) if likely is None else f"{space.kept} (probability {likely:.2f})")
    return Display("", ("", *result.runs), (("dimensions", *cells),))


def _sentences(result: Comparison) -> tuple[str, ...]:
    """Return the order of the agents of each run, what the columns mean, and the warnings."""
    orders = [f"{run}: {' > '.join(order)}" for run, order in zip(result.runs, result.orders, strict=True) if order]
    every = [d.estimate for row in (*result.complexity, *result.dissimilarity, *result.agents) for d in row.differences]
    many = sum(estimate is not None and estimate.interval is not None for estimate in every)
    missed = many * (1 - result.confidence)
    chance = f"{many} intervals are shown; were nothing different, about {missed:.0f} of them would still miss 0"
    return (*orders, PAIRED, *([chance] if many >= 20 else []), *warned(result.warnings))


ALONE = (
    "each choice is changed alone: two that are harmless apart may move the numbers together; complexities and "
    "dissimilarities are divided by the largest of their run; ρ is Spearman's rank correlation with the run"
)


def sensitivity(result: Sensitivity) -> list[Display]:
    """Return a table of the choices with numbers, one of those that need trainings, and one of what was refused."""
    tables = [
        Display(
            f"what moves in {result.run} ({result.dimensions} dimensions; {' > '.join(result.order) or 'no agents'})",
            ("choice", "here", "complexity: change, ρ", "dissimilarity: change, ρ", "dimensions",
             "headline: change", "outside", "AIQ per dimension: change", "order"),
            tuple(_row(tried) for tried in result.computed),
            (*_robust(result), *([result.incomparable] if result.incomparable else []), ALONE),
        )
    ]  # fmt: skip
    waiting = [tried for tried in result.tried if tried.kind == "untrained"]
    if waiting:
        rows = tuple((_named(tried), tried.usual, tried.core_hours) for tried in waiting)
        said = ["aiq sensitivity CONFIG --train CHOICE trains one of these as a run of its own; then it stands above"]
        if any(tried.choice == LEARNERS and tried.value != "null" for tried in waiting):
            what = f"what a learner takes is not known before, so {LEARNER_SECONDS:g} s count for each training"
            said.append(f"{LEARNERS}: {what}")
        tables.append(Display("needs trainings", ("choice", "here", "core-hours (model)"), rows, tuple(said)))
    refused = [tried for tried in result.tried if tried.kind == "refused"]
    if refused:
        rows = tuple((_named(tried), tried.reason) for tried in refused)
        tables.append(Display("does not apply", ("choice", "why"), rows))
    return tables


def _row(tried: Tried) -> tuple[object, ...]:
    outside = None if tried.agents is None or tried.agents.outside is None else "{} of {}".format(*tried.agents.outside)
    order = None if tried.same_order is None else "same" if tried.same_order else " > ".join(tried.order)
    return (
        _named(tried), tried.usual, _change(tried.complexity), _change(tried.dissimilarity), tried.dimensions,
        _largest(tried.agents), outside, _largest(tried.volume), order,
    )  # fmt: skip


def _largest(change: Change | None) -> str | None:
    """Return the largest change and whose it is; with the other value there may be nothing to compare."""
    if change is None:
        return None
    return "none to compare" if isnan(change.largest) else f"{change.largest:.3f} {change.name}"


def _named(tried: Tried) -> str:
    return f"{tried.choice} = {tried.value}"


def _change(change: Change | None) -> str | None:
    if change is None:
        return None
    if change.largest == 0:
        return "0"
    rank = "–" if change.rank is None else f"{change.rank:.2f}"
    return f"{change.largest:.2f} {change.name}, {rank}"


def _robust(result: Sensitivity) -> tuple[str, ...]:
    judged = [tried for tried in result.computed if tried.agents is not None]
    if not judged:
        return ()
    kept = sum(bool(tried.same_order) for tried in judged)
    sentences = [f"{kept} of {len(judged)} other values keep the order of the agents"]
    with_interval = [tried for tried in judged if tried.agents is not None and tried.agents.outside is not None]
    if with_interval:
        out = [tried for tried in with_interval if tried.agents.outside[0]]
        named = f": {', '.join(_named(tried) for tried in out)}" if out else ""
        sentences.append(f"{len(out)} move an agent out of its {result.confidence:.0%} interval{named}")
    return tuple(sentences)


GONE = (
    "what goes of an interval's squared half-width when that source alone is known exactly; these need not add up "
    "to 1, since sources act together"
)
OF_VOLUME = (
    "; the noise that dimensions are judged by goes too, so that more of them may be kept, which is another estimate; "
    "below 0: intervals are wider once it is held"
)
TOLD = "predicted: doubling halves what a source adds; a rough guess (predicted against seen: docs/runs/sensitivity.md)"


def variance(result: Variances) -> list[Display]:
    """Return a table of shares by agent, one of each source alone where that is known, and one of what to do next."""
    tables = [_shares(result)]
    if any(agent.without for agent in result.agents):
        tables.append(_alone(result))
    return [*tables, *advice(result.advice)]


def advice(advised: tuple[Advice, ...]) -> list[Display]:
    """Return a table of what doubling each number would buy; none where nothing can be doubled."""
    rows = tuple(
        (f"{step.then - step.now} more of {step.key}{f', with {step.also}' if step.also else ''}",
         f"{step.now} → {step.then}", step.before, step.half, step.core_hours)
        for step in advised
    )  # fmt: skip
    columns = ("what", "from → to", "mean half-width now", "then (predicted)", "core-hours (model)")
    return [Display("what to spend next, the best per core-hour first", columns, rows, (TOLD,))] if rows else []


def _shares(result: Variances) -> Display:
    def row(name: str, value: float | None, half: float, shares: Mapping[str, Estimate]) -> tuple[object, ...]:
        return (name, value, half, *(_words(shares.get(source)) for source in result.sources))

    rows = [
        row(agent.agent, None if isnan(agent.value) else agent.value, agent.half, agent.shares)
        for agent in result.agents
    ]
    rows.append(row(ALL, None, mean_half(result.agents), result.together))
    return Display(
        f"{result.run}: where the variance of {THE_HEADLINE[result.value]} comes from",
        ("agent", "value", f"half-width ({result.confidence:.0%})", *result.sources),
        tuple(rows),
        result.sentences,
    )


def _alone(result: Variances) -> Display:
    rows = [(agent.agent, *(_percent(agent.gone(source)) for source in result.sources)) for agent in result.agents]
    rows.append((ALL, *(_percent(result.gone(source)) for source in result.sources)))
    said = GONE + (OF_VOLUME if result.value == "volume" else "")
    return Display("one source alone known exactly", ("agent", *result.sources), tuple(rows), (said,))


def _percent(share: float) -> str | None:
    return None if isnan(share) else f"{_rounded(share):.0%}"


def _words(share: Estimate | None) -> str | None:
    if share is None:
        return None
    spread = "" if share.interval is None else f" ± {(share.interval[1] - share.interval[0]) / 2:.0%}"
    return f"{_rounded(share.value):.0%}{spread}"


def _rounded(share: float) -> float:
    """Return a share to whole percents, without a minus at 0."""
    return round(share, 2) + 0.0


WARNING = (
    "rounds stop when a half-width happens to be small, so one at which they stop is on average somewhat too small; "
    "coverage was kept in a study of simulated suites (studies/results/precision.md)"
)
MEANING = "core-hours are those that jobs held (wall time times cores); predicted half-widths are a best case"


def precision(rounds: Rounds) -> list[Display]:
    """Return the table of rounds, or nothing where there were none."""
    if not rounds.rounds:
        return []
    names = rounds.grown
    rows = [
        ("start" if place == 0 else str(place), *(round_.numbers.get(name) for name in names), *round_.seen)
        for place, round_ in enumerate(rounds.rounds)
    ]
    columns = ("round", *(GROWN[name].split(".")[-1] if name != "agents" else GROWN[name] for name in names),
               "core-hours predicted", "core-hours", "half-width predicted", "half-width", "dimensions")  # fmt: skip
    said = [f"stopped: {rounds.says}"] if rounds.stop else ["rounds go on: aiq run"]
    title = f"precision: half-width {rounds.goal:g}, {rounds.spent:.3g} of {rounds.budget:.3g} core-hours spent"
    return [Display(title, columns, tuple(rows), (*said, MEANING, WARNING))]


def known_baselines(result: BaselineComparison, run: str) -> Display:
    """Return one row per number of ours and baseline, and what limits them."""
    rows = []
    for row in result.rows:
        names, c = [name.replace("_", " ") for name in (row.ours, row.baseline)], row.correlation
        ranks = [cell for value, interval in ((c.spearman, c.spearman_interval), (c.kendall, c.kendall_interval))
                 for cell in (None if isnan(value) else value, interval)]  # fmt: skip
        rows.append((*names, *ranks, c.domains, c.note or row.meaning))
    columns = ("ours", "baseline", "Spearman's ρ", "interval", "Kendall's τ", "interval of τ", "domains", "baseline is")
    title = f"{run}: rank correlations with known baselines, {result.confidence:.0%} intervals"
    return Display(title, columns, tuple(rows), result.notes)
