"""Training on control domains: what is kept, what is drawn, how trainings end, what is reported."""

import math

import numpy as np
import pytest
import torch
from reinforcement_worlds import Constant, Drift, settings
from scipy import stats

from aiq import seeding
from aiq.config.training import Adam, Boltzmann, EpsilonGreedy, Evaluation, HardUpdate, Plateau, Reinforcement, Sgd
from aiq.domains.control.cartpole import CartPoleDomain
from aiq.domains.control.settings import CartPole
from aiq.records.trial import Architecture, Policy
from aiq.training.checkpoints import Curve
from aiq.training.playing import evaluate, greedy, play_worlds
from aiq.training.q_learners import FORCED, Streams, epsilon, learns, world_seed
from aiq.training.q_networks import Replay
from aiq.training.q_population import BLOCK
from aiq.training.reinforcement import train_agents

POLICIES = [Policy(Architecture("dense", w), i) for i, w in enumerate([(3,), (4, 5), (), (2, 3, 2)])]
SEEDS = [11, 12, 13, 14]


def train_chunk(*what, **how):
    return [agent.trial for agent in train_agents(*what, **how)]


# ---- memory --------------------------------------------------------------------------------------


def test_the_memory_gives_back_the_transitions_of_the_ages_asked_for_after_it_has_wrapped():
    capacity, agents, steps = 5, 3, 14
    replay = Replay(agents, capacity, 2, rewards=None, device=torch.device("cpu"))

    def seen(step):
        return torch.tensor([[100.0 * lane + step, -step] for lane in range(agents)])

    for step in range(steps):
        replay.begin(step, seen(step))
        kept = min(step, capacity)
        if kept:
            ages = np.tile(np.arange(kept), (1, agents, 1))
            out = torch.zeros(agents * (2 * kept + 1), replay.half)
            replay.read(replay.places([step], ages)[0], out)
            rows = out.view(agents, 2 * kept + 1, replay.half)
            assert torch.equal(rows[:, -1, :2], seen(step))
            for age in range(kept):
                old = step - 1 - age
                assert torch.equal(rows[:, age, :2], seen(old))
                assert rows[:, age, 2:5].tolist() == [[old % 3, old / 2, float(old % 4 != 0)]] * agents
                assert torch.equal(rows[:, kept + age, :2], seen(old) + 0.5)
        told = (torch.full((agents,), step % 3), torch.full((agents,), step / 2), torch.full((agents,), step % 4 == 0))
        replay.end(step, *told, seen(step) + 0.5)


def test_ages_are_uniform_over_what_is_kept():
    rule = settings(batch_size=50, replay=50)
    ages = Streams([3], rule, 2).ages([10] * 200 + [500] * 200)
    for part, kept in ((ages[:200], 10), (ages[200:], 50)):
        assert part.min() == 0
        assert part.max() == kept - 1
        assert stats.chisquare(np.bincount(part.ravel())).pvalue > 1e-3


# ---- exploration ---------------------------------------------------------------------------------


def test_boltzmann_actions_have_their_probabilities():
    rule = settings(exploration=Boltzmann(rule="boltzmann", temperature=0.5))
    values = np.array([0.3, -0.2, 0.1])
    actions = (values + Streams([5], rule, 3).noise(0, 20_000)[:, 0].numpy()).argmax(1)
    weights = np.exp(values / 0.5)
    assert stats.chisquare(np.bincount(actions), 20_000 * weights / weights.sum()).pvalue > 1e-3


def test_epsilon_falls_linearly_and_actions_are_uniform():
    rule = EpsilonGreedy(rule="epsilon_greedy", start=0.9, end=0.1, fraction=0.5)
    assert [epsilon(rule, 100, step) for step in (0, 25, 50, 99)] == pytest.approx([0.9, 0.5, 0.1, 0.1])
    flat = EpsilonGreedy(rule="epsilon_greedy", start=0.4, end=0.4)
    noise = Streams([5], settings(exploration=flat), 4).noise(0, 10_000)[:, 0].numpy()
    assert stats.binomtest(int((noise == FORCED).sum()), 10_000, 0.4).pvalue > 1e-3
    assert stats.chisquare((noise == FORCED).sum(0)).pvalue > 1e-3


@pytest.mark.parametrize("rule", [Boltzmann(rule="boltzmann"), EpsilonGreedy(rule="epsilon_greedy")])
def test_random_numbers_do_not_depend_on_the_blocks_nor_on_the_other_agents(rule):
    told = settings(exploration=rule)
    whole, cut, alone = Streams([1, 2], told, 3), Streams([1, 2], told, 3), Streams([2], told, 3)
    assert torch.equal(whole.noise(0, 10), torch.cat([cut.noise(0, 4), cut.noise(4, 6)]))
    assert np.array_equal(whole.ages([5, 9]), np.concatenate([cut.ages([5]), cut.ages([9])]))
    assert torch.equal(alone.noise(0, 10)[:, 0], Streams([1, 2], told, 3).noise(0, 10)[:, 1])


def test_learning_begins_after_its_start_and_keeps_its_rhythm():
    assert [step for step in range(20) if learns(settings(learning_starts=5, train_every=4), step)] == [8, 12, 16]
    assert not learns(settings(learning_starts=1), 0)


def test_learning_may_begin_after_the_first_block_of_random_numbers():
    late = settings(steps=2 * BLOCK, learning_starts=BLOCK + 3, evaluation=Evaluation(every=BLOCK, episodes=1))
    (trial,) = train_chunk(Drift(), POLICIES[:1], late, seeds=[1])
    assert trial.losses[0] == 0
    assert trial.losses[1] > 0


# ---- what is learnt ------------------------------------------------------------------------------


@pytest.mark.parametrize(("terminates", "values"), [(True, [1.0, 1.5]), (False, [2.5, 3.0])])
def test_values_go_on_through_a_cut_but_not_through_an_end(terminates, values):
    """One state with rewards 1 and 1.5, discount 0.5: cut off after 4 steps, Q = r + 0.5 * 3; ended, Q = r."""
    rule = settings(
        steps=1500,
        discount=0.5,
        target=HardUpdate(rule="hard", every=20),
        optimizer=Adam(name="adam", learning_rate=0.05),
        evaluation=Evaluation(every=1500, episodes=1, final_episodes=1),
    )
    (agent,) = train_agents(Constant(terminates=terminates), [POLICIES[2]], rule, seeds=[1])
    weight, bias = agent.weights
    assert (weight[:, 0] + bias).tolist() == pytest.approx(values, abs=0.02)
    assert agent.trial.performance == 1


def test_cartpole_is_learnt():
    rule = Reinforcement(algorithm="dqn", steps=5000, optimizer=Adam(name="adam", learning_rate=1e-3))
    domain = CartPoleDomain("cartpole", CartPole(source="cartpole"))
    policies = [Policy(Architecture("dense", (32, 32)), i) for i in range(4)]
    trials = train_chunk(domain, policies, rule, seeds=[1, 2, 3, 4])
    assert max(trial.performance for trial in trials) > 0.9
    assert all(trial.epochs == 2 and len(trial.validation) == 2 for trial in trials)


# ---- chunks --------------------------------------------------------------------------------------


def test_a_trial_is_the_one_the_policy_gives_alone_and_repeats_bit_for_bit():
    told = {"dtype": torch.float64}
    together, again = (train_agents(Drift(), POLICIES, settings(), seeds=SEEDS, **told) for _ in range(2))
    for one, two, policy, seed in zip(together, again, POLICIES, SEEDS, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(one.weights, two.weights, strict=True))
        (alone,) = train_chunk(Drift(), [policy], settings(), seeds=[seed], **told)
        assert alone.policy == policy == one.trial.policy
        assert (alone.performance, alone.validation) == (one.trial.performance, one.trial.validation)
        assert alone.losses == pytest.approx(one.trial.losses, rel=1e-9)


def test_the_performance_is_that_of_the_best_checkpoint_on_fresh_episodes():
    agents = train_agents(Drift(), POLICIES, settings(), seeds=SEEDS)
    for agent, seed in zip(agents, SEEDS, strict=True):
        lanes = [seeding.integer(seed, "final", 0, episode) for episode in range(3)]
        returns = evaluate(Drift(), greedy(agent.weights), seeds=lanes, episodes=2).returns
        assert agent.trial.performance == pytest.approx(returns.mean() / 7)
        assert agent.trial.performance not in agent.trial.validation
        lanes = [seeding.integer(seed, "evaluation", 0, episode) for episode in range(3)]
        best = max(range(3), key=lambda number: (agent.trial.validation[number], number))
        rounds = evaluate(Drift(), greedy(agent.weights), seeds=lanes, episodes=best + 1).returns
        assert agent.trial.epochs == len(agent.trial.losses) == 3
        if best == 0:
            assert agent.trial.validation[0] == pytest.approx(rounds[:, 0].mean() / 7)


def test_a_world_that_raises_costs_its_own_policy_only():
    broken = Drift(broken={world_seed(SEEDS[1])}, breaks=40)
    found = train_agents(broken, POLICIES, settings(), seeds=SEEDS)
    sound = train_agents(Drift(), POLICIES, settings(), seeds=SEEDS)
    assert [agent.trial.status for agent in found] == ["finished", "failed", "finished", "finished"]
    assert math.isnan(found[1].trial.performance)
    assert found[1].failure == "the world broke"
    assert found[1].trial.epochs == 2
    for one in (0, 2, 3):
        assert found[one].trial.performance == pytest.approx(sound[one].trial.performance, abs=1e-6)
        assert found[one].failure is None


@pytest.mark.parametrize(("purpose", "epochs"), [("evaluation", 1), ("final", 3)])
def test_a_world_that_raises_in_an_evaluation_fails_the_policy(purpose, epochs):
    broken = Drift(broken={seeding.integer(SEEDS[2], purpose, 0, 1)}, breaks=1)
    found = train_agents(broken, POLICIES, settings(), seeds=SEEDS)
    assert [agent.trial.status for agent in found] == ["finished", "finished", "failed", "finished"]
    assert found[2].trial.epochs == epochs


def test_divergence_is_told_and_has_no_performance():
    rule = settings(optimizer=Sgd(name="sgd", learning_rate=1e12))
    trials = train_chunk(Drift(scale=1e12), POLICIES, rule, seeds=SEEDS)
    assert all(trial.status == "diverged" and math.isnan(trial.performance) for trial in trials)
    assert all(trial.epochs == 1 and trial.validation == () for trial in trials)


def test_policies_that_converge_stop_and_the_others_go_on_as_if_alone():
    rule = settings(steps=300, convergence=Plateau(window=1, patience=1, improvement=0.05))
    trials = train_chunk(Drift(), POLICIES, rule, seeds=SEEDS, dtype=torch.float64)
    assert len({trial.epochs for trial in trials}) > 1
    assert all(trial.status == "converged" and trial.epochs < 10 for trial in trials)
    for trial, policy, seed in zip(trials, POLICIES, SEEDS, strict=True):
        (alone,) = train_chunk(Drift(), [policy], rule, seeds=[seed], dtype=torch.float64)
        assert alone.validation == trial.validation
        assert alone.performance == trial.performance


def test_steps_that_evaluations_do_not_divide_end_with_one():
    assert {trial.epochs for trial in train_chunk(Drift(), POLICIES, settings(steps=70), seeds=SEEDS)} == {3}


def test_settings_that_cannot_be_are_refused():
    for changes, sentence in (
        ({"replay": 3}, "replay 3 is smaller than batch_size 4"),
        ({"learning_starts": 90}, "learning_starts 90 must be below steps 90"),
    ):
        with pytest.raises(ValueError, match=sentence):
            settings(**changes)


# ---- convergence ---------------------------------------------------------------------------------


def curve(scores, rule, total=100):
    found = Curve(rule)
    for number, score in enumerate(scores, 1):
        found.evaluated(score, number == total)
        if found.status is not None:
            return found, number
    return found, None


def test_a_curve_stops_when_the_mean_of_its_last_evaluations_stops_rising():
    rule = Plateau(window=2, patience=2, improvement=0.1)
    # means .2 .35 .45 .5 .5: the last rise of .1 is the third, two evaluations without one follow
    found, number = curve([0.1, 0.3, 0.4, 0.5, 0.5, 0.5, 0.9], rule)
    assert (found.status, number) == ("converged", 6)
    assert curve([0.1, 0.3, 0.4, 0.5, 0.5, 0.9], rule)[0].status is None
    assert curve([0.2] * 50, None)[0].status is None
    assert curve([0.2] * 50, None, total=50)[0].status == "finished"


def test_the_latest_of_equally_good_checkpoints_counts():
    found = Curve(None)
    better = [found.evaluated(score, last=False) for score in (0.2, 0.1, 0.2, 0.3, 0.3)]
    assert better == [True, False, True, True, True]


# ---- episodes ------------------------------------------------------------------------------------


def test_episodes_are_counted_and_every_observation_acted_on_is_seen():
    def act(observations):
        return torch.ones(len(observations), dtype=torch.int64)

    plays = evaluate(Drift(), act, seeds=[4, 5], episodes=3, observations=True)
    assert plays.returns.shape == plays.lengths.shape == (2, 3)
    assert len(plays.observations) == plays.lengths.sum() == len(plays.episode)
    assert np.array_equal(np.bincount(plays.episode, minlength=6), plays.lengths.ravel())
    alone = evaluate(Drift(), act, seeds=[5], episodes=3, observations=True)
    assert np.array_equal(alone.returns[0], plays.returns[1])
    assert np.array_equal(alone.observations[alone.episode == 2], plays.observations[plays.episode == 5])
    assert evaluate(Drift(), act, seeds=[4]).observations is None


def test_worlds_are_closed_even_if_acting_raises():
    domain, made = Drift(), []
    make = domain.worlds
    domain.worlds = lambda seeds, **told: made.append(make(seeds, **told)) or made[-1]

    def act(observations):
        raise RuntimeError("no action")

    with pytest.raises(RuntimeError, match="no action"):
        evaluate(domain, act, seeds=[1])
    train_chunk(domain, POLICIES, settings(), seeds=SEEDS)
    assert len(made) == 4
    assert all(worlds.closed for worlds in made)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_episodes_in_waves_are_those_played_at_once(most: int):
    domain = CartPoleDomain("cartpole", CartPole(source="cartpole"))

    def lean(observations):
        return (observations[:, 2] > 0).long()

    at_once = evaluate(domain, lean, seeds=range(5), episodes=3, observations=True)
    worlds = domain.worlds(range(5))
    worlds.side_by_side = most
    waves = play_worlds(worlds, lambda seen, _: lean(seen), 3, torch.device("cpu"), observations=True)
    assert np.array_equal(at_once.returns, waves.returns)
    assert np.array_equal(at_once.lengths, waves.lengths)
    for lane in range(15):
        one, two = (p.observations[p.episode == lane] for p in (at_once, waves))
        assert np.array_equal(one, two)
