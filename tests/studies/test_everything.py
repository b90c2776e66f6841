"""How families of tests lie, what they share, rank correlations, and networks that learn while they are tested."""

import csv
from itertools import combinations_with_replacement

import numpy as np
import pytest

from aiq.config.load import read
from aiq.wings.anytime.equations.administer import administer_interactions
from aiq.wings.anytime.equations.classes import CupsClass
from studies import image_variants
from studies.everything import FAMILIES, agreement, lying, without_own
from studies.everything_agents import NETWORKS, Network, Online, online


def blocks(sizes, inside, outside):
    family = np.repeat([f"f{k}" for k in range(len(sizes))], sizes)
    return np.where(family[:, None] == family[None], inside, outside), list(family)


def test_the_domains_of_the_families_are_those_of_the_configuration(root):
    raw = read(root / "config" / "everything.yaml")
    assert [name for members in FAMILIES.values() for name in members] == list(raw["domains"])
    assert len(raw["domains"]) >= 20
    shapes = {agent["name"]: (agent["layers"], agent["width"]) for agent in raw["agents"]["networks"]}
    assert shapes == {name: shape for name, shape in NETWORKS.items() if shape is not None}


def test_the_probability_is_exact_in_a_case_that_can_be_counted():
    # four domains, two families of two: three ways to pair them, one of which has the smallest distances within
    distance = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]], float)
    found = lying(distance, ["a", "a", "b", "b"], 3000, np.random.default_rng(1))
    assert found.probability == pytest.approx(1 / 3, abs=0.03)
    assert found.nearest == 1.0


def test_families_that_mean_nothing_are_found_to_lie_together_as_often_as_asked():
    rng, found = np.random.default_rng(2), []
    for _ in range(200):
        own = rng.normal(size=12)  # what a domain adds to all its distances: pairs are not independent
        noise = rng.normal(size=(12, 12))
        distance = own[:, None] + own[None] + noise + noise.T
        found.append(lying(distance, list("aabbccddeeff"), 99, rng).probability)
    assert np.mean(np.array(found) <= 0.1) == pytest.approx(0.1, abs=0.065)  # three standard errors


def test_what_domains_add_to_all_their_distances_is_taken_out_and_nothing_else():
    distance, family = blocks([2, 2, 2, 2], 0.1, 0.3)
    added = np.array([0, 5, 0, 1, 0, 0, 2, 0])
    found = without_own(distance + added[:, None] + added[None])
    assert np.allclose(found, without_own(distance))
    told = lying(found, family, 999, np.random.default_rng(0))
    assert told.between - told.within == pytest.approx(0.2)


def test_parts_that_families_share_are_told_from_those_of_single_tests(tmp_path):
    names = [f"{family}-{k}" for family in ("one", "two", "three") for k in range(4)]
    cost = {name: 0.01 * k for k, name in enumerate(names)}
    (tmp_path / "tables").mkdir()
    with (tmp_path / "tables" / "dissimilarity.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["a", "b", *image_variants.PARTS])
        for a, b in combinations_with_replacement(names, 2):
            transfer = -0.01 if a.split("-")[0] == b.split("-")[0] else 0.02
            starvation = (cost[a] + cost[b]) / 2
            table.writerow([a, b, transfer + starvation, starvation, 0.0, transfer])
    told = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ") for line in image_variants.report(tmp_path)}
    assert told["transfer"][1:3] == ["-0.0100", "0.0200"]
    assert float(told["transfer"][3]) < 0.001
    assert told["transfer"][4] == "1.00"
    assert told["starvation"][1:4] == ["0.0550", "0.0550", "1.0000"]
    assert told["one"][1:] == ["-0.010", "0.020", "0.020"]


def test_rank_correlations_leave_out_agents_without_one_of_the_scores():
    assert agreement([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]).interval is None
    found = agreement([1, 2, 3, 4, 5, float("nan")], [2, 1, 4, 3, 5, 0])
    assert (found.correlation, found.agents) == (pytest.approx(0.8), 5)


# ---- networks that learn while they are tested


@pytest.mark.parametrize("layers", [0, 1, 2])
def test_the_gradient_is_that_of_differences(layers):
    rng = np.random.default_rng(4)
    net = Network(3, 2, layers, 5, rng)
    x, actions, targets = rng.normal(size=(7, 3)), rng.integers(2, size=7), rng.normal(size=7)

    def loss():
        return ((net.layers(x)[-1][np.arange(7), actions] - targets) ** 2).mean()

    for weight, gradient in zip(net.weights, net.gradient(x, actions, targets), strict=True):
        for place in np.ndindex(weight.shape):
            kept = weight[place]
            weight[place] = kept + 1e-6
            above = loss()
            weight[place] = kept - 1e-6
            below = loss()
            weight[place] = kept
            assert gradient[place] == pytest.approx((above - below) / 2e-6, abs=1e-5)


def test_an_action_that_pays_is_learned_and_random_agents_learn_nothing():
    paid = {}
    for name in ("random", "1x8"):
        actor, total, reward = online(5, 5, 7, name=name), 0.0, 0.0
        for step in range(300):
            reward = 100.0 if actor.act(2, reward) == 3 else 0.0
            total += reward / 100 if step >= 200 else 0.0
        paid[name] = total / 100
    assert paid["random"] == pytest.approx(0.2, abs=0.12)
    assert paid["1x8"] > 0.8


def test_an_examinee_takes_the_anytime_test_and_can_be_repeated():
    first, again = (administer_interactions(Online("1x8"), CupsClass(), 40, root=1) for _ in range(2))
    assert [row.reward for row in first.rows] == [row.reward for row in again.rows]
    assert first.status == "budget"
