"""The key ``device``: what it allows, which domains a GPU serves, and what trainings on another device are."""

import copy
from pathlib import Path

import pytest
import yaml

from aiq.config.training import Reinforcement
from aiq.domains.control.cartpole import CartPoleDomain
from aiq.domains.control.mixed_worlds import MixedDomain
from aiq.domains.control.relabelled import PaddedDomain
from aiq.domains.control.settings import CartPole
from aiq.errors import ConfigurationError, TrainingError
from aiq.plans.run import Run
from aiq.records.trial import Architecture, Policy
from aiq.run.upkeep import doctor
from aiq.training import reinforcement

CONFIG = Path(__file__).parents[2] / "config"
DQN = {"algorithm": "dqn", "steps": 20, "optimizer": {"name": "adam", "learning_rate": 0.001}}


def shipped(name: str, **changes: object) -> dict:
    return {**yaml.safe_load((CONFIG / f"{name}.yaml").read_text(encoding="utf-8")), **changes}


def refusal(raw: object) -> str:
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
    found = refusal(shipped("quickstart", device=device))
    assert found.startswith(f"configuration at device: device is {device!r}; allowed are cpu, cuda, and cuda:0")


@pytest.mark.parametrize("name", ["cartpole3d-small", "similarity-gym"])
def test_worlds_that_the_processor_simulates_refuse_a_gpu_before_any_work(name: str):
    found = refusal(shipped(name, device="cuda"))
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
    settings = Reinforcement.model_validate(DQN)
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
