"""CartPole3D as a control domain: the Gymnasium environment's trajectories, worlds that are used again."""

import numpy as np
import pytest
import torch

from aiq.domains import control_domain
from aiq.domains.control.settings import CartPole3D
from aiq.errors import DomainError
from aiq.training.playing import evaluate
from tests.simulation.like_gymnasium import check_like_gymnasium


def domain(**parameters):
    return control_domain("d", CartPole3D(source="cartpole3d", **parameters))


def every(lanes):
    return torch.ones(lanes, dtype=torch.bool)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"novelty": 12, "difficulty": "hard", "view": "cart"},
        {"novelty": 16, "difficulty": "medium", "most_balls": 7},
        {"novelty": 8, "difficulty": "hard", "preset": "wsu", "view": "baseline"},
    ],
    ids=str,
)
def test_trajectories_are_the_environment_s(make, parameters):
    """Two lanes over 120 random ticks with restarts, against the environment seeded once."""
    told, environments = domain(**parameters), [make(**parameters) for _ in range(2)]
    assert (told.observations,) == environments[0].observation_space.shape
    check_like_gymnasium(told, environments, [3, 2**50], 120)
    told.close()


def test_worlds_are_built_for_running_episodes_only_and_used_again():
    told = domain(view="cart")
    worlds = told.worlds(range(50))
    assert told._free == []
    first = torch.zeros(50, dtype=torch.bool)
    first[0] = True
    worlds.reset(first)
    worlds.keep([0, 7])
    assert told._free == []
    worlds.close()
    assert len(told._free) == 1
    again = told.worlds([1, 2])
    again.reset(every(2))
    assert told._free == []
    again.keep([1])
    assert len(told._free) == 1
    again.close()
    assert len(told._free) == 2
    told.close()
    assert told._free == []


def test_no_room_for_another_world_is_no_trial_s_failure(monkeypatch):
    told = domain(view="cart")
    worlds = told.worlds([1, 2])

    def full():
        raise DomainError("PyBullet has no room for another world")

    monkeypatch.setattr(told, "borrow", full)
    with pytest.raises(DomainError, match="no room"):
        worlds.reset(every(2))
    assert not worlds.failures


def test_an_evaluation_holds_few_worlds():
    """A world takes 50 MB: 20 episodes of an evaluation run on as many worlds as the domain allows."""
    told = domain(view="cart")
    plays = evaluate(told, lambda seen: torch.zeros(len(seen), dtype=torch.int64), seeds=range(20))
    assert np.isfinite(plays.returns).all()
    assert 1 <= len(told._free) <= told.side_by_side < 20
    told.close()
