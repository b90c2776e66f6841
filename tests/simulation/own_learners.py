"""Learners of tests: what a person would write, and what goes wrong."""

import random

import numpy as np
import torch
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

DOMAINS = []


def tree(leaves, seed):
    return DecisionTreeClassifier(max_leaf_nodes=leaves, splitter="random", random_state=seed)


def regression_tree(leaves, random_state):
    return DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=random_state)


def nodes(fitted):
    return fitted.tree_.node_count


def growing(seed, first=2):
    """Trees of more and more leaves, without end."""
    rng, leaves = np.random.default_rng(seed), first
    while True:
        yield {"factory": tree, "arguments": {"leaves": leaves}, "size": nodes}
        leaves += 1 + int(rng.integers(3))


def three(seed):
    for _ in range(3):
        yield {"factory": "own_learners:tree", "arguments": {"leaves": 2}, "size": 3}


def sizeless(seed):
    while True:
        yield {"factory": "own_learners:tree"}


def net(domain, width=4):
    DOMAINS.append(domain)
    return torch.nn.Sequential(
        torch.nn.Flatten(),
        torch.nn.Linear(domain.inputs, width),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.1),
        torch.nn.Linear(width, domain.outputs),
    )


MODES = []


class Watched(torch.nn.Linear):
    """Notes how many samples it is shown, and in which mode."""

    def forward(self, x):
        MODES.append((len(x), self.training))
        return super().forward(x)


def watched(domain):
    MODES.clear()
    return torch.nn.Sequential(torch.nn.BatchNorm1d(domain.inputs), Watched(domain.inputs, domain.outputs))


def wrong_net(domain):
    return torch.nn.Linear(domain.inputs, domain.outputs + 1)


def nothing():
    return object()


class Lottery:
    """Predicts by the common generators, which nobody gave a seed."""

    def fit(self, x, y):
        self.labels = np.unique(y)

    def predict(self, x):
        return np.array([self.labels[random.randrange(len(self.labels))] + 0 * np.random.rand() for _ in x])  # noqa: NPY002


class Broken(Lottery):
    def fit(self, x, y):
        raise ValueError("a\nlearner that breaks")


class Short(Lottery):
    def predict(self, x):
        return super().predict(x)[1:]


class Far(Lottery):
    def predict(self, x):
        return np.full((len(x), 1), 3.0)


class Infinite(Lottery):
    def predict(self, x):
        return np.full(len(x), np.inf)
