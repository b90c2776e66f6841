"""The environment is known to Gymnasium, whichever is imported first."""

import subprocess
import sys

import pytest

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
