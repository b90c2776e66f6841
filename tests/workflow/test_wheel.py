"""The wheel is all that a person needs: it holds the workflow, its base needs little, and it runs a suite by itself.

The environments here hold the wheel alone and borrow the packages that this Python has, so that nothing is downloaded;
where the base is tested, what only the extras bring cannot be imported.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
import tiny
import yaml

from aiq.cli.main import EXTRAS

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

ROOT = tiny.ROOT
PARTS = ("setup.py", "MANIFEST.in", "pyproject.toml", "README.md", "LICENSE", "workflow", "scripts")
PARTS += ("profiles", "config", "envs", "CHANGELOG.md", "CITATION.cff")
README = (ROOT / "README.md").read_text("utf-8")
BLOCKED = "import sys; sys.modules.update(dict.fromkeys({names!r}))\n"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the checkout."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(ROOT / name, source / name)
    how = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *how, "-w", target, source], check=True)
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the wheel and borrows this Python's packages."""
    folder = tmp_path_factory.mktemp("env")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (inside,) = folder.glob("lib/python*/site-packages")
    how = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    python = folder / "bin" / "python"
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", *how, wheel], check=True)
    (inside / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    return folder


def environment(folder: Path, blocked: tuple[str, ...] = ()) -> dict[str, str]:
    """Return what finds the commands of the environment, in which some packages cannot be imported."""
    (inside,) = folder.glob("lib/python*/site-packages")
    (inside / "blocked.pth").write_text(BLOCKED.format(names=blocked), encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PATH": f"{folder / 'bin'}:/usr/bin:/bin", "OMP_NUM_THREADS": "1", "COLUMNS": "200"}


def test_the_wheel_holds_every_part_of_the_workflow_as_it_stands_in_the_checkout(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        held = {name.removeprefix("aiq/workflow/") for name in archive.namelist() if name.startswith("aiq/workflow/")}
        assert all(archive.read(f"aiq/workflow/{name}") == (ROOT / name).read_bytes() for name in held)
        packages = {name.split("/")[0] for name in archive.namelist()}
    patterns = ("workflow/Snakefile", "workflow/rules/*.smk", "workflow/report/*.rst", "workflow/schemas/*.json")
    patterns += ("scripts/*.py", "profiles/*/config*.yaml", "config/*.*", "envs/*.yaml")
    wanted = {str(path.relative_to(ROOT)) for pattern in patterns for path in ROOT.glob(pattern)}
    assert held == wanted
    assert {name for name in packages if not name.endswith(".dist-info")} == {"aiq", "snakemake_logger_plugin_aiq"}


def test_ones_own_results_need_the_base_alone(installed: Path, tmp_path: Path):
    """The README's section, as it stands, where nothing of the extras can be imported."""
    how = environment(installed, EXTRAS["train"])
    section = README.split("## Your own results, without training")[1].split("\n## ")[0]
    (body,) = re.findall(r"^```bash\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    (printed,) = re.findall(r"^```text\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    empty = tmp_path / "empty"
    empty.mkdir()
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", body], cwd=empty, env=how, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [line for line in printed.splitlines() if line not in done.stdout.splitlines()] == []
    refused = subprocess.run(["aiq", "run", "x.yaml"], cwd=empty, env=how, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "pip install 'aiq[train]'" in refused.stderr


def test_a_suite_runs_from_an_empty_folder(installed: Path, small: Path, tmp_path: Path):
    """From the wheel's own workflow, and with the numbers that the checkout's gives."""
    how = environment(installed)
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "small.yaml").write_text(yaml.safe_dump(tiny.SMALL, sort_keys=False), encoding="utf-8")
    words = ["aiq", "run", "small.yaml", "--json", "--cores", "2", "--no-report", "--", "results/tiny/scores.h5"]
    done = subprocess.run(words, cwd=empty, env=how, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(ROOT) not in done.stderr
    found = json.loads(done.stdout)
    assert [agent["agent"] for agent in found["agents"]] == ["large"]
    for path in ("results/tiny/scores.h5", "results/tiny/space.h5"):
        ours, theirs = (tiny.result(folder, path, Path(path).stem) for folder in (empty, small))
        assert tiny.same(ours, theirs)
