"""How a run ends on the screen: a table within 80 columns, and at most three sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aiq.cli.verbs import WIDTH, emit_table
from aiq.measures import quotient, skills, space, weighing
from aiq.records.estimate import Estimate
from aiq.records.quotient import Scores
from aiq.records.variance import Advice, AgentVariance, Variances
from aiq.report.summary import LONGEST, MOST, ending

LOST = "not scored: x (every training diverged)"
NOTHING = Estimate(np.nan, None, 0, "")


def scores(count: int = 3) -> Scores:
    """Agents of falling performance on two tests that are strangers; each is above the next with some probability."""
    built = space.build(["a", "b"], [1.0, 1.0], np.array([[0.0, 1.0], [1.0, 0.0]]))
    table = np.linspace(0.9, 0.5, count)[:, None] * np.ones((1, 2))
    found = quotient.score(built, [f"agent-{k:02d}" for k in range(count)], table)
    agents = []
    for k, one in enumerate(found.agents):
        value = Estimate(one.per_dimension.value, (0.1, 0.95), 100, "made up")
        agents.append(replace(one, value=value, ranks=(k + 1, k + 1), order=0.997 if k + 1 < count else None))
    return replace(found, agents=tuple(agents), headline="skills", warnings=())


def advised() -> Variances:
    share = {"pool": Estimate(0.6, (0.5, 0.7), 100, ""), "agents": Estimate(0.4, (0.3, 0.5), 100, "")}
    advice = (Advice("pool", "pool.size", 64, 128, 0.05, 0.04, 0.002),)
    return Variances("s", 0.95, ("pool", "agents"), (AgentVariance("x", 0.5, 0.05),), share, 100, advice)


def said(found: Scores, variances: Variances | None = None, lacking=(), reached=None) -> tuple[str, ...]:
    return ending(found, variances, lacking, "c.yaml", "t.csv", reached=reached).sentences


def test_three_sentences_say_who_leads_what_limits_it_and_what_to_do():
    found = ending(scores(), advised(), (), "c.yaml", "tables/agents.csv")
    assert found.sentences == (
        "agent-00 leads, above agent-01 with probability over 0.99.",
        "The intervals of the mean over skills come mostly from the trials of the pool (60% of the variance).",
        "Next: set pool.size to 128 in c.yaml (now 64), then aiq run c.yaml; intervals of the mean over skills then "
        "shrink by about 20% for less than 0.01 core-hours.",
    )
    assert [row[0] for row in found.rows] == ["1", "2", "3"]
    assert found.rows[0][2] == "0.900 [0.10, 0.95]"
    less = replace(advised(), together={name: Estimate(0.4, (0.3, 0.5), 100, "") for name in ("pool", "agents")})
    assert said(scores(), less)[1].endswith("come most of all from the trials of the pool (40% of the variance).")


def test_the_next_step_is_the_best_for_its_cost_of_those_that_are_felt():
    little = Advice("ends", "dissimilarity.end_repetitions", 15, 30, 0.05, 0.0495, 0.0001)
    more = Advice("agents", "agents.repetitions", 3, 6, 0.05, 0.043, 0.002)
    most = Advice("pool", "pool.size", 64, 128, 0.05, 0.04, 0.02)
    for listed, key in (((little, more, most), "agents.repetitions"), ((little,), "dissimilarity.end_repetitions")):
        assert said(scores(), replace(advised(), advice=listed))[-1].startswith(f"Next: set {key} to ")


def test_rivals_are_named_and_ranks_are_sets_and_a_pair_may_be_surer_than_all():
    whole = scores()
    first, second, third = whole.agents
    shared = (replace(first, ranks=(1, 2), order=0.7), replace(second, ranks=(1, 2)), third)
    found = ending(replace(whole, agents=shared), None, (), "c.yaml", "t.csv")
    assert found.sentences == (
        "agent-00 is highest (above agent-01 with probability 0.70), but agent-01 may be first as well.",
    )
    assert [row[0] for row in found.rows] == ["1–2", "1–2", "3"]
    surer = (replace(first, ranks=(1, 2)), replace(second, ranks=(1, 2)), third)
    assert said(replace(whole, agents=surer))[0] == (
        "agent-00 is highest, above agent-01 with probability over 0.99 as a pair; among all agents agent-01 may "
        "be first as well."
    )


def test_what_could_not_be_had_comes_before_warnings_and_the_rest_is_counted():
    whole = replace(scores(), warnings=("the number of dimensions is uncertain", "another"))
    found = said(whole, advised(), [LOST])
    assert found[1] == "Mind: not scored: x (every training diverged) (2 more: aiq summary c.yaml --all)."
    assert said(whole)[1].startswith("Mind: the number of dimensions")


KIN = {"a": 0.5, "a-again": 0.5, "a-noisy": 0.5, "b": 0.5}


def kin(performances: dict[str, list[float]], noise: float = 0.005, lengths=KIN) -> tuple[Scores, dict]:
    """Agents, each trained five times, on tests of which all with names in ``a`` are one; and what they reached."""
    own = [name[0] == "a" for name in lengths]
    cosines = np.where(np.outer(own, own), 1.0, np.eye(len(lengths)))
    errors = np.full(len(lengths), 0.02)
    weights = weighing.weigh(list(lengths), [*lengths.values()], cosines=cosines, length_se=errors, length_df=15)
    draws = noise * np.array([-1, -0.5, 0, 0.5, 1])
    table = {agent: [value + draws for value in values] for agent, values in performances.items()}
    by_skills = skills.score(weights, table)
    made = scores(len(by_skills.agents))  # the table of agents that a run makes of their values
    agents = tuple(
        replace(one, agent=two.agent, value=two.value, mean=two.mean, order=two.order)
        for one, two in zip(made.agents, by_skills.agents, strict=True)
    )
    reached = {agent: dict(zip(lengths, values, strict=True)) for agent, values in performances.items()}
    return replace(made, agents=agents, skills=by_skills), reached


def test_one_sentence_says_why_not_the_mean_where_a_copy_turns_the_order():
    found, reached = kin({"forest": [0.95, 0.95, 0.9, 0.6], "network": [0.8, 0.8, 0.75, 0.9]})
    why = said(found, reached=reached)[1]
    assert why.startswith(
        "Why not the mean? By it forest (0.850) is above network (0.812), but a, a-again and a-noisy, at which it is "
        "better, count as 1.0 of 2.0 independent tests; by skills network is above by 0.0"
    )
    assert float(why.rpartition("[")[2].partition(",")[0]) > 0
    warned = replace(found, warnings=("d = 2 holds 0.90 of the spectrum, 3 stand above the noise",))
    _, why = said(warned, reached=reached)
    assert why.endswith(" (1 warning: aiq summary c.yaml --all).")
    assert said(warned, None, [LOST], reached)[1].startswith("Mind: not scored: x")


@pytest.mark.parametrize(
    ("performances", "noise"),
    [
        ({"forest": [0.9, 0.9, 0.9, 0.9], "network": [0.8, 0.8, 0.8, 0.8]}, 0.005),  # both orders are one
        ({"forest": [0.8, 0.8, 0.75, 0.6], "network": [0.65, 0.65, 0.6, 0.85]}, 0.12),  # the means may be alike
    ],
)
def test_nothing_is_said_of_the_mean_where_no_order_turns_surely(performances, noise):
    found, reached = kin(performances, noise)
    assert not any("mean?" in one for one in said(found, reached=reached))


def test_a_turn_that_kinship_does_not_explain_is_told_by_the_weights():
    found, reached = kin({"one": [0.99, 0.5], "other": [0.7, 0.7]}, lengths={"easy": 0.05, "hard": 0.6})
    why = said(found, reached=reached)[1]
    assert "by it one (0.745) is above other (0.700)" in why.lower()
    assert "but easy, at which it is better, has 8% of the weight; by skills other is above" in why


def test_where_no_test_counts_the_next_step_is_another_suite_not_narrower_intervals():
    built = space.build(["a", "b"], [1.0, 1.0], np.array([[0.0, 1.0], [1.0, 0.0]]))
    weights = weighing.weigh("ab", [0.0, 0.0], [[0, 1], [1, 0]])
    table = np.array([[0.9, 0.9], [0.5, 0.5]])
    volumes = quotient.score(built, ["x", "y"], table)
    by_skills = skills.score(weights, dict(zip("xy", table, strict=True)))
    agents = tuple(replace(one, value=NOTHING) for one in volumes.agents)
    found = replace(volumes, agents=agents, skills=by_skills, headline="skills", warnings=())
    first, *_, last = said(found, advised())
    assert first == "No agent is ranked: no test is shown to be harder than its base: every length is 0."
    assert last == "Next: add harder tests or more networks (pool.size) to c.yaml, then aiq run c.yaml."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda agents: agents[:1], "agent-00 is the only agent, so there is no order."),
        (lambda agents: (replace(agents[0], order=None), *agents[1:]),
         "agent-00 is highest; how sure that is cannot be told, since nothing was repeated."),
        (lambda agents: (agents[0], replace(agents[1], value=agents[0].value)), "The first two have the same value."),
        (lambda agents: tuple(replace(one, value=NOTHING) for one in agents),
         "No agent is ranked: the suite gives no headline."),
    ],
)  # fmt: skip
def test_where_nobody_leads_one_sentence_says_so(change, sentence):
    whole = scores()
    found = ending(replace(whole, agents=change(whole.agents)), None, (), "c.yaml", "t.csv")
    assert found.sentences == (sentence,)
    assert not any("nan" in cell for row in found.rows for cell in row)


@pytest.mark.parametrize("count", [1, 3, MOST, MOST + 5])
def test_the_table_fits_80_columns(count: int, capsys):
    whole = scores(count)
    first = replace(whole.agents[0], agent="a-very-long-name-of-an-agent-of-somebody", ranks=(10, 12))
    found = ending(replace(whole, agents=(first, *whole.agents[1:])), None, (), "c.yaml", "tables/agents.csv")
    emit_table(found.columns, found.rows, width=WIDTH)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) == 3 + min(count, MOST) + (count > MOST)  # no row is folded
    assert len(found.rows[0][1]) == LONGEST
    assert (f"{count - MOST} more in" in lines[-1]) == (count > MOST)
