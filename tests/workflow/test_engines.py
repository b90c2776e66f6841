"""The profiles of engines that are not run here: Snakemake knows every key, and jobs ask for what they should."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import apart
import pods
import pytest
import tiny
import yaml

ROOT = tiny.ROOT
ENGINES = {"kubernetes": "kubernetes", "lsf": "lsf", "htcondor": "htcondor", "generic": "cluster-generic"}
DEV = "needs the extra dev: the executor and storage plugins"
GPU = {"device": "cuda"}

pytestmark = pytest.mark.workflow


@pytest.fixture(autouse=True)
def all_plugins(monkeypatch):
    """Snakemake sees every plugin that is installed."""
    monkeypatch.setenv("AIQ_TEST_PLUGINS", "all")


def plugins(profile: str) -> None:
    """Skip where the plugins of a profile are not installed."""
    module = f"snakemake_executor_plugin_{ENGINES[profile].replace('-', '_')}"
    pytest.importorskip(module, reason=DEV, exc_type=ImportError)
    if profile == "kubernetes":
        pytest.importorskip("moto.server", reason=DEV)
        pytest.importorskip("snakemake_storage_plugin_s3", reason=DEV)


def settings(profile: str) -> dict:
    """The keys of a profile."""
    return yaml.safe_load((ROOT / "profiles" / profile / "config.v9+.yaml").read_text("utf-8"))


def test_a_dry_run_with_the_profile_of_lsf(tmp_path: Path):
    """Every key is an option of Snakemake or of the plugin: an unknown one would be an unknown argument."""
    plugins("lsf")
    place = ROOT / "profiles" / "lsf"
    done = tiny.snakemake(tmp_path, tiny.TINY, "-n", "--quiet", "rules", "--profile", str(place))
    assert done.returncode == 0, done.stdout
    assert "train_trials" in done.stdout


@pytest.mark.parametrize("profile", [*ENGINES, "slurm"])
def test_rules_of_gpus_in_a_profile_are_all_that_train(profile: str):
    """What stands in comments for ``device: cuda`` names the same rules everywhere, and real ones."""
    text = (ROOT / "profiles" / profile / "config.v9+.yaml").read_text("utf-8")
    named = {line.split(":")[0].lstrip("# ") for line in text.splitlines() if line.startswith("#   train_")}
    assert named == ({"train_trials", "train_mixtures", "train_alone", "train_agents"} if named else set())
    assert profile in ("kubernetes", "generic") or named
    assert settings(profile)["executor"] == {**ENGINES, "slurm": "slurm"}[profile]
    for key in ("scheduler", "retries", "rerun-incomplete", "keep-going", "logger"):
        assert settings(profile)[key] == settings("slurm")[key]


def test_the_generic_command_submits_and_sees_the_end(tmp_path: Path):
    """With ``qsub`` made up: it gets cores, memory and time of the job, and the profile's own way to see its end."""
    plugins("generic")
    (tmp_path / "bin").mkdir()
    qsub = tmp_path / "bin" / "qsub"
    qsub.write_text(f'#!/bin/bash\necho "$@" >> {tmp_path}/asked\nbash "${{!#}}" > /dev/null 2>&1 &\necho 1\n', "utf-8")
    qsub.chmod(0o755)
    words = tiny.command(tmp_path, tiny.TINY, "--latency-wait", "5", "results/tiny/domains/wine.h5")
    words += ["--profile", str(ROOT / "profiles" / "generic"), "--seconds-between-status-checks", "1"]
    how = tiny.how(tmp_path)
    how["env"]["PATH"] = f"{tmp_path / 'bin'}{os.pathsep}{how['env']['PATH']}"
    done = subprocess.run(words, **how, check=False, timeout=120)
    assert done.returncode == 0, done.stdout
    (asked,) = (tmp_path / "asked").read_text("utf-8").splitlines()
    assert "-l select=1:ncpus=1:mem=1400mb -l walltime=00:10:00 " in asked
    assert (tmp_path / "results/tiny/domains/wine.h5").exists()


@pytest.mark.slow
def test_pods_ask_for_what_rules_ask_and_work_with_a_storage_alone(tmp_path: Path, monkeypatch):
    """Through the profile and the real plugin, on a made-up Kubernetes: a domain is prepared, a training asks a GPU."""
    plugins("kubernetes")
    folder, domain = tmp_path / "start", "results/tiny/domains/wine.h5"
    apart.started(folder, tiny.TINY)
    with apart.s3() as address, pods.kubernetes(tmp_path / "cluster", monkeypatch) as cluster:
        done = on_kubernetes(folder, address, domain)
        assert done.returncode == 0, done.stdout + cluster.said()
        assert domain in apart.keys(address)
        ((name, job),) = cluster.jobs.items()
        container = cluster.container(name)
        assert container["image"] == settings("kubernetes")["container-image"]
        assert container["resources"]["requests"] == {"cpu": "950m", "memory": "1400M"} | disk(container)
        assert not job["spec"]["template"]["spec"].get("tolerations")
        (tmp_path / "start" / "suite.yaml").write_text(yaml.safe_dump({**tiny.TINY, **GPU}), encoding="utf-8")
        more = ["gpu_manufacturer=nvidia", "scale=0", "mem_mb=2000", "runtime=30"]
        agents = agent_shard(folder)
        on_kubernetes(folder, address, agents, "--retries", "0", "--default-resources", *more)
    asked = [cluster.container(name)["resources"] for name in cluster.jobs]
    gpus = [one for one in asked if "nvidia.com/gpu" in one["requests"]]
    assert [(one["requests"]["nvidia.com/gpu"], one["limits"]["nvidia.com/gpu"]) for one in gpus] == [("1", "1")]


def disk(container: dict) -> dict[str, str]:
    """What a container asks of disk, which is Snakemake's own default."""
    found = container["resources"]["requests"].get("ephemeral-storage")
    return {} if found is None else {"ephemeral-storage": found}


def agent_shard(folder: Path) -> str:
    """A shard of trainings on the prepared domain."""
    from aiq.plans.run import Run

    run = Run.of({**tiny.TINY, **GPU})
    return next(run.layout.agent_job(job) for job in run.plan.agent_jobs if job.domain == "wine")


def on_kubernetes(folder: Path, address: str, target: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Make a file through the profile; only the addresses of the storage are those of this machine."""
    words = [sys.executable, "-m", "snakemake", target, "--configfile", "suite.yaml", "--nocolor"]
    words += ["--profile", str(ROOT / "profiles" / "kubernetes"), "--storage-s3-endpoint-url", address]
    words += ["--default-storage-prefix", "s3://aiq/run", "--seconds-between-status-checks", "1", *more]
    made_up = {"SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "made-up", "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "made-up"}
    how = tiny.how(folder)
    how["env"] |= made_up | {"PYTHONPATH": str(ROOT / "workflow")}
    return subprocess.run(words, **how, check=False, timeout=300)
