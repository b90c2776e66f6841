"""What every registered control domain keeps, alone and in a mixture."""

import json

import numpy as np
import pytest
import torch

from aiq import domains
from aiq.config import validate
from aiq.domains.control.mixed_worlds import MixedDomain
from aiq.domains.control.settings import Control
from aiq.errors import DomainError


def of_family(source: str) -> dict[str, object]:
    """The parameters that a family gives as its example."""
    return {key: value for key, value in domains.CONTROL_FAMILIES[source].example.items() if key != "source"}


EXAMPLES = {source: [of_family(source)] for source in domains.CONTROL_FAMILIES} | {
    "cartpole": [{}, {"gravity": 180.0, "force": 4.0, "training_reward": "tick"}],
    "cartpole3d": [{"view": "cart"}, {"novelty": 16, "difficulty": "hard", "foreign_actions": "noop"}],
    "gymnasium": [
        {"id": "FrozenLake-v1", "bounds": [0, 1]},
        {"id": "Taxi-v4", "bounds": [-2000, 20]},
        {"id": "CliffWalking-v1", "bounds": [-6000, 0], "horizon": 60},
        {"id": "Acrobot-v1", "bounds": [-500, 0], "scale": "auto", "horizon": 100},
        {"id": "aiq/NChain-v0", "bounds": [0, 3677], "horizon": 40},
        {"id": "aiq/Roulette-v0", "bounds": [-100, 3600], "foreign_actions": "clamp"},
        {"id": "FrozenLake8x8-v1", "bounds": [0, 1], "foreign_actions": "random"},
        {"id": "MountainCar-v0", "bounds": [-200, 0], "scale": [[-1.2, 0.6], [-0.07, 0.07]]},
    ],
    "bf": [{"environments": 20}, {"program": ",.#", "foreign_actions": "noop", "noop": 2}],
    "anytime_cups": [{"cups": 4}],
    "anytime_automaton": [{"environments": 5, "steps": 40}],
    "anytime_grid": [{"environments": 5}],
    "lambda_star": [{"rows": 4, "columns": 6}],
    "gym2020": [{"name": "FrozenLake"}, {"name": "CartPole-v0"}],
    "answered": [
        {"data": {"source": "sklearn", "name": "wine"}},
        {"data": {"source": "sklearn", "name": "digits"}, "steps": 7, "foreign_actions": "random"},
    ],
}


def settings_of(source, parameters):
    return validate(domains.CONTROL_FAMILIES[source].settings, {"source": source, **parameters})


def control(source, **parameters):
    return domains.control_domain("d", settings_of(source, parameters))


def mixture():
    return MixedDomain(control("cartpole"), control("cartpole3d", view="cart"), [0.5] * 5)


CASES = [
    pytest.param(lambda s=source, p=parameters: control(s, **p), id="-".join([source, *map(str, parameters.values())]))
    for source, examples in EXAMPLES.items()
    for parameters in examples
] + [pytest.param(mixture, id="mixture")]
SEEDS = [11, 12, 13, 2**62 + 5, 15]


class Play:
    """Random play that notes each lane's trajectory; a lane's actions are a function of its seed and their number."""

    def __init__(self, domain, seeds):
        self.domain, self.worlds = domain, domain.worlds(seeds)
        self.random = [np.random.default_rng(seed) for seed in seeds]
        self.seen = [[] for _ in seeds]
        self.over = torch.ones(len(seeds), dtype=torch.bool)

    def step(self, which):
        """Step the lanes of ``which``, after a reset of those among them whose episode is over."""
        begin = which & self.over
        observed = self.worlds.reset(begin)
        check_observations(observed, self.domain, self.worlds.lanes)
        for lane in torch.nonzero(begin).flatten().tolist():
            self.seen[lane].append(("start", observed[lane].numpy().tobytes()))
        actions = torch.zeros(self.worlds.lanes, dtype=torch.int64)
        chosen = torch.nonzero(which).flatten().tolist()
        for lane in chosen:
            actions[lane] = int(self.random[lane].integers(self.domain.actions))
        outcome = self.worlds.step(actions, which)
        check_outcome(outcome, which, self.domain, self.worlds.lanes)
        for lane in chosen:
            parts = (outcome.reward, outcome.terminated, outcome.truncated)
            numbers = tuple(float(part[lane]) for part in parts)
            self.seen[lane].append((numbers, outcome.observation[lane].numpy().tobytes()))
        self.over = (self.over & ~begin) | outcome.terminated | outcome.truncated

    def run(self, steps):
        """Step all lanes."""
        for _ in range(steps):
            self.step(torch.ones(self.worlds.lanes, dtype=torch.bool))
        return self

    def episodes(self):
        """Return rewards of every finished episode, lane by lane."""
        found, rewards = [], []
        for what, _ in (entry for lane in self.seen for entry in [*lane, ("start", b"")]):
            if what == "start":
                rewards = []
            else:
                rewards.append(what[0])
                if what[1] or what[2]:
                    found.append(rewards)
        return found


def check_observations(observed, domain, lanes):
    assert (observed.shape, observed.dtype) == ((lanes, domain.observations), torch.float32)
    assert torch.isfinite(observed).all()


def check_outcome(outcome, which, domain, lanes):
    check_observations(outcome.observation, domain, lanes)
    assert (outcome.reward.shape, outcome.reward.dtype) == ((lanes,), torch.float32)
    assert outcome.terminated.dtype == outcome.truncated.dtype == torch.bool
    assert outcome.terminated.shape == outcome.truncated.shape == (lanes,)
    assert torch.isfinite(outcome.reward).all()
    for part in (outcome.reward, outcome.terminated, outcome.truncated, outcome.observation):
        assert not part[~which].any(), "idle lanes hold zeros"


# ---- the registry


def test_every_source_of_the_configuration_is_registered_and_tested_here():
    assert set(domains.CONTROL_FAMILIES) == set(EXAMPLES)
    assert not set(domains.CONTROL_FAMILIES) & set(domains.FAMILIES)


@pytest.mark.parametrize("family", domains.CONTROL_FAMILIES.values(), ids=lambda family: family.source)
def test_families_are_described_and_their_examples_work(family):
    assert family.kind == "control"
    told = json.loads(json.dumps(family.describe(), allow_nan=False))
    assert set(told["parameters"]) == set(family.settings.model_fields)
    assert all(parameter["description"] for parameter in told["parameters"].values())
    assert "\n" not in family.description + family.samples
    domain = domains.control_domain("d", validate(family.settings, family.example))
    assert domain.actions >= 2


def test_settings_without_a_source_are_refused():
    with pytest.raises(DomainError, match="source is 'None'; allowed are cartpole, cartpole3d, gymnasium, bf"):
        domains.control_domain("d", Control())


# ---- every domain


@pytest.mark.parametrize("make", CASES)
def test_declared_facts_are_sound_and_the_data_sheet_is_complete(make):
    domain = make()
    assert domain.observations >= 1
    assert domain.actions >= 2
    assert domain.horizon >= 1
    assert domain.training_reward in ("own", "tick")
    assert domain.foreign in ("modulo", "noop", "clamp", "random")
    assert domain.foreign != "noop" or 0 <= domain.noop < domain.actions
    low, high = domain.bounds
    assert [domain.performance(total) for total in (low, (low + high) / 2, high)] == pytest.approx([0, 0.5, 1])
    assert [domain.performance(total) for total in (low - 1, high + 1)] == [0, 1]
    sheet = domain.sheet
    assert sheet == make().sheet
    assert all(getattr(sheet, key) for key in ("description", "source", "licence", "class_names", "notes"))
    assert len(sheet.class_names) == domain.actions
    assert not [text for text in (sheet.description, sheet.source, *sheet.notes) if "\n" in text]


@pytest.mark.parametrize("make", CASES)
def test_a_seed_names_the_trajectory_and_another_gives_another(make):
    domain = make()
    first, again = (Play(domain, SEEDS).run(60) for _ in range(2))
    assert first.seen == again.seen
    assert not first.worlds.failures
    assert len({str(lane) for lane in first.seen}) == len(SEEDS)


@pytest.mark.parametrize("make", CASES)
def test_a_lane_depends_on_no_other_nor_on_when_the_others_are_stepped(make):
    domain = make()
    together, scattered = Play(domain, SEEDS).run(40), Play(domain, SEEDS)
    random = torch.Generator().manual_seed(3)
    for _ in range(70):
        scattered.step(torch.rand(len(SEEDS), generator=random) < 0.4)
    for one, other in zip(together.seen, scattered.seen, strict=True):
        shared = min(len(one), len(other))
        assert shared > 10
        assert one[:shared] == other[:shared]
    if not isinstance(domain, MixedDomain):
        assert Play(domain, SEEDS[2:3]).run(40).seen[0] == together.seen[2]


@pytest.mark.parametrize("make", CASES)
def test_kept_lanes_go_on_as_if_nothing_had_happened(make):
    domain = make()
    whole, cut = Play(domain, SEEDS).run(50), Play(domain, SEEDS).run(20)
    order = [3, 0, 4]
    cut.worlds.keep(order)
    assert cut.worlds.lanes == 3
    cut.random, cut.seen = ([part[lane] for lane in order] for part in (cut.random, cut.seen))
    cut.over = cut.over[order]
    cut.run(30)
    assert cut.seen == [whole.seen[lane] for lane in order]
    cut.worlds.keep([])
    assert cut.worlds.lanes == 0
    cut.worlds.close()


@pytest.mark.parametrize("make", CASES)
def test_bounds_and_horizon_hold_under_random_play(make):
    domain = make()
    play = Play(domain, SEEDS)
    play.run(max(150, domain.horizon + 1))
    found = play.episodes()
    assert len(found) >= len(SEEDS)
    assert max(len(rewards) for rewards in found) <= domain.horizon
    low, high = domain.bounds
    slack = 1e-6 * max(abs(low), abs(high))
    assert all(low - slack <= sum(rewards) <= high + slack for rewards in found)


@pytest.mark.parametrize("make", CASES)
def test_steps_outside_an_episode_and_actions_outside_the_space_are_refused(make):
    domain, every = make(), torch.ones(len(SEEDS), dtype=torch.bool)
    for action in (domain.actions, -1):
        worlds = domain.worlds(SEEDS)
        with pytest.raises(DomainError, match=r"the episode of lane \d is over"):
            worlds.step(torch.zeros(len(SEEDS), dtype=torch.int64), every)
        worlds.reset(every)
        with pytest.raises(DomainError, match=f"action is {action};"):
            worlds.step(torch.full((len(SEEDS),), action), every)
        worlds.close()


@pytest.mark.parametrize("make", CASES)
def test_what_is_handed_out_is_not_changed_later(make):
    worlds = make().worlds(SEEDS)
    every, actions = torch.ones(len(SEEDS), dtype=torch.bool), torch.zeros(len(SEEDS), dtype=torch.int64)
    started = worlds.reset(every)
    kept = started.clone()
    outcome = worlds.step(actions, every)
    after = outcome.observation.clone()
    worlds.reset(every)
    worlds.step(actions, every)
    assert torch.equal(started, kept)
    assert torch.equal(outcome.observation, after)
    started.fill_(7.0)
    assert not (worlds.reset(torch.zeros_like(every)) == 7.0).any()
