"""Layers: imports go downward only, the lower ones need little, and Snakemake's parse time stays small."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "torchvision", "gymnasium", "pybullet", "sklearn", "PIL", "h5py", "matplotlib", "submitit", "click",
         "rich")  # fmt: skip
ALONE = {"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "workflow")}
BLOCKER = """
    import importlib, importlib.abc, pkgutil, sys

    class Blocker(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] in BLOCKED:
                raise ImportError(f"{name} is not allowed here")

    BLOCKED = set(sys.argv[1].split(","))
    sys.meta_path.insert(0, Blocker())
    count = 0
    for top in sys.argv[2].split(","):
        module = importlib.import_module(f"aiq.{top}")
        count += 1
        for found in pkgutil.walk_packages(getattr(module, "__path__", []), f"aiq.{top}."):
            if not found.name.endswith("__main__"):
                importlib.import_module(found.name)
                count += 1
    print(count)
"""


def imported(blocked: tuple[str, ...], modules: list[str]) -> subprocess.CompletedProcess[str]:
    """Import modules of aiq, whole packages with all that they hold, in a process that lacks some packages."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(BLOCKER), ",".join(blocked), ",".join(modules)],
        capture_output=True, text=True, check=False, env=ALONE,
    )  # fmt: skip


def test_layers_0_to_2_need_numpy_scipy_pydantic_and_yaml_only():
    modules = ["errors", "seeding", "records", "settings", "config", "plans", "stats", "measures"]
    done = imported((*HEAVY, "snakemake", "numba"), modules)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20


@pytest.mark.parametrize("family", ["algorithmic", "anytime", "collectives"])
def test_the_families_beside_the_measures_need_numba_besides(family: str):
    done = imported((*HEAVY, "snakemake"), [f"wings.{family}.equations"])
    assert done.returncode == 0, done.stderr


def test_the_blocker_blocks():
    done = imported(("h5py",), ["storage"])
    assert done.returncode == 1
    assert "h5py is not allowed here" in done.stderr


def test_the_command_line_starts_without_torch_and_matplotlib():
    done = imported(("torch", "torchvision", "matplotlib", "sklearn", "gymnasium", "pybullet", "snakemake"), ["cli"])
    assert done.returncode == 0, done.stderr


def test_whoever_trains_nothing_imports_no_torch():
    """Half the jobs of a run only reduce, draw or write, and ``aiq score`` reads two files."""
    reducing = ("complexity", "dissimilarity", "space", "baselines")
    modules = [f"run.reducing.{name}" for name in reducing]
    modules += ["tables.measured", "report.summary", "report.suite", "run.products", "run.upkeep.audit"]
    done = imported(("torch", "torchvision", "gymnasium", "pybullet", "snakemake"), modules)
    assert done.returncode == 0, done.stderr
