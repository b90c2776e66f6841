"""A suite seen through results alone, and the difference of two agents, as tables for people."""

from __future__ import annotations

from aiq.records.suite_report import PairedDifference, SuiteReport, TestReport
from aiq.records.table import Shown, warned

MOST = 20  # rows on a screen


def leaderboard(report: SuiteReport) -> Shown:
    """Return the best agents, each with its ranks, its group and how far it is above the next."""
    level = f"{report.confidence:.0%}"
    below = {one.a: one for one in report.neighbours}
    gaps = report.missing.cells > 0
    rows = []
    for agent in report.agents[:MOST]:
        near = below.get(agent.agent)
        ranks = str(agent.rank_low) if agent.rank_low == agent.rank_high else f"{agent.rank_low}–{agent.rank_high}"
        apart = (None, None) if near is None else (near.difference, near.p_adjusted)
        missing = (agent.tests, agent.bounds) if gaps else ()
        rows.append(
            (agent.rank, agent.agent, agent.value.value, agent.value.interval, ranks, agent.group, *apart, *missing)
        )
    more = (report.by, "bounds") if gaps else ()
    columns = ("rank", "agent", "value", level, "possible ranks", "group", "above next", "p (Holm)", *more)
    left = f"{report.n - MOST} more agents: -o FOLDER, --page or --json" if report.n > MOST else ""
    return Shown("agents", columns, tuple(rows), (left,) if left else ())


def tests(report: SuiteReport) -> Shown:
    """Return the tests: of many the suspicious and the hardest."""
    level = f"{report.confidence:.0%}"
    chosen = sorted(report.tests, key=lambda test: (not test.suspicious, -test.difficulty.value))[:MOST]
    kept = report.tests if len(report.tests) <= MOST else chosen
    columns = (
        "test" if report.by == "tests" else "item",
        "difficulty",
        level,
        "discrimination",
        level,
        "predicted",
        level,
        "by",
    )
    left = (
        f"{len(report.tests) - MOST} more {report.by}: -o FOLDER, --page or --json" if len(report.tests) > MOST else ""
    )
    return Shown(report.by, columns, tuple(_test(test) for test in kept), (left,) if left else ())


def _test(test: TestReport) -> tuple[object, ...]:
    slope, share = test.discrimination, test.redundancy
    return (
        f"{test.test} (suspicious)" if test.suspicious else test.test, test.difficulty.value, test.difficulty.interval,
        None if slope is None else slope.value, None if slope is None else slope.interval,
        None if share is None else share.value, None if share is None else share.interval, test.predicted_by or "–",
    )  # fmt: skip


def sentences(report: SuiteReport) -> tuple[str, ...]:
    """Return what was done, what the numbers cannot tell, and at last three sentences that can be quoted."""
    return (*report.notes, *warned(report.warnings), *report.summary)


def shown(report: SuiteReport) -> list[Shown]:
    """Return both tables, with all sentences at the last."""
    first, last = leaderboard(report), tests(report)
    return [first, Shown(last.title, last.columns, last.rows, (*last.sentences, *sentences(report)))]


def difference(found: PairedDifference) -> Shown:
    """Return the difference of two agents, and what it rests on."""
    level = f"{found.confidence:.0%}"
    columns = ("difference", level, "p", "items", "clusters", "above on", "below on", "smallest difference")
    row = (
        found.difference, found.interval, found.p, found.items, found.clusters, found.wins, found.losses,
        found.smallest_difference,
    )  # fmt: skip
    said = [f"{found.a} − {found.b}, {found.method}"]
    if found.bounds is not None:
        lacking = found.only_first + found.only_second
        said.append(
            f"{lacking} items are answered by one of the two alone ({found.only_first} by {found.a}, "
            f"{found.only_second} by {found.b}); with any scores there, the difference lies between "
            f"{found.bounds[0]:.3f} and {found.bounds[1]:.3f}"
        )
    if found.share_of_epochs is not None:
        said.append(f"more answers to the same items would take away {found.share_of_epochs:.0%} of the squared error")
    if found.smallest_difference is not None and found.smallest_difference <= 1:
        said.append(
            f"differences below {found.smallest_difference:.3f} are missed more often than {1 - found.power:.0%} of "
            "the time"
        )
    elif found.smallest_difference is not None:
        said.append(f"{found.items} items are so few that even a difference of 1 may be missed")
    return Shown(f"{found.a} and {found.b}", columns, (row,), tuple(said))
