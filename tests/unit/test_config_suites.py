"""Suites that are played, and on which device: what fits together, and one sentence for everything else."""

import copy
import functools
from pathlib import Path

import pytest
import yaml

import changes
from aiq.config import validate
from aiq.config.load import parse, read
from aiq.config.training import Reinforcement
from aiq.domains import CONTROL_FAMILIES
from aiq.domains.control.cartpole import CartPoleDomain
from aiq.domains.control.mixed_worlds import MixedDomain
from aiq.domains.control.relabelled import PaddedDomain
from aiq.domains.control.settings import CartPole, CartPole3D
from aiq.errors import ConfigurationError, TrainingError
from aiq.plans.run import Run
from aiq.records.trial import Architecture, Policy
from aiq.run.upkeep import doctor
from aiq.training import reinforcement

ROOT = Path(__file__).parents[2]
ACROBOT = {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0]}
DQN = {"algorithm": "dqn", "steps": 500, "optimizer": {"name": "adam", "learning_rate": 0.001}}
SUPERVISED = {"epochs": 2, "batch_size": 16, "optimizer": {"name": "adam", "learning_rate": 0.01}}
NET = {"layers": 1, "width": 8}
CONTROL = {
    "name": "control",
    "seed": 1,
    "results": "r",
    "domains": {"normal": {"source": "cartpole"}, "heavy": {"source": "cartpole", "gravity": 180}},
    "pool": {"size": 4, "policies_per_chunk": 2},
    "training": DQN,
    "dissimilarity": {"network": NET, "training": DQN},
    "agents": {"networks": [{"name": "small", **NET}], "outside": [{"name": "mine", "factory": "mine:make"}]},
    "baseline": {},
}
changed = functools.partial(changes.changed_at, CONTROL)


def refused(make, *given):
    with pytest.raises(ConfigurationError) as caught:
        make(*given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- domains --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "idle"), [({}, 0), ({"noop": 3}, 3)])
def test_cartpole3d_knows_its_idle_action(given, idle):
    assert validate(CartPole3D, {"source": "cartpole3d", "foreign_actions": "noop", **given}).idle == idle
    assert CartPole3D(source="cartpole3d").idle is None


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ({"source": "cartpole3d", "novelty": 17}, "at novelty: must be less than or equal to 16 (given: 17)"),
        ({"source": "cartpole3d", "difficulty": "eazy"}, "difficulty is 'eazy' (did you mean 'easy'?); allowed are"),
        ({"source": "cartpole", "length": 1}, "unknown key 'length'"),
        ({"source": "cartpole", "foreign_actions": "noop"}, "noop, the action that does nothing, is not named"),
        ({"source": "cartpole", "noop": 1}, "noop is 1, but foreign_actions is modulo"),
        ({"source": "gymnasium", "id": "Acrobot-v1"}, "the key 'bounds' is missing"),
        ({**ACROBOT, "bounds": [0, -500]}, "bounds [0.0, -500.0] must be the smallest and the largest return"),
        ({**ACROBOT, "bounds": [0]}, "bounds is [0], it must be [smallest return, largest return]"),
        ({**ACROBOT, "scale": [[0, 1], [2, 2]]}, "scale [2.0, 2.0] of entry 1 must be low and high"),
        ({**ACROBOT, "scale": "aut"}, "at scale: must be a list or 'auto' (given: 'aut')"),
        ({**ACROBOT, "options": {"max_episode_steps": 3}}, "options must not hold 'max_episode_steps': use horizon"),
        ({**ACROBOT, "options": {"x": float("inf")}}, "at options.x: must be a finite number"),
    ],
)
def test_a_mistake_is_one_sentence(raw, sentence):
    assert sentence in refused(validate, CONTROL_FAMILIES[raw["source"]].settings, raw, "domain")


# ---- suites ---------------------------------------------------------------------------------------


def test_a_suite_of_control_domains_is_told_from_a_labelled_one():
    found = parse(CONTROL)
    assert found.control
    assert isinstance(found.training, Reinforcement)
    assert found.agent_training == found.training
    assert parse(found.model_dump(mode="json")) == found
    assert not parse(read(ROOT / "config" / "quickstart.yaml")).control


def test_the_baseline_is_the_papers_by_default():
    """Section 3.4.3 and the public code: 2 x 512, 500,000 steps, Adam at 0.001, Boltzmann, soft target 0.01."""
    baseline = parse(CONTROL).baseline
    assert (baseline.network.layers, baseline.network.width) == (2, 512)
    assert baseline.training.steps == 500_000
    assert baseline.training.optimizer.learning_rate == 0.001
    assert (baseline.training.exploration.rule, baseline.training.exploration.temperature) == ("boltzmann", 1)
    assert (baseline.training.target.rate, baseline.training.batch_size, baseline.training.replay) == (0.01, 32, 50_000)
    assert (baseline.training.discount, baseline.training.learning_starts, baseline.training.double) == (0.99, 10, True)


CASES = [
    ("domains/digits", {"source": "sklearn", "name": "digits"},
     "domain 'normal' is played and domain 'digits' is labelled, a suite is all of one kind: take source: recorded"),
    ("training", SUPERVISED, "training is for labelled data, but the domains are played: give algorithm: dqn"),
    ("training/algorithm", "ppo", "at training.algorithm: algorithm is 'ppo'; allowed are dqn"),
    ("training", {**SUPERVISED, "algorithm": "dqn"}, "at training: unknown key 'epochs'"),
    ("training", {"algorithm": "dqn", "optimizer": DQN["optimizer"]}, "at training: the key 'steps' is missing"),
    ("pool/family", "convolutional", "pool is convolutional, but control domains are observed as vectors"),
    ("dissimilarity/network/family", "convolutional", "dissimilarity.network is convolutional"),
    ("agents/networks", [{"name": "c", "family": "convolutional", **NET}], "agent c is convolutional"),
    ("baseline", {"network": {"family": "convolutional", **NET}}, "baseline.network is convolutional"),
    ("baseline", {"trained_on": "norml"}, "baseline.trained_on is 'norml', which is no domain of the suite (did you"),
    ("baseline/step", 5, "at baseline: unknown key 'step'"),
    ("dissimilarity/samples", 100, "dissimilarity.samples is 100, but control domains have no samples"),
    ("dissimilarity/labels", "told", "dissimilarity.labels is 'told', but control domains have no labels"),
    ("dissimilarity", {"network": NET, "controls": True, "training": {**DQN, "steps": 50}},
     "with dissimilarity.controls the shortest training has 5 steps, but learning starts after 10"),
    ("agents/outside", [{"name": "m", "factory": "mine"}], "factory is 'mine'; write module:factory"),
    ("agents/outside", [{"name": "small", "factory": "m:n"}], "agent 'small' is named twice"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "sentence"), CASES, ids=[f"{p}-{k}" for k, (p, _, _) in enumerate(CASES)])
def test_what_does_not_fit_is_one_sentence(place: str, value: object, sentence: str):
    assert sentence in refused(parse, changed(place, value))


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("training", DQN, "training has the algorithm 'dqn', but the domains are labelled: give epochs"),
        ("baseline", {}, "baseline is for control domains, but the domains are labelled"),
    ],
)
def test_labelled_suites_take_nothing_that_plays(key: str, value: object, sentence: str):
    assert sentence in refused(parse, {**read(ROOT / "config" / "quickstart.yaml"), key: value})


# ---- the key device: which domains a GPU serves, and what trainings on another device are --------


SHIPPED = Path(__file__).parents[2] / "config"
SHORT = {"algorithm": "dqn", "steps": 20, "optimizer": {"name": "adam", "learning_rate": 0.001}}


def shipped(name: str, **changes: object) -> dict:
    return {**yaml.safe_load((SHIPPED / f"{name}.yaml").read_text(encoding="utf-8")), **changes}


def refused_run(raw: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Run.of(raw)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "device"),
    [("quickstart", "cpu"), ("quickstart", "cuda"), ("similarity-images", "cuda:0"), ("cartpole", "cuda:12")],
)
def test_one_of_several_gpus_is_named_by_its_number(name: str, device: str):
    assert Run.of(shipped(name, device=device)).configuration.device == device


@pytest.mark.parametrize("device", ["gpu", "cpu:0", "cuda:-1", "cuda:1 "])
def test_what_is_no_device_is_one_sentence(device: str):
    found = refused_run(shipped("quickstart", device=device))
    assert found.startswith(f"configuration at device: device is {device!r}; allowed are cpu, cuda, and cuda:0")


@pytest.mark.parametrize("name", ["cartpole3d-small", "similarity-gym"])
def test_worlds_that_the_processor_simulates_refuse_a_gpu_before_any_work(name: str):
    found = refused_run(shipped(name, device="cuda"))
    assert "is simulated on the processor, one world after the other" in found
    assert found.endswith("take device: cpu")
    assert len(found) < 400


def test_so_do_the_trainers_themselves():
    domain = CartPoleDomain("slow", CartPole(source="cartpole"))
    assert domain.on_gpu
    domain.on_gpu = False
    for part in (
        PaddedDomain(domain, 5, 3),
        MixedDomain(domain, CartPoleDomain("c", CartPole(source="cartpole")), [0.5]),
    ):
        assert not part.on_gpu
    settings = Reinforcement.model_validate(SHORT)
    network = Architecture("dense", (4,))
    told = {"device": "cuda"}
    calls = [
        lambda: reinforcement.train_agents(domain, [Policy(network, 1)], settings, seeds=[1], **told),
        lambda: reinforcement.train_mixtures(
            *(domain, domain, network, settings), proportions=[0.5], repetitions=[0], seed=1, **told
        ),
        lambda: reinforcement.train_alone(
            *(domain, network, settings), places=[(1.0, 0)], interface=None, seed=1, **told
        ),
    ]
    for call in calls:
        with pytest.raises(TrainingError, match=r"slow is simulated on the processor.* take device 'cpu'"):
            call()


def test_similarities_of_a_gpu_are_not_mixed_with_those_of_a_cpu():
    raw = shipped("similarity-images")
    plans = [Run.of(copy.deepcopy(raw) | {"device": device}).plan for device in ("cpu", "cuda", "cuda:1")]
    cpu, one, two = ({job.block: plan.of_job(job) for job in plan.jobs} for plan in plans)
    assert cpu.keys() == one.keys()
    assert one == two
    assert not set(cpu.values()) & set(one.values())


def test_on_a_cluster_a_job_sees_one_gpu_only(monkeypatch):
    monkeypatch.setattr(doctor.slurm, "ask", lambda *words: (True, "slurm 22.05"))
    monkeypatch.setattr(doctor.slurm, "partitions", dict)
    for name in ("_accepted", "_polling"):
        monkeypatch.setattr(doctor, name, lambda *told: doctor.Check("x", True, "") if len(told) > 1 else iter(()))
    found = {}
    for device in ("cuda", "cuda:1"):
        run = Run.of(shipped("quickstart", device=device))
        found[device] = {check.name: check.says for check in doctor._cluster(run, None, {}) if not check.passed}
    assert list(found["cuda"]) == ["gpu"]
    assert found["cuda:1"]["device"] == "a job sees the one GPU that it was given, so cuda:1 is not there; take cuda"
