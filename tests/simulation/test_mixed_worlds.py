"""Mixtures: which domain comes how often, what is padded, translated and paid; twins of played tests."""

import numpy as np
import pytest
import torch

from aiq import domains
from aiq.config import validate
from aiq.domains import control_domain
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.domains.control.mixed_worlds import MixedDomain, inner_seeds, pay_rates
from aiq.domains.control.relabelled import ForeignActions, TwinDomain, on_ground, translate
from aiq.domains.control.settings import CartPole, CartPole3D
from aiq.errors import DomainError
from aiq.records.domains import ControlInterface
from tests.simulation.reinforcement_worlds import Drift


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


# ---- twins: the same episodes under other names of observations and actions ----------------------


EVERY = torch.ones(4, dtype=torch.bool)
SEEDS = [11, 12, 13, 14]


def of(raw, **more):
    settings = validate(domains.CONTROL_FAMILIES[raw["source"]].settings, {**raw, **more})
    return domains.control_domain("d", settings, root_seed=3)


def episodes_of(domain, choose, steps=40):
    """Observations, rewards and ends of four worlds in which some actions are taken."""
    worlds, random, seen = domain.worlds(SEEDS), np.random.default_rng(2), []
    seen.append(worlds.reset(EVERY))
    paid, over = [], []
    for _ in range(steps):
        told = worlds.step(choose(torch.from_numpy(random.integers(0, domain.actions, 4))), EVERY)
        seen.append(told.observation)
        paid.append(told.reward)
        over.append(told.terminated | told.truncated)
        if over[-1].any():
            worlds.reset(over[-1])
    return torch.stack(seen), torch.stack(paid), torch.stack(over)


LAKE = {"source": "gymnasium", "id": "FrozenLake-v1", "bounds": [0, 1], "horizon": 50}
WHICH = ({"source": "cartpole", "steps": 50}, LAKE, {"source": "anytime_cups", "steps": 50, "cups": 5})


@pytest.mark.parametrize("raw", WHICH, ids=lambda raw: raw["source"])
def test_the_same_actions_by_their_other_names_give_the_same_episodes(raw):
    test, twin = of(raw), of(raw, twin=1)
    assert not any(a == b for a, b in enumerate(twin.order))
    other = torch.tensor(twin.order).argsort()
    seen, paid, over = episodes_of(test, lambda actions: actions)
    twin_seen, twin_paid, twin_over = episodes_of(twin, lambda actions: other[actions])
    assert torch.equal(paid, twin_paid)
    assert torch.equal(over, twin_over)
    columns, twin_columns = (
        sorted(map(tuple, one.reshape(-1, test.observations).t().tolist())) for one in (seen, twin_seen)
    )
    assert columns == twin_columns
    assert (test.bounds, test.horizon, test.training_reward) == (twin.bounds, twin.horizon, twin.training_reward)


def reached(domain, weights, steps=50):
    """Performance in one episode of each of four worlds, of a network of one layer, (actions, observations)."""
    worlds = domain.worlds(SEEDS)
    observation, total, going = worlds.reset(EVERY), torch.zeros(4), EVERY.clone()
    for _ in range(steps):
        told = worlds.step((observation.double() @ weights.T).argmax(dim=1), EVERY)
        total += told.reward * going
        observation, ended = told.observation, told.terminated | told.truncated
        going &= ~ended
        if ended.any():
            observation = torch.where(ended[:, None], worlds.reset(ended), observation)
    return domain.performance(float(total.mean()))


@pytest.mark.parametrize("raw", WHICH, ids=lambda raw: raw["source"])
def test_a_network_with_its_weights_permuted_alike_plays_a_twin_as_well_as_the_test(raw):
    test, twin = of(raw), of(raw, twin=1)
    weights = torch.randn(20, test.actions, test.observations, generator=torch.Generator().manual_seed(1)).double()
    one = [reached(test, w) for w in weights]
    other = [reached(twin, w[list(twin.order)][:, twin._places]) for w in weights]
    assert len(set(one)) > 1
    apart = np.array(one) - other
    assert abs(apart.mean()) < 0.02
    assert (apart == 0).mean() >= 0.9  # sums in another order turn an equal choice of two actions here and there


def test_twins_of_one_space_are_permuted_alike_and_others_otherwise():
    pole, heavy = of(WHICH[0], twin=2), of(WHICH[0], gravity=60, twin=2)
    assert (pole._places, pole.order) == (heavy._places, heavy.order)
    assert len({tuple(of(LAKE, twin=k)._places) for k in range(1, 6)}) == 5


@pytest.mark.parametrize("foreign", ["modulo", "clamp", "noop"])
def test_actions_beyond_its_own_do_what_they_do_in_the_test(foreign):
    more = {"foreign_actions": foreign} | ({"noop": 1} if foreign == "noop" else {})
    test, twin = of(LAKE, **more), of(LAKE, **more, twin=1)
    actions = torch.arange(11)
    done = torch.tensor(twin.order)[translate(actions, twin)]
    assert torch.equal(done[4:], translate(actions, test)[4:])
    assert torch.equal(done[:4], torch.tensor(twin.order))


def test_a_twin_of_a_domain_with_a_test_split_is_measured_there():
    data = {"source": "sklearn", "name": "digits", "limit": 60, "limit_test": 30}
    test, twin = of({"source": "answered", "data": data}), of({"source": "answered", "data": data}, twin=1)
    assert twin.measured is not twin
    assert twin.measured.measured.order == twin.order
    rows = {tuple(sorted(row.tolist())) for row in test.measured.samples.observations}
    seen = twin.measured.worlds(SEEDS).reset(EVERY)
    assert {tuple(sorted(row.tolist())) for row in seen} <= rows


def test_a_twin_goes_on_from_a_state():
    twin = of(WHICH[0], twin=1)
    one, other = twin.worlds(SEEDS), twin.worlds(SEEDS)
    one.reset(EVERY)
    other.reset(EVERY)
    one.step(torch.zeros(4, dtype=torch.int64), EVERY)
    other.restore(one.state())
    told, again = (worlds.step(torch.ones(4, dtype=torch.int64), EVERY) for worlds in (one, other))
    assert torch.equal(told.observation, again.observation)


def test_an_action_that_no_world_has_is_refused_and_a_test_of_one_action_has_no_twin():
    worlds = of(WHICH[0], twin=1).worlds(SEEDS)
    worlds.reset(EVERY)
    with pytest.raises(DomainError, match="2"):
        worlds.step(torch.full((4,), 2), EVERY)
    with pytest.raises(DomainError, match="domain drift has one action"):
        TwinDomain(Drift(actions=1), 1, 3)


# ---- places -------------------------------------------------------------------------------------


def test_observations_lie_in_places_of_their_space_and_a_twin_stays_in_those_of_its_test():
    ground = ControlInterface(16, 4, 50.0, places=7)

    def places(domain):
        seen, _, _ = episodes_of(on_ground(domain, ground), lambda actions: actions % domain.actions)
        return tuple(seen.reshape(-1, 16).any(dim=0).nonzero().flatten().tolist())

    pole, heavy, twin = of(WHICH[0]), of(WHICH[0], gravity=60), of(WHICH[0], twin=1)
    assert places(pole) == places(heavy) == places(twin)
    assert len(places(pole)) == 4
    assert places(pole) != (0, 1, 2, 3)
    acrobot = of({"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0], "horizon": 50})
    assert not set(places(pole)) <= set(places(acrobot))
    plain, laid = (on_ground(pole, ControlInterface(16, 4, 50.0, places=root)) for root in (None, 7))
    one, other = (episodes_of(domain, lambda actions: actions % 2)[0] for domain in (plain, laid))
    assert torch.equal(one.sort(dim=-1).values, other.sort(dim=-1).values)


def test_places_are_part_of_the_interface_and_of_no_other():
    assert ControlInterface(4, 2, 1.0).words == [4, 2, 1.0]
    assert ControlInterface(4, 2, 1.0, places=7).words == [4, 2, ["places", 7], 1.0]
