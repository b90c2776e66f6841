"""The rules: linters agree, every rule has the same anatomy, nothing heavy is imported while they are parsed."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import tiny
import yaml

pytestmark = pytest.mark.workflow

ROOT = tiny.ROOT
RULES = sorted((ROOT / "workflow" / "rules").glob("*.smk"))
SMK = [ROOT / "workflow" / "Snakefile", *RULES]
ANATOMY = ("input", "output", "log", "benchmark", "params", "resources", "script")
NOT_PARSED = ("torch", "torchvision", "gymnasium", "pybullet", "sklearn", "h5py", "matplotlib", "numba", "scipy")
STARTED = ("execution", "training")  # small modules of these are there when a run starts; a job has none


def rules() -> dict[str, str]:
    """Rule -> its body, indented by one step also where the rule stands below a condition."""
    text = "\n".join(path.read_text("utf-8") for path in RULES) + "\n"
    text = re.sub(r"( *)rule:\n +name:\n +_made.name\n", r"\1rule make_products:\n", text)  # one per job of a plan
    text = re.sub(r"( *)rule:\n +name:\n +_step.rule\n", r"\1rule do_job:\n", text)  # one per step of a plan
    found = re.findall(r"^( *)rule (\w+):\n((?:(?:\1    .*)?\n)+)", text, re.MULTILINE)
    return {name: re.sub(f"^{before}", "", body, flags=re.MULTILINE) for before, name, body in found}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name(arguments[0])), *arguments[1:]],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_there_are_rules():
    assert set(rules()) == {"do_job", "make_products", "write_page"}


@pytest.mark.parametrize("name", rules())
def test_every_rule_has_the_same_anatomy(name: str):
    parts = re.findall(r"^    (\w+):", rules()[name], re.MULTILINE)
    assert sorted(part for part in parts if part in ANATOMY) == sorted(ANATOMY)
    assert [part for part in parts if part != "wildcard_constraints"][:2] == ["input", "output"]
    assert parts[-1] == "script"
    assert "retries" not in parts  # a retry inside a cluster job cannot get more memory
    assert "fingerprint=" in rules()[name]  # what the configuration says about it; a change of it redoes the job


@pytest.mark.parametrize("name", rules())
def test_every_rule_has_a_script_of_its_own_and_at_most_15_lines(name: str):
    script = ROOT / "scripts" / f"{name}.py"
    assert f'"../../scripts/{name}.py"' in rules()[name]
    lines = script.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 15
    assert lines[0].startswith('"""')


def test_the_parts_come_in_one_order_in_all_rules():
    all_parts = (re.findall(r"^    (\w+):", body, re.MULTILINE) for body in rules().values())
    orders = {tuple(part for part in parts if part in ANATOMY) for parts in all_parts}
    assert len(orders) == 1, orders


def test_no_script_is_left_over():
    by_hand = {"submit_shards"}  # beside the rules: long trainings outside the workflow
    assert {path.stem for path in (ROOT / "scripts").glob("*.py")} == set(rules()) | by_hand


def test_no_rule_retries_and_no_cluster_is_named_outside_the_profiles():
    for path in SMK:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*retries\s*:", text, re.MULTILINE)
        assert not re.search(r"slurm|partition(?!_minutes)|account", text)


def test_the_default_target_stands_in_the_snakefile():
    assert re.search(r"^rule all:", (ROOT / "workflow" / "Snakefile").read_text("utf-8"), re.MULTILINE)
    assert not any(re.search(r"^rule all:", path.read_text("utf-8"), re.MULTILINE) for path in RULES)


def test_parsing_imports_nothing_heavy(tmp_path: Path):
    """Every cluster job parses the rules again: a list of imports, made by Python itself."""
    command = tiny.command(tmp_path, tiny.TINY, "-n", "--quiet", "all")
    how = {**tiny.how(tmp_path), "stderr": subprocess.PIPE}
    done = subprocess.run([command[0], "-X", "importtime", *command[1:]], **how, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    imported = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "aiq.plans.suite" in imported
    assert {name for name in imported if name.split(".")[0] in NOT_PARSED} == set()
    ours = {name.split(".")[1] for name in imported if name.startswith("aiq.")}
    assert ours <= {
        "plans",
        "config",
        "domains",
        "settings",
        "records",
        "seeding",
        "errors",
        "run",
        "wing",
        "wings",
        *STARTED,
    }
    started = {
        name.removeprefix("aiq.") for name in imported if name.startswith(tuple(f"aiq.{one}." for one in STARTED))
    }
    assert started <= {*STARTED, "execution.slurm"}
    assert {name for name in imported if name.startswith("aiq.run.")} <= {"aiq.run.checks"}  # what a start checks
    assert not [name for name in imported if name.startswith("aiq.domains.") and name.endswith("worlds")]


def test_the_link_makes_the_literal_command_work():
    link = ROOT / "slurm"
    assert link.is_symlink()
    assert os.readlink(link) == "profiles/slurm"
    assert (link / "config.v9+.yaml").is_file()
    profile = yaml.safe_load((link / "config.v9+.yaml").read_text("utf-8"))
    assert (profile["executor"], profile["scheduler"]) == ("slurm", "greedy")
    assert profile["retries"] == 2
    assert profile["slurm-status-command"] == "squeue"


def test_the_default_configuration_is_the_quickstart(tmp_path: Path):
    """Without --configfile, from the checkout; results are sought below another folder."""
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(ROOT / "workflow/Snakefile"),
        "--directory",
        str(tmp_path),
    ]
    (tmp_path / "config").symlink_to(ROOT / "config")
    done = subprocess.run([*command, "-n", "--quiet", "rules"], **tiny.how(tmp_path), check=False)
    assert done.returncode == 0, done.stdout
    assert "train_mixtures" in done.stdout


def test_the_conda_environment_equals_the_lock():
    lock = [line for line in (ROOT / "requirements.lock").read_text("utf-8").splitlines() if not line.startswith("#")]
    conda = yaml.safe_load((ROOT / "envs" / "aiq.yaml").read_text("utf-8"))
    (pip,) = (entry["pip"] for entry in conda["dependencies"] if isinstance(entry, dict))
    assert pip == lock
    assert len(lock) == len({line.split("==")[0].lower() for line in lock})
    assert all("==" in line for line in lock)


def test_the_lock_holds_every_dependency_within_its_range():
    from packaging.requirements import Requirement

    lock = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    pins = {line.split("==")[0].lower(): line.split("==")[1].split(";")[0] for line in lock if "==" in line}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = project["optional-dependencies"]
    peers = [Requirement(line) for line in groups.pop("bench")]
    extras = [line for group in groups.values() for line in group]
    for requirement in map(Requirement, [*project["dependencies"], *extras]):
        assert requirement.specifier.contains(pins[requirement.name.lower()]), requirement
    for requirement in peers:  # installed by `make bench` alone
        assert [pin.operator for pin in requirement.specifier] == ["=="], requirement
        assert requirement.name.lower() not in pins


def test_the_workflow_is_a_module_of_another_one(tmp_path: Path):
    """As Snakemake's catalogue of workflows asks: rules under names of their own, results below another folder."""
    (tmp_path / "Snakefile").write_text(
        f"""
configfile: "config.yaml"


module aiq:
    snakefile:
        "{ROOT}/workflow/Snakefile"
    config:
        config


use rule * from aiq as aiq_*


rule everything:
    default_target: True
    input:
        "results/tiny/figures/complexity-values.png",
""",
        encoding="utf-8",
    )
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(tiny.SMALL), encoding="utf-8")
    words = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all"]
    job = ["--target-jobs", "aiq_prepare_domain:domain=wine", "--allowed-rules", "aiq_prepare_domain"]
    for call in ([*words, *job, "--mode", "subprocess"], words):  # a job of a cluster, then the rest
        done = subprocess.run(call, **tiny.how(tmp_path), check=False, timeout=600)
        assert done.returncode == 0, done.stdout
        assert (tmp_path / "results" / "tiny" / "domains" / "wine.h5").is_file()
    assert (tmp_path / "results" / "tiny" / "figures" / "complexity-values.png").is_file()
