"""What must be known beside the numbers of a suite, and what its author can quote, in sentences."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtr

from aiq.records.suite_report import NOT_AIQ, SuiteReport
from aiq.records.table import counted
from aiq.suites.fewer import TOLD
from aiq.suites.relations import FOR_BINARY
from aiq.suites.relations import MOST as PAIRED
from aiq.suites.response import FEWEST

FEW = 40  # agents below which intervals of the model cover less than they say
ONE_FACTOR = 0.5  # share of the variance below which one ability is a poor summary
ENOUGH_RUNS = 10  # runs a test from which bootstrap intervals of means cover nearly what they say
ENOUGH_CLUSTERS = 20  # below which errors over tests like these are guesses
ALIKE = 0.9  # share of variance from which a test is nearly another
MOVED = "scale -1 to 1"  # how the decision begins that scores were moved
SAME = 1e-9  # values of agents as near are equal, and a spread of differences as small is none
MANY = 20_000  # agents from which all their pairs are most of the cost
MOST = 8  # names in a sentence


def listed(names: list[str]) -> str:
    """Return names with commas, no more than some of them."""
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def summary(report: SuiteReport) -> tuple[str, str, str]:
    """Return three sentences: who leads and how sure, what the suite can tell, what its tests are."""
    return _leads(report), _tells(report), _tests(report)


def _leads(report: SuiteReport) -> str:
    first, others = report.agents[0], report.n - 1
    ties = [agent.agent for agent in report.agents if abs(agent.value.value - first.value.value) < SAME]
    value = f"{listed(ties)} lead" if len(ties) > 1 else f"{first.agent} leads"
    value += f" with {first.value.value:.3f}"
    if first.value.interval is not None:
        low, high = first.value.interval
        value += f" ({report.confidence:.0%} interval over {report.by} like these {low:.3f} to {high:.3f})"
    if any(note.startswith(MOVED) for note in report.notes):
        value += " on the scale moved to 0 to 1"
    near, its = first.rank_high - 1, "the first" if len(ties) > 1 else "it"
    if near == 0:
        return f"{value} and is told apart from all {others} others."
    if near == others:
        return f"{value}, but none of the others can be told from {its}."
    return f"{value}, but {near} of the {others} others cannot be told from {its}."


def _tells(report: SuiteReport) -> str:
    smallest = report.smallest_difference
    words = f"{_neighbours(report)}, and the {report.n} agents form {counted(len(report.groups), 'group')}"
    if smallest.over_tests is None and smallest.clusters > 1 and smallest.spread < SAME:
        return f"{words}; differences are the same on all {report.by}, so how small a one is found is not known."
    if smallest.over_tests is None:
        return f"{words}; how small a difference is found cannot be said from one cluster."
    if smallest.over_tests > 1:
        return f"{words}; {smallest.tests} {report.by} are so few that even a difference of 1 may be missed."
    words += (
        f"; differences below {smallest.over_tests:.3f} are missed more often than {1 - smallest.power:.0%} of the time"
    )
    finer = [need for need in report.needed if need.difference < smallest.over_tests]
    if finer:
        words += f", and {finer[-1].difference:g} would need {finer[-1].tests:,} {report.by} like these"
    return f"{words}."


def _neighbours(report: SuiteReport) -> str:
    """Return how many neighbours are told apart, of those that have a test."""
    separable, every = sum(pair.separable for pair in report.neighbours), len(report.neighbours)
    compared = sum(pair.p is not None for pair in report.neighbours)
    if not compared:
        return f"none of the {every} neighbours in the ranking can be compared"
    are = "is" if separable == 1 else "are"
    if compared == every:
        return f"{separable} of {every} neighbours in the ranking {are} told apart (Holm)"
    return (
        f"{separable} of the {compared} neighbours in the ranking that can be compared {are} told apart (Holm; "
        f"{every - compared} cannot)"
    )


def _tests(report: SuiteReport) -> str:
    parts, count = [], len(report.tests)
    if report.dimensions is not None:
        low, high = report.dimensions.interval
        value = report.dimensions.value
        around = f" ({low} to {high})" if (low, high) != (value, value) else ""
        abilities = "ability" if value == 1 else "abilities"
        parts.append(f"the {count} {report.by} measure {value}{around} {abilities} by parallel analysis")
    separable = any(agent.rank_low > 1 for agent in report.agents) or any(pair.separable for pair in report.neighbours)
    if separable and report.reduction is not None and report.reduction.enough is not None:
        enough = report.reduction.enough
        pairs = f"pairs of agents that differ by {TOLD:g} standard errors on all {count}"
        order = f"keep{'s' * (enough == 1)} the order of 95% of the {pairs}"
        parts.append(f"{enough} of the {report.by} {order} (tried on agents left out)")
    if report.anchors:
        best = report.anchors[-1]
        sure = f"{report.confidence:.0%} of agents left out"
        parts.append(f"{len(best.tests)} (the anchors) give a new agent's score within {best.within:.3f} for {sure}")
    bad = [test.test for test in report.tests if test.suspicious]
    if bad or report.n >= FEWEST:  # with fewer agents it could not be seen
        on = counted(len(bad), report.by[:-1]) if bad else f"no {report.by[:-1]}"
        parts.append(f"on {on} better agents do worse" + (f" ({listed(bad)})" if bad else ""))
    if not parts:
        return f"{report.n} agents are too few to say what the {count} {report.by} measure."
    words = "; ".join(parts)
    return f"{words[0].upper()}{words[1:]}."


def warnings(report: SuiteReport) -> tuple[str, ...]:
    """Return what the numbers do not show by themselves."""
    first = NOT_AIQ[0].upper() + NOT_AIQ[1:]
    parts = (_of_model, _of_missing, _of_order, _of_runs, _of_tests)
    return (first, *(sentence for part in parts for sentence in part(report)))


def _of_model(report: SuiteReport) -> list[str]:
    if report.n < FEWEST:
        return [
            f"{report.n} agents are fewer than {FEWEST}: no model of responses was fitted, difficulty is 1 - mean "
            "performance and there is no discrimination"
        ]
    said = []
    if report.n < FEW:
        said.append(f"{report.n} agents are few for a model of responses: its intervals were tried from {FEW} on")
    if report.dimensions is not None and report.dimensions.first_share < ONE_FACTOR and report.by == "tests":
        share = report.dimensions.first_share
        said.append(f"the first factor holds {share:.0%} of the tests' variance: one ability is a poor summary")
    return said


def _of_missing(report: SuiteReport) -> list[str]:
    gone = report.missing
    if not gone.cells:
        return []
    wide = max(agent.bounds[1] - agent.bounds[0] for agent in report.agents)
    are = "is" if gone.cells == 1 else "are"
    said = (
        f"{gone.cells:,} of {gone.of:,} cells {are} missing ({gone.share:.0%}); values are adjusted as agent + test "
        "from the cells that are there, which holds where gaps are accidents; whatever is missing, the means lie "
        f"within bounds up to {wide:.2f} wide"
    )
    if gone.rank_correlation is not None and _no_accident(gone.rank_correlation, report.n):
        which = "better" if gone.rank_correlation > 0 else "weaker"
        said += f"; {which} agents have more of the tests (rank correlation {gone.rank_correlation:.2f}): no accident"
    return [said, *_of_bounds(report)]


def _of_bounds(report: SuiteReport) -> list[str]:
    """Return how many values lie where no scores could bring them.

    They are not brought back: differences, ranks and errors are those of agent + test, by which two agents that lack
    the same tests differ as they do on the tests they have. Cut at bounds, such a difference would be smaller.
    """
    beyond = [
        agent.agent
        for agent in report.agents
        if not agent.bounds[0] - SAME <= agent.value.value <= agent.bounds[1] + SAME
    ]
    if not beyond:
        return []
    lie = "value lies outside its" if len(beyond) == 1 else "values lie outside their"
    return [
        f"{len(beyond)} adjusted {lie} own bounds: agent + test does not fit there, go by the bounds ({listed(beyond)})"
    ]


def _no_accident(correlation: float, agents: int) -> bool:
    """Whether a rank correlation over agents is large, and by chance seen less than once in a hundred (Student's)."""
    if agents < 4 or abs(correlation) <= 0.3:
        return False
    t = abs(correlation) * np.sqrt((agents - 2) / max(1 - correlation**2, 1e-12))
    return bool(2 * stdtr(agents - 2, -t) < 0.01)


def _of_order(report: SuiteReport) -> list[str]:
    smallest = report.smallest_difference
    unit = report.by if smallest.clusters == smallest.tests else "clusters"
    said = []
    if report.n >= MANY:
        said.append(
            f"ranks and groups compare all {report.n * (report.n - 1) // 2:,} pairs of agents: this part of the time "
            "grows with the square of the agents (7 seconds for 50,000 on 6 tests), all else with the cells"
        )
    if smallest.clusters == 1:
        said.append(f"all {report.by} are in one cluster: what is said of {report.by} like these has no error")
    elif smallest.clusters < ENOUGH_CLUSTERS:
        said.append(
            f"{smallest.clusters} {unit} are few: what is said over {report.by} like these rests on Student's "
            "distribution and on normal differences"
        )
    if smallest.over_runs is not None:
        said.append(
            f"on exactly these {report.by}, run again, differences of {smallest.over_runs:.3g} are found with "
            f"probability {smallest.power:g}"
        )
    return said


def _of_runs(report: SuiteReport) -> list[str]:
    if report.by == "items":
        return []
    runs = min(agent.mean.n for agent in report.agents)
    if any(agent.mean.method.startswith("bootstrap") for agent in report.agents) and runs < ENOUGH_RUNS:
        return [
            f"the means rest on {runs} runs a test: simulated, such 95% bootstrap intervals cover 87% at 3 runs and "
            "92% at 5"
        ]
    if all(agent.mean.interval is None for agent in report.agents):
        return [
            "one run a cell and no standard errors: nothing is known of how much a mean moves when a test is run again"
        ]
    return []


def _of_tests(report: SuiteReport) -> list[str]:
    said = []
    if report.agreement is None:
        said.append(
            f"{len(report.tests):,} {report.by} have too many pairs: which predict each other, how they agree and "
            f"which can go is looked at up to {PAIRED:,}; take some of them for that"
        )
    if any(t.redundancy is not None and t.redundancy.interval is None for t in report.tests):
        said.append(
            f"which {report.by} predict each other is said without intervals: of answers of 0 and 1 they hold from "
            f"{FOR_BINARY} agents on"
        )
    alike = [
        f"{t.test} by {t.predicted_by}"
        for t in report.tests
        if t.redundancy is not None and t.redundancy.interval is not None and t.redundancy.interval[0] >= ALIKE
    ]
    if alike:
        said.append(f"surely given by one other ({ALIKE:.0%} of the variance or more): {listed(alike)}")
    same = [t.test for t in report.tests if t.discrimination is None and report.n >= FEWEST]
    if same:
        said.append(f"all agents score alike on: {listed(same)}")
    negative = [t.test for t in report.tests if t.suspicious]
    if negative:
        said.append(f"agents that are better elsewhere are worse on: {listed(negative)}; look at their keys")
    return said
