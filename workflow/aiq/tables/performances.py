"""Performances of agents on the tests of a space, from tables and from results of other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aiq import storage
from aiq.errors import InputError, did_you_mean
from aiq.records.arrays import Floats
from aiq.records.observations import Observations
from aiq.storage import RawTable, Source

LONG = ("domain", "performance")
GAP = "every agent needs one; aiq score can leave out agents with gaps or count them: --missing agents, zero"
SCALE = "; aiq read --range brings other scales to it"
PERCENT = 10.0  # a performance above it is in per cent, as the readers tell


@dataclass(frozen=True, slots=True, eq=False)
class Performances:
    """What agents reached on the n tests of a space.

    ``samples``: agent -> its repetitions on each test; ``se``: agent -> standard errors (n,) that another program gave
    of results without repetitions, NaN where there is none; ``notes``: what was left out or done, in sentences.
    """

    samples: Mapping[str, Sequence[Floats]]
    se: Mapping[str, Floats]
    notes: tuple[str, ...] = ()

    @property
    def repeated(self) -> bool:
        """Whether anything is known of any agent's own uncertainty."""
        several = any(values.size > 1 for agent in self.samples.values() for values in agent)
        return several or any(np.isfinite(errors).any() for errors in self.se.values())


def performances_from_table(path: Source, domains: Sequence[str]) -> Performances:
    """Return the performances of a table ``agent,domain,performance[,repetition][,se]``.

    A wide table, ``agent[,repetition]`` and one column per test, is read too. Tests that the space does not have are
    left out, percentages are divided by 100, and notes say so.

    Raises:
        InputError: an agent lacks a test of the space, rows stand twice, or a value lies outside [0, 1].
    """
    raw = storage.read_raw(path, ("agent", *LONG))
    wide = set(domains) <= set(raw.columns) or not set(raw.columns) & set(LONG)
    rows = _wide(raw) if wide and "agent" in raw.columns else _long(raw)
    if 2 * sum(row.performance > 1 for row in rows) > len(rows) and any(row.performance > PERCENT for row in rows):
        from aiq.readers import read  # brings pandas

        columns = zip(raw.columns, zip(*raw.rows, strict=True), strict=True)
        return performances_from_results(read({name: list(cells) for name, cells in columns}), domains)
    cells: dict[tuple[str, str], dict[str, float]] = {}
    errors: dict[tuple[str, str], float] = {}
    for row in rows:
        if not 0 <= row.performance <= 1:
            raise InputError(f"{row.where}: performance is {row.performance:g}, it must lie in [0, 1]{SCALE}")
        if row.se is not None and row.se < 0:
            raise InputError(f"{row.where}: se is {row.se:g}, a standard error is at least 0")
        own = cells.setdefault((row.agent, row.domain), {})
        if row.repetition in own:
            extra = "" if row.repetition else "; add a column repetition if it was measured again"
            raise InputError(f"{storage.called(path)}: agent {row.agent} has domain {row.domain} twice{extra}")
        own[row.repetition] = row.performance
        if row.se is not None:
            errors[row.agent, row.domain] = row.se
    tests = list(dict.fromkeys(domain for _, domain in cells))
    _check_tests(path, tests, domains)
    agents = list(dict.fromkeys(agent for agent, _ in cells))
    samples = {agent: _agent(path, agent, cells, domains) for agent in agents}
    se = {agent: np.array([errors.get((agent, domain), np.nan) for domain in domains]) for agent in agents}
    return Performances(samples, se, left_out(tests, domains))


def performances_from_results(results: Observations, domains: Sequence[str], missing: str = "refuse") -> Performances:
    """Return the performances that a reader found in what another program wrote.

    Args:
        results: what was read.
        domains: those of the space; others are left out, and a note says so.
        missing: the rule for missing cells (``refuse``, ``agents``, ``zero``).

    Raises:
        InputError: a test of the space has no result, or cells are missing and the rule refuses.
    """
    _check_tests("the results", results.domains, domains)
    whole = results.tests().only(domains).complete(missing)
    errors = whole.errors()
    samples = {agent: [whole.repetitions(agent, domain) for domain in domains] for agent in whole.agents}
    gone = [name for name in results.agents if name not in whole.agents]
    notes = [*left_out(results.domains, domains)]
    notes += [f"agents without all tests were left out: {', '.join(gone)}"] if gone else []
    notes += _without_error(whole, errors)
    return Performances(samples, dict(zip(whole.agents, errors, strict=True)), (*notes, *whole.decisions))


def _without_error(whole: Observations, errors: Floats) -> list[str]:
    """Return what is said of tests whose error is not known while that of others is."""
    counts = whole.counts()
    exact = (counts == 1) & np.isnan(errors)
    partly = exact.any(axis=1) & np.isfinite(errors).any(axis=1) & (counts == 1).all(axis=1)
    if not partly.any():
        return []
    tests = [name for name, gone in zip(whole.domains, exact[partly].any(axis=0), strict=True) if gone]
    return [
        f"no error is known of {', '.join(tests)}: its value counts as exact for {int(partly.sum())} agents, so their "
        "intervals hold the errors of the other tests alone"
    ]


def left_out(tests: Sequence[str], domains: Sequence[str]) -> tuple[str, ...]:
    """Return what is said of tests that the space does not have."""
    extra = [name for name in tests if name not in domains]
    return (f"tests that the space does not have were left out: {', '.join(extra)}",) if extra else ()


@dataclass(frozen=True, slots=True)
class _Row:
    """One performance, and where it stands."""

    agent: str
    domain: str
    performance: float
    repetition: str
    se: float | None
    where: str


def _long(raw: RawTable) -> list[_Row]:
    table = raw.checked(("agent", *LONG), ("repetition", "se"), ("performance", "se"), blank=("se",))
    return [
        _Row(
            str(cells["agent"]), str(cells["domain"]), float(cells["performance"] or 0.0),
            str(cells.get("repetition") or ""), cells.get("se"), raw.where(row),
        )
        for row, cells in enumerate(dict(zip(table.columns, row, strict=True)) for row in table.rows)
    ]  # fmt: skip


def _wide(raw: RawTable) -> list[_Row]:
    tests = [column for column in raw.columns if column not in ("agent", "repetition")]
    table = raw.checked(("agent", *tests), ("repetition",), tests, needed=GAP)
    rows = []
    for row, values in enumerate(table.rows):
        cells = dict(zip(table.columns, values, strict=True))
        who, again = str(cells["agent"]), str(cells.get("repetition") or "")
        rows += [_Row(who, test, float(cells[test] or 0.0), again, None, raw.where(row)) for test in tests]
    return rows


def _check_tests(path: Source, tests: Sequence[str], domains: Sequence[str]) -> None:
    """Refuse results without a test of the space; a name that is nearly right is named."""
    for name in domains:
        if name not in tests:
            strangers = [test for test in tests if test not in domains]
            more = f"{', '.join(tests[:8])}{' and more' if len(tests) > 8 else ''}"
            raise InputError(
                f"{storage.called(path)}: no agent has a performance on the test {name!r}, which the space has"
                f"{did_you_mean(name, strangers)}; there are {more}"
            )


def _agent(
    path: Source, agent: str, cells: Mapping[tuple[str, str], Mapping[str, float]], domains: Sequence[str]
) -> list[Floats]:
    """Return one agent's repetitions on each test; repetitions that failed may be missing, but not all."""
    for domain in domains:
        if (agent, domain) not in cells:
            raise InputError(
                f"{storage.called(path)}: agent {agent} has no performance on domain {domain}; every agent needs all"
            )
    return [np.array(list(cells[agent, domain].values())) for domain in domains]
