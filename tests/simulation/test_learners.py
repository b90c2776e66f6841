"""Learners made elsewhere: what they are given, what they reach, how they fail, and pools of them."""

import random
import sys
from pathlib import Path

import numpy as np
import own_learners
import pytest
import torch
from sklearn.tree import DecisionTreeClassifier

from aiq import domains
from aiq.config import validate
from aiq.config.training import Convergence, Pool, Sgd, Training
from aiq.errors import AiqError, InputError
from aiq.policies import learners
from aiq.records.trial import Architecture, Policy, Trial
from aiq.storage.shards import pack_trials, unpack_trials
from aiq.training import learners as lessons
from aiq.training.data import LabelledData
from aiq.training.learners import compressed, learn

TRAINING = validate(Training, {"epochs": 20, "batch_size": 16, "optimizer": {"name": "adam", "learning_rate": 0.01}})
HERE = str(Path(__file__).parent)


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """The learners of these tests can be imported by their names."""
    monkeypatch.syspath_prepend(HERE)
    monkeypatch.setitem(sys.modules, "own_learners", own_learners)


def data(name="wine", **changes):
    raw = {"source": "sklearn", "name": name, **changes}
    settings = validate(domains.FAMILIES["sklearn"].settings, raw)
    return LabelledData.of(domains.load(name, settings, root_seed=1))


def lesson(factory, arguments=None, on=None, seed=5, **changes):
    training = TRAINING.model_copy(update=changes)
    return learn("one", factory, arguments or {}, on or data(), training, seed=seed)


# ---- one learner


def test_an_estimator_reaches_what_it_reaches_by_hand():
    wine = data()
    found = lesson(DecisionTreeClassifier, {"max_depth": 2}, wine, seed=5 + 2**40)
    by_hand = DecisionTreeClassifier(max_depth=2, random_state=5).fit(wine.train_x.numpy(), wine.train_y.numpy())
    assert found.status == "finished"
    assert found.performance == by_hand.score(wine.test_x.numpy(), wine.test_y.numpy())


def test_numbers_are_scored_by_clipped_determination():
    diabetes = data("diabetes")
    found = lesson(own_learners.regression_tree, {"leaves": 4}, diabetes)
    by_hand = own_learners.regression_tree(4, 5).fit(diabetes.train_x.numpy(), diabetes.train_y.numpy())
    assert found.performance == pytest.approx(by_hand.score(diabetes.test_x.numpy(), diabetes.test_y.numpy()))
    assert 0 < found.performance < 1
    far = lesson(own_learners.Far, on=diabetes)  # worse than the mean: R² is below 0
    assert (far.performance, far.status) == (0, "finished")


def test_the_seed_is_given_where_it_is_asked_for_and_has_an_effect():
    found = {lesson(own_learners.tree, {"leaves": 3}, seed=seed).performance for seed in range(8)}
    assert len(found) > 1
    own = {lesson(own_learners.tree, {"leaves": 3, "seed": 1}, seed=seed).performance for seed in range(8)}
    assert len(own) == 1  # a seed among the arguments is left as it is


def test_common_generators_are_seeded_meanwhile_and_put_back():
    states = random.getstate(), np.random.get_state()[1].copy(), torch.get_rng_state()  # noqa: NPY002
    found = [lesson(own_learners.Lottery, seed=seed).performance for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    assert random.getstate() == states[0]
    assert np.array_equal(np.random.get_state()[1], states[1])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), states[2])


def test_a_torch_module_is_trained_as_the_settings_say():
    found = lesson(own_learners.net, {"width": 8})
    told = own_learners.DOMAINS[-1]
    assert (told.name, told.shape, told.inputs, told.outputs, told.target) == ("wine", (13,), 13, 3, "classes")
    assert (found.status, len(found.losses)) == ("finished", 20)
    assert found.losses[-1] < found.losses[0] / 2
    assert found.performance > 0.8
    again = lesson(own_learners.net, {"width": 8})
    assert again.losses == found.losses
    assert lesson(own_learners.net, {"width": 8}, seed=6).losses != found.losses
    stopped = lesson(own_learners.net, {"width": 8}, on=data("diabetes"), epochs=4)
    assert 0 <= stopped.performance <= 1


def test_a_module_trains_in_train_mode_and_is_looked_at_in_eval_mode():
    """Batch normalisation learns from the training samples alone: not from those held out, nor from the first look."""
    convergence = Convergence(patience=2, improvement=0.0)
    wine = data()
    held_out = round(0.1 * len(wine.train_y))
    fitted = len(wine.train_y) - held_out
    found = lesson(own_learners.watched, on=wine, epochs=3, convergence=convergence)
    assert found.status == "finished"
    modes = own_learners.MODES
    assert modes[0] == (2, False)
    shown = [n for n, training in modes if training]
    assert sum(shown) == fitted * len(found.losses)
    assert [n for n, training in modes[1:] if not training] == [held_out] * len(found.losses) + [len(wine.test_y)]
    assert int(found.learner[0].num_batches_tracked) == len(shown)


def test_a_last_batch_of_one_sample_joins_the_one_before():
    """Batch normalisation cannot train on one sample."""
    wine = data()
    one_left = next(size for size in range(16, 40) if len(wine.train_y) % size == 1)
    found = lesson(own_learners.watched, on=wine, epochs=2, batch_size=one_left)
    assert (found.status, found.reason) == ("finished", "")
    assert [n for n, training in own_learners.MODES if training][-1] == one_left + 1


def test_a_module_computes_on_its_device_with_the_threads_that_are_told(monkeypatch):
    told = []
    computing = lessons.computing
    monkeypatch.setattr(lessons, "computing", lambda *given: told.append(given) or computing(*given))
    assert learn("one", own_learners.net, {}, data(), TRAINING, seed=1, threads=2).status == "finished"
    assert told == [(2,), (2, torch.device("cpu"))]


def test_pictures_are_flattened_for_estimators_and_whole_for_modules():
    digits = data("digits", classes=3, limit=60, limit_test=60)
    assert lesson(own_learners.tree, {"leaves": 8}, digits).performance > 0.6
    assert lesson(own_learners.net, {}, digits).performance > 0.6
    assert own_learners.DOMAINS[-1].shape == (1, 8, 8)


@pytest.mark.parametrize(
    ("factory", "on", "words"),
    [
        (own_learners.Broken, "wine", "learner one on wine: it raised ValueError: a learner that breaks"),
        (own_learners.Short, "wine", "predict returned shape (43,) for 44 samples"),
        (own_learners.Infinite, "diabetes", "numbers that are not finite"),
        (own_learners.nothing, "wine", "has no fit and predict and is no torch module"),
        (own_learners.wrong_net, "wine", "the module returned shape (2, 4) for 2 samples; needed is (n, 3)"),
        (own_learners.tree, "wine", "missing 1 required positional argument: 'leaves'"),
    ],
)
def test_what_goes_wrong_is_a_failed_lesson_with_one_sentence(factory, on, words):
    found = lesson(factory, on=data(on))
    assert (found.status, np.isnan(found.performance)) == ("failed", True)
    assert words in found.reason
    assert "\n" not in found.reason


def test_what_diverges_is_lost():
    found = lesson(own_learners.net, epochs=2, optimizer=Sgd(name="sgd", learning_rate=1e30))
    assert (found.status, bool(found.reason)) == ("diverged", True)


def test_the_bytes_of_a_learner_grow_with_it():
    small, large = (compressed(lesson(own_learners.tree, {"leaves": n}).learner) for n in (2, 12))
    assert 0 < small < large
    assert compressed(lambda: 0) == 0


# ---- pools


def pool(**changes):
    raw = {"size": 8, "policies_per_chunk": 4, **changes}
    return validate(Pool, raw)


LIST = [
    {"factory": "own_learners:tree", "arguments": {"leaves": 2}, "size": 3},
    {"factory": "own_learners:net", "size": "aiq.policies.learners:parameters"},
    {"factory": "own_learners:tree", "arguments": {"leaves": 5}, "size": "own_learners:nodes"},
]


def test_a_list_is_gone_through_again_and_each_trial_has_a_seed_of_its_own():
    found = learners.chunk(pool(learners=LIST), 7, "wine", 1)
    names = [member.name for _, member in found]
    net, tree = "own_learners:net", "own_learners:tree"
    assert names == [net, tree + ' {"leaves": 5}', tree + ' {"leaves": 2}', net]
    assert len({policy.seed for policy, _ in found}) == 4
    other = learners.chunk(pool(learners=LIST), 7, "digits", 1)
    assert {policy.seed for policy, _ in found}.isdisjoint(policy.seed for policy, _ in other)


def test_a_larger_generated_pool_begins_with_the_smaller_one():
    small, large = (
        [member.arguments["leaves"] for member in learners.members(pool(size=n, learners=GENERATED), 7)]
        for n in (8, 12)
    )
    assert large[:8] == small
    assert len(large) == 12
    other = [m.arguments["leaves"] for m in learners.members(pool(size=12, learners=GENERATED), 8)]
    assert other != large  # the root seed reaches the generator


GENERATED = {"generator": "own_learners:growing", "arguments": {"first": 3}}


def test_sizes_are_stated_or_told_by_the_trained_learner():
    members = learners.members(pool(learners=LIST), 7)
    assert learners.size_of(members[0], object()) == 3
    net = lesson(own_learners.net).learner
    assert learners.size_of(members[1], net) == 13 * 4 + 4 + 4 * 3 + 3
    tree = lesson(own_learners.tree, {"leaves": 5}).learner
    assert learners.size_of(members[2], tree) == 9  # 5 leaves and 4 branches
    with pytest.raises(InputError, match="is no torch module"):
        learners.size_of(members[1], tree)


@pytest.mark.parametrize(
    ("learners_", "words"),
    [
        ([{**LIST[0], "factory": "own_learners:gone"}], "learner 'own_learners:gone' is not a callable"),
        ([{**LIST[0], "factory": "no_such_module:x"}], "learner 'no_such_module:x' cannot be imported"),
        ([{**LIST[0], "size": "own_learners:gone"}], "size of a learner 'own_learners:gone'"),
        ({"generator": "own_learners:three"}, "gave 3 learners, the pool has 8"),
        ({"generator": "own_learners:sizeless"}, "a learner is a mapping of factory, arguments"),
        ({"generator": "own_learners:tree"}, "raised TypeError"),
    ],
)
def test_a_pool_that_cannot_be_made_is_one_sentence(learners_, words):
    with pytest.raises(InputError, match=r"^[^\n]+$") as caught:
        learners.members(pool(learners=learners_), 7)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"learners": LIST, "width": [1, 8]}, "width is of networks"),
        ({"learners": []}, "names 0 learners"),
        ({"learners": LIST * 3}, "names 9 learners, the pool has the size 8"),
        ({"learners": [{**LIST[0], "size": 0}]}, "size"),
    ],
)
def test_settings_of_pools_are_checked(changes, words):
    with pytest.raises(AiqError, match=r"^[^\n]+$") as caught:
        pool(**changes)
    assert words in str(caught.value)


def test_trials_of_learners_are_kept_with_their_names_and_reasons():
    nan = float("nan")
    own = Policy(Architecture("own", (), learner="m:f"), 3)
    rows = [
        Trial(own, 0.5, 9, 100, 0, 0.1, "finished", ()),
        Trial(own, nan, 1, 0, 0, 0.1, "failed", (), reason="it broke"),
    ]
    assert repr(unpack_trials(pack_trials(rows))) == repr(rows)
    plain = [Trial(Policy(Architecture("dense", (2,)), 3), 0.5, 9, 100, 0, 0.1, "finished", ())]
    assert "learner" not in pack_trials(plain)
