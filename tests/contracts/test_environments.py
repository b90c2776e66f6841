"""Environments of rules: one file, named by every rule that runs a script, for a Python that the package allows."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
RULES = sorted((ROOT / "workflow" / "rules").glob("*.smk"))


def test_the_python_of_the_environment_is_allowed_and_comes_from_conda_forge_alone():
    environment = yaml.safe_load((ROOT / "envs" / "aiq.yaml").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (python,) = (p for p in environment["dependencies"] if isinstance(p, str) and p.startswith("python="))
    assert Version(python.removeprefix("python=")) in SpecifierSet(project["requires-python"])
    assert environment["channels"] == ["conda-forge", "nodefaults"]
    assert "pip" in environment["dependencies"]


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_every_rule_that_runs_a_script_names_the_environment(path: Path):
    for rule in re.split(r"^ *rule(?: \w+)?:", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        if "script:" in rule:
            (named,) = re.findall(r'conda:\n +"(.+)"', rule)
            assert (path.parent / named).resolve() == ROOT / "envs" / "aiq.yaml"


def test_every_file_of_an_environment_is_named_by_a_rule():
    named = set(re.findall(r'envs/([\w-]+\.yaml)"', "".join(path.read_text("utf-8") for path in RULES)))
    assert {path.name for path in (ROOT / "envs").glob("*.yaml")} == named
