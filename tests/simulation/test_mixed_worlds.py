"""Mixtures: which domain comes how often, what is padded, translated and paid; their ends are the plain domains."""

import numpy as np
import pytest
import torch

from aiq.domains import control_domain
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.domains.control.mixed_worlds import MixedDomain, inner_seeds, pay_rates
from aiq.domains.control.relabelled import ForeignActions, translate
from aiq.domains.control.settings import CartPole, CartPole3D
from aiq.errors import DomainError


def pole(**parameters):
    return control_domain("pole", CartPole(source="cartpole", **parameters))


def pole3d(**parameters):
    return control_domain("pole3d", CartPole3D(source="cartpole3d", view="cart", **parameters))


def lake(**parameters):
    return control_domain("lake", Gymnasium(source="gymnasium", id="FrozenLake-v1", bounds=(0, 1), **parameters))


def mixed(first, second, proportions, seeds):
    return MixedDomain(first, second, proportions).worlds(seeds)


def every(lanes):
    return torch.ones(lanes, dtype=torch.bool)


def no_actions(lanes):
    return torch.zeros(lanes, dtype=torch.int64)


# ---- which domain comes


@pytest.mark.parametrize("proportion", [0.1, 0.5, 0.8])
def test_episodes_come_with_the_lane_s_proportion(proportion):
    """4,000 episodes: the share lies within four standard errors."""
    worlds = mixed(pole(), pole(gravity=90.0), [proportion] * 100, range(100))
    drawn = torch.stack([(worlds.reset(every(100)), worlds.in_first)[1] for _ in range(40)]).numpy()
    assert drawn.mean() == pytest.approx(proportion, abs=4 * np.sqrt(proportion * (1 - proportion) / 4000))
    first, later = drawn[:-1].ravel(), drawn[1:].ravel()
    assert abs(np.corrcoef(first, later)[0, 1]) < 0.07, "one episode's draw tells nothing of the next"


def test_lanes_have_proportions_of_their_own_and_draw_only_at_their_resets():
    worlds = mixed(pole(), lake(), [1.0, 0.0, 0.5], [1, 2, 3])
    drawn = []
    for turn in range(60):
        worlds.reset(torch.tensor([True, turn % 2 == 0, True]))
        drawn.append(worlds.in_first.tolist())
    assert {tuple(row[:2]) for row in drawn} == {(True, False)}
    alone = mixed(pole(), lake(), [0.5], [3])
    assert [row[2] for row in drawn] == [(alone.reset(every(1)), bool(alone.in_first[0]))[1] for _ in range(60)]


@pytest.mark.parametrize("place", [0, 1])
def test_a_proportion_of_one_or_zero_is_the_plain_domain(place):
    first, second, seeds = pole(gravity=30.0), pole(gravity=90.0), [5, 6, 7]
    plain = (first, second)[place].worlds(inner_seeds(seeds, place))
    worlds = mixed(first, second, [1.0 - place] * 3, seeds)
    random = torch.Generator().manual_seed(0)
    assert torch.equal(plain.reset(every(3)), worlds.reset(every(3)))
    for _ in range(80):
        actions = torch.randint(0, 2, (3,), generator=random)
        one, other = plain.step(actions, every(3)), worlds.step(actions, every(3))
        for part in ("reward", "terminated", "truncated", "observation"):
            assert torch.equal(getattr(one, part), getattr(other, part))
        over = one.terminated | one.truncated
        assert torch.equal(plain.reset(over), worlds.reset(over))


def test_worlds_without_a_lane_to_step_are_not_stepped(monkeypatch):
    worlds = mixed(pole(), pole3d(), [1.0, 1.0], [1, 2])
    monkeypatch.setattr(worlds._inner[1], "step", None)
    monkeypatch.setattr(worlds._inner[1], "reset", None)
    worlds.reset(every(2))
    assert worlds.step(no_actions(2), every(2)).reward.tolist() == [1.0, 1.0]


# ---- what is seen and done


def test_observations_are_padded_with_zeros():
    worlds = mixed(pole(), lake(), [1.0, 0.0, 0.5], [1, 2, 3])
    assert (worlds.observations, worlds.actions) == (16, 4)
    kinds = set()
    for _ in range(20):
        begun = worlds.reset(every(3))
        outcome = worlds.step(torch.tensor([1, 2, 3]), every(3))
        for observed in (begun, outcome.observation):
            for lane, first in enumerate(worlds.in_first.tolist()):
                kinds.add((lane, first))
                if first:
                    assert observed[lane, :4].any()
                    assert not observed[lane, 4:].any()
                else:
                    assert sorted(observed[lane].tolist()) == [0.0] * 15 + [1.0]
    assert kinds == {(0, True), (1, False), (2, True), (2, False)}


def test_foreign_actions_do_what_the_domain_declares():
    actions = torch.tensor([0, 1, 2, 3, 4])
    assert translate(actions, pole()).tolist() == [0, 1, 0, 1, 0]
    assert translate(actions, pole(foreign_actions="noop", noop=1)).tolist() == [0, 1, 1, 1, 1]
    assert translate(actions, pole3d(foreign_actions="noop")).tolist() == [0, 1, 2, 3, 4]
    assert translate(actions, lake(foreign_actions="clamp")).tolist() == [0, 1, 2, 3, 3]
    assert translate(actions, lake(foreign_actions="noop", noop=0)).tolist() == [0, 1, 2, 3, 0]


def test_random_foreign_actions_are_uniform_and_own_ones_stay():
    lanes, turns = 50, 200
    foreign = ForeignActions(lake(foreign_actions="random"), range(lanes), 0, torch.device("cpu"))
    found = torch.stack([foreign.translate(torch.full((lanes,), 7), every(lanes)) for _ in range(turns)]).numpy()
    shares = np.bincount(found.ravel(), minlength=4) / found.size
    assert shares == pytest.approx([0.25] * 4, abs=4 * np.sqrt(0.25 * 0.75 / found.size))
    assert abs(np.corrcoef(found[:-1].ravel(), found[1:].ravel())[0, 1]) < 0.05
    own = torch.arange(lanes) % 4
    assert torch.equal(foreign.translate(own, every(lanes)), own)
    with pytest.raises(ValueError, match="need a stream"):
        translate(own, lake(foreign_actions="random"))


def test_random_foreign_actions_of_a_lane_hang_on_its_seed_and_its_own_foreign_actions_alone():
    def of(seeds):
        return ForeignActions(lake(foreign_actions="random"), seeds, 0, torch.device("cpu"))

    many, alone = of([3, 4, 5]), of([5])
    for turn in range(40):
        asked = torch.tensor([9, 1, 9 if turn % 3 else 2])
        both = many.translate(asked, every(3))
        assert int(both[2]) == int(alone.translate(asked[2:], every(1))[0])
    many.keep([2])
    for _ in range(20):
        assert torch.equal(many.translate(torch.tensor([9]), every(1)), alone.translate(torch.tensor([9]), every(1)))


def test_a_mixture_with_random_foreign_actions_is_uniform_in_the_smaller_domain():
    """Roulette's 38 actions in NChain: every action of the mixture beyond NChain's two goes forward half the time."""
    chain = control_domain(
        "chain", Gymnasium(source="gymnasium", id="aiq/NChain-v0", bounds=(0, 3677), foreign_actions="random",
                           options={"slip": 0.0})
    )  # fmt: skip
    wheel = control_domain("wheel", Gymnasium(source="gymnasium", id="aiq/Roulette-v0", bounds=(-100, 0)))
    worlds = mixed(chain, wheel, [1.0] * 400, range(400))
    worlds.reset(every(400))
    back = worlds.step(torch.full((400,), 30), every(400)).reward.numpy()  # going back pays 2, forward 0
    assert set(back.tolist()) == {0.0, 2.0}
    assert (back == 2).mean() == pytest.approx(0.5, abs=4 * 0.5 / 20)


def test_both_orders_are_the_same_but_for_chance_and_a_domain_mixed_with_itself_sees_no_start_twice():
    assert not set(inner_seeds(range(200), 0)) & set(inner_seeds(range(200), 1))
    one, other = MixedDomain(pole(), lake(), [0.3]), MixedDomain(lake(), pole(), [0.7])
    facts = [(d.observations, d.actions, d.horizon, d.bounds) for d in (one, other)]
    assert facts[0] == facts[1] == (16, 4, 200, (0.0, 200.0))


# ---- what is paid


def test_rates_make_both_domains_pay_as_much():
    assert pay_rates(pole(), pole(gravity=100.0)) == (1.0, 1.0)
    assert pay_rates(pole(), pole3d()) == (1.0, 200.0)
    assert pay_rates(pole3d(training_reward="tick"), pole()) == (1.0, 1.0)
    assert pay_rates(lake(), pole3d()) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [(pole, pole3d, [1.0, 1.0]), (lambda: pole3d(training_reward="tick"), pole3d, [1.0, 1.0])],
)
def test_rewards_of_a_step(first, second, expected):
    worlds = mixed(first(), second(), [1.0, 0.0], [1, 2])
    worlds.reset(every(2))
    assert worlds.step(no_actions(2), every(2)).reward.tolist() == pytest.approx(expected)
    idle = worlds.step(no_actions(2), torch.tensor([True, False])).reward.tolist()
    assert idle == pytest.approx([expected[0], 0.0])


# ---- failures and refusals


def test_a_lane_fails_as_a_whole():
    worlds = mixed(lake(), lake(), [0.5] * 4, [1, 2, 3, 4])
    worlds.reset(every(4))
    lane = int(torch.nonzero(worlds.in_first)[0])

    def broken(action):
        raise RuntimeError("broken")

    worlds._inner[0]._simulators[lane].step = broken
    outcome = worlds.step(no_actions(4), every(4))
    assert list(worlds.failures) == [lane]
    assert "raised RuntimeError (broken) at action 0" in worlds.failures[lane]
    for _ in range(30):
        assert (outcome.reward[lane], bool(outcome.terminated[lane])) == (0.0, True)
        assert not outcome.observation[lane].any()
        worlds.reset(outcome.terminated | outcome.truncated)
        outcome = worlds.step(no_actions(4), every(4))
    assert list(worlds.failures) == [lane]
    others = [number for number in range(4) if number != lane]
    worlds.keep([others[0], lane])
    assert list(worlds.failures) == [1]
    worlds.close()


def test_refusals():
    with pytest.raises(DomainError, match="2 proportions are given for 1 seeds"):
        mixed(pole(), lake(), [0.5, 0.5], [1])
    with pytest.raises(DomainError, match=r"proportion is 1\.5; it must lie in \[0, 1\]"):
        mixed(pole(), lake(), [1.5], [1])
    worlds = mixed(pole(), lake(), [0.5], [1])
    worlds.reset(every(1))
    with pytest.raises(DomainError, match="action is 4; the mixture of pole and lake has the actions 0 to 3"):
        worlds.step(torch.tensor([4]), every(1))
