"""CartPole3D among all others: registered, as a control domain, on its page."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from aiq.domains import control_domain
from aiq.domains.cartpole3d.levels import LEVELS
from aiq.domains.control.settings import CartPole3D
from aiq.errors import DomainError
from aiq.training.playing import evaluate
from tests.simulation.like_gymnasium import check_like_gymnasium

ORDERS = {
    "package first, gymnasium looked for": (
        "import importlib.util, aiq.domains.cartpole3d; importlib.util.find_spec('gymnasium'); import gymnasium"
    ),
    "gymnasium first": "import gymnasium, aiq.domains.cartpole3d",
    "by module in the name": "import gymnasium",
}


def run(code: str) -> str:
    """Run Python code in a process of its own; return what it printed."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize("order", sorted(ORDERS))
def test_make_works_in_either_order_of_imports(order: str) -> None:
    prefix = "aiq.domains.cartpole3d:" if order.startswith("by module") else ""
    code = f"""
{ORDERS[order]}
env = gymnasium.make("{prefix}aiq/CartPole3D-v0", novelty=14, difficulty="easy", preset="paper")
env.reset(seed=0)
print(env.spec.id, env.spec.max_episode_steps, env.unwrapped.rules.novelty, type(gymnasium.__spec__.loader).__name__)
"""
    assert run(code) == "aiq/CartPole3D-v0 200 14 SourceFileLoader"


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


def test_the_code_of_the_page_runs(root: Path) -> None:
    code = re.search(
        r"```python\n(.*?)```", (root / "docs/reference/cartpole3d.md").read_text(encoding="utf-8"), re.DOTALL
    )
    names: dict = {}
    exec(compile(code.group(1), "cartpole3d.md", "exec"), names)
    assert names["picture"].shape == (480, 480, 3)
    names["env"].close()


def test_every_level_has_its_words_and_its_strip(root: Path) -> None:
    page = (root / "docs/reference/cartpole3d.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \|$", page, re.MULTILINE)[-len(LEVELS) :])
    for number, level in LEVELS.items():
        assert rows[str(number)].startswith(f"{level.effect} | {level.values}"), number
    assert "](../images/cartpole3d/levels.png)" in page
    picture = root / "docs/images/cartpole3d/levels.png"
    assert 10_000 < picture.stat().st_size < 500_000
