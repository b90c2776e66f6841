"""Figures and tables of the baseline, and of agents compared with it."""

from __future__ import annotations

from collections.abc import Callable

from aiq import figures, storage
from aiq.figures.lacking import lacking
from aiq.plans.run import SuiteRun as Run
from aiq.records.estimate import Estimate
from aiq.records.table import Cell, Table
from aiq.tasks.shell.publishing import Draw, Made, Needs
from aiq.tasks.suite.reducing.comparison import AptiScores, baseline_estimates, read_plays
from aiq.tasks.suite.summary import scores as read_scores

MEAN = "(mean)"


def baseline_report(run: Run, needs: Needs) -> Made:
    """Return figures and tables of the baseline's performances and, where agents were scored, their APTI."""
    played = read_plays(run, needs["plays"])
    estimates = baseline_estimates(run, played)
    at = {name: play.trained_on for name, play in played.items()}
    homes = {play.trained_on: play for play in played.values()}
    lost = sum(play.lost for play in homes.values())
    trainings = max(len(play.scores) for play in played.values())
    drawings: dict[str, Draw] = {
        "baseline": lambda: figures.baseline_performance(estimates, trained_on=at, trainings=trainings, lost=lost)
    }
    rows = [
        (name, play.trained_on, *estimates[name].cells(), len(play.kept), play.lost, play.scores.shape[1])
        for name, play in played.items()
    ]
    columns = ("domain", "trained_on", "performance", "performance_low", "performance_high", "trainings", "lost")
    tables: dict[str, Callable[[], Table]] = {"baseline": lambda: Table.of((*columns, "episodes"), rows)}
    for path in needs["apti"]:
        found = storage.read_result(path, "apti", AptiScores, run.plan.apti())
        drawings["agents-apti"] = lambda found=found: _drawn(found)
        tables["apti"] = lambda found=found: _apti(run, found, estimates)
    return Made(drawings, tables)


def _drawn(found: AptiScores) -> figures.Drawing:
    """Draw the agents by APTI; a sentence where there is none."""
    return figures.agent_scores(found.scores, scaled_by="APTI") if found.agents else lacking("no agent could be scored")


def _apti(run: Run, found: AptiScores, baseline: dict[str, Estimate]) -> Table:
    """One row an agent and domain, and one for the agent's mean over the domains."""
    scores = read_scores(run)
    rows: list[tuple[Cell, ...]] = []
    for agent, measured in zip(found.agents, found.apti, strict=True):
        means = []
        for domain, estimate in zip(scores.scores.domains, measured.domains, strict=True):
            means.append(float(scores.repetitions(agent, domain).mean()))
            rows.append((agent, domain, means[-1], baseline[domain].value, *estimate.cells()))
        overall = sum(estimate.value for estimate in baseline.values()) / len(baseline)
        rows.append((agent, MEAN, sum(means) / len(means), overall, *measured.mean.cells()))
    return Table.of(("agent", "domain", "performance", "baseline", "apti", "apti_low", "apti_high"), rows)
