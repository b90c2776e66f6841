"""What is changed redoes what depends on it and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planned import BASE, QUICK, every, names, plan, raw, redone, results, units

from aiq.config import parse
from aiq.plans import suite_jobs
from aiq.plans.suite import SPACE, SuitePlan


@QUICK
@given(domains=names, data=st.data())
def test_a_changed_domain_redoes_what_depends_on_it(domains, data):
    made = raw(domains)
    one = SuitePlan(parse(made))
    victim = data.draw(st.sampled_from(domains))
    made["domains"][victim]["noise"] = 0.25
    wanted = {key for key in units(one) | results(one) if victim in (key[1:2] if key[0] == "alone" else key[1:3])}
    wanted |= every(one, "dissimilarity", "space", "scores", "known_baselines")
    assert redone(one, SuitePlan(parse(made))) == wanted


ALL = ("domain", "trials", "mixtures", "alone", "agents", "complexity", "entropy", "dissimilarity", "space", "scores")
ALL += ("known_baselines",)
TRAINED = ("mixtures", "alone", "dissimilarity", "space", "scores")
CHANGES = [
    ("seed", 1, ALL),
    ("pool/width", [1, 64], ("trials", "complexity", "space", "scores")),
    ("training/epochs", 3, ("trials", "agents", "complexity", "space", "scores")),
    ("complexity/bins", 10, ("complexity", "space", "scores")),
    ("entropy/method", "histogram", ("entropy",)),
    ("known_baselines/pairs", 99, ("known_baselines",)),
    ("dissimilarity/proportions", 5, TRAINED),
    ("dissimilarity/network/width", 9, TRAINED),
    ("dissimilarity/training/epochs", 9, TRAINED),
    ("dissimilarity/samples", 99, ("dissimilarity", "space", "scores")),  # units have them from the interface
    ("dissimilarity/labels", "told", ("dissimilarity", "space", "scores")),
    ("dissimilarity/labels", "shared", ("mixtures", "dissimilarity", "space", "scores")),  # ends have their own first
    ("dissimilarity/estimator", "per_repetition", ("dissimilarity", "space", "scores")),
    ("dissimilarity/value", "corrected", ("dissimilarity", "space", "scores")),
    ("space/refine", True, ("space", "scores")),
    ("value", "volume", ("scores",)),
    ("agents/training", BASE["training"] | {"epochs": 2}, ("agents", "scores")),
    ("agents/table", "results.csv", ("scores",)),
    ("name", "other", ()),
    ("results", "elsewhere", ()),
    ("threads", 2, ()),
    ("device", "cuda", ("trials", "agents", "complexity", *TRAINED)),  # never mixed with what a CPU trained
    ("device", "cuda:1", ("trials", "agents", "complexity", *TRAINED)),
    ("jobs/target_minutes", 5, ()),
    ("data_root", "/data", ()),
    ("download", False, ()),
]


@pytest.mark.parametrize(("place", "value", "kinds"), CHANGES, ids=[change[0] for change in CHANGES])
def test_a_changed_setting_redoes_what_depends_on_it(place, value, kinds):
    made = raw(["a", "b", "c"])
    one = SuitePlan(parse(made))
    *path, last = place.split("/")
    node = made
    for part in path:
        node = node.setdefault(part, {})
    node[last] = value
    found = redone(one, SuitePlan(parse(made)))
    if place == "dissimilarity/proportions":  # ends have no proportions but 1
        found |= {key for key in units(one) if key[0] == "alone" and key[2] == "ends"}
    assert found == every(one, *kinds)


def test_which_of_several_gpus_trained_does_not_matter():
    made = raw(["a", "b"])
    one, other = (SuitePlan(parse({**made, "device": device})) for device in ("cuda", "cuda:3"))
    assert units(one) == units(other)


def test_results_of_gpus_before_their_orders_changed_are_not_taken_over(monkeypatch):
    """The fingerprints of GPUs hold a version of their own; those of a CPU hold nothing about the device."""
    made = raw(["a", "b"])
    plans = [SuitePlan(parse({**made, "device": device})) for device in ("cuda", "cpu")]
    now, cpu = (units(plan) | results(plan) for plan in plans)
    monkeypatch.setattr(suite_jobs, "GPU_ORDERS", 1)
    plans = [SuitePlan(parse({**made, "device": device})) for device in ("cuda", "cpu")]
    before, still = (units(plan) | results(plan) for plan in plans)
    assert {key for key in now if now[key] != before[key]} == every(
        plans[0], "trials", "agents", "complexity", *TRAINED
    )
    assert cpu == still


def test_domains_of_equal_parameters_are_one_content_but_two_trainings():
    made = raw(["a", "b"])
    made["domains"]["b"] = made["domains"]["a"]
    found = SuitePlan(parse(made))
    assert found.domain("a") == found.domain("b")
    assert found.trials("a") != found.trials("b")


def test_every_key_of_the_space_counts():
    """None is younger than the stage's version, which was raised when the headline came."""
    usual = plan(["a", "b"])
    written = usual.configuration.space.model_dump(mode="json")
    parts = [usual.complexity("a"), usual.complexity("b")]
    assert usual.space() == SPACE.fingerprint(parts, usual.dissimilarity(), written)
    made = raw(["a", "b"])
    made["space"] = {"distance": "transfer"}
    other = SuitePlan(parse(made))
    assert other.space() != usual.space()
    assert other.dissimilarity() == usual.dissimilarity()


def test_trials_of_learners_made_elsewhere_know_the_stage_that_trains_them():
    """A raised version of it trains them again, and no pool of networks."""
    made = raw(["a", "b"])
    networks = SuitePlan(parse(made)).trials("a")
    made["pool"] = {"size": 4, "policies_per_chunk": 2, "learners": {"generator": "aiq.policies.trees:drawn"}}
    trees = SuitePlan(parse(made)).trials("a")
    assert "learners" in trees.versions
    assert "learners" not in networks.versions
