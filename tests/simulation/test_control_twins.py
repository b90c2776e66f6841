"""Twins of played tests: the same episodes under other names of observations and actions, and nothing else."""

import numpy as np
import pytest
import torch

from aiq import domains
from aiq.config import validate
from aiq.config.base import fingerprint
from aiq.domains.control.relabelled import TwinDomain, on_ground, translate
from aiq.errors import DomainError
from aiq.records.domains import ControlInterface
from tests.simulation.reinforcement_worlds import Drift

EVERY = torch.ones(4, dtype=torch.bool)
SEEDS = [11, 12, 13, 14]


def of(raw, **more):
    settings = validate(domains.CONTROL_FAMILIES[raw["source"]].settings, {**raw, **more})
    return domains.control_domain("d", settings, root_seed=3)


def played(domain, choose, steps=40):
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
    seen, paid, over = played(test, lambda actions: actions)
    twin_seen, twin_paid, twin_over = played(twin, lambda actions: other[actions])
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


def test_a_test_without_a_twin_keeps_its_fingerprint():
    settings = domains.CONTROL_FAMILIES["cartpole"].settings
    raw = {"source": "cartpole"}
    assert "twin" not in validate(settings, raw).model_dump(mode="json")
    assert fingerprint(validate(settings, raw)) != fingerprint(validate(settings, {**raw, "twin": 1}))


# ---- places -------------------------------------------------------------------------------------


def test_observations_lie_in_places_of_their_space_and_a_twin_stays_in_those_of_its_test():
    ground = ControlInterface(16, 4, 50.0, places=7)

    def places(domain):
        seen, _, _ = played(on_ground(domain, ground), lambda actions: actions % domain.actions)
        return tuple(seen.reshape(-1, 16).any(dim=0).nonzero().flatten().tolist())

    pole, heavy, twin = of(WHICH[0]), of(WHICH[0], gravity=60), of(WHICH[0], twin=1)
    assert places(pole) == places(heavy) == places(twin)
    assert len(places(pole)) == 4
    assert places(pole) != (0, 1, 2, 3)
    acrobot = of({"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0], "horizon": 50})
    assert not set(places(pole)) <= set(places(acrobot))
    plain, laid = (on_ground(pole, ControlInterface(16, 4, 50.0, places=root)) for root in (None, 7))
    one, other = (played(domain, lambda actions: actions % 2)[0] for domain in (plain, laid))
    assert torch.equal(one.sort(dim=-1).values, other.sort(dim=-1).values)


def test_places_are_part_of_the_interface_and_of_no_other():
    assert ControlInterface(4, 2, 1.0).words == [4, 2, 1.0]
    assert ControlInterface(4, 2, 1.0, places=7).words == [4, 2, ["places", 7], 1.0]
