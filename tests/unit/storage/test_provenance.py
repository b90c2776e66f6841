"""Every shard and every table tells what made it."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from aiq import __version__
from aiq.config.base import fingerprint
from aiq.records.table import Table
from aiq.run.job import job
from aiq.run.products import publish, settled
from aiq.storage import files, hdf5

ROOT = Path(__file__).resolve().parents[3]
QUICKSTART = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))


def test_a_shard_tells_configuration_code_packages_host_and_seconds(tmp_path: Path):
    with job(QUICKSTART, tmp_path / "j.log"):
        hdf5.write(tmp_path / "a.h5", hdf5.Header("tree", "f" * 16, 7), {"x": 1})
    header = hdf5.read_header(tmp_path / "a.h5", "tree")
    assert (header.fingerprint, header.seed) == ("f" * 16, 7)
    assert {"aiq", "python", "host", "numpy", "torch", "h5py", "seconds"} <= header.provenance.keys()
    assert header.provenance["aiq"] == __version__
    assert 0 <= float(header.provenance["seconds"]) < 60


def test_the_machine_is_told_and_the_number_of_its_job(monkeypatch):
    for name in files.JOB_NUMBERS:
        monkeypatch.delenv(name, raising=False)
    alone = files.provenance()
    assert alone["device"] == "cpu"  # no GPU has been used, whether one is there or not
    assert alone["processor"]
    assert not {"node", "job", "driver", "seconds"} & alone.keys()
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    monkeypatch.setenv("SLURMD_NODENAME", "n042")
    there = files.provenance()
    assert (there["job"], there["node"]) == ("4711", "n042")


def test_a_used_gpu_is_told_with_its_driver(monkeypatch):
    used = SimpleNamespace(is_initialized=lambda: True, get_device_name=lambda: "A GPU")
    monkeypatch.setattr(sys.modules.setdefault("torch", __import__("torch")), "cuda", used)
    found = files.machine()
    assert found["device"] == "cuda (A GPU)"
    assert found["driver"]


def test_a_table_has_its_provenance_beside_it(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with job(QUICKSTART, tmp_path / "j.log") as run:
        publish(run, {"one": Table.of(("a",), [(1.5,)]), "two": Table.of(("a",), [(2,)])})
    for name in ("one", "two"):
        table = Path(run.layout.table(name))
        record = json.loads(Path(run.layout.provenance(name)).read_text("utf-8"))
        assert record["file"] == table.name
        assert record["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
        assert record["configuration_hash"] == fingerprint("configuration", settled(run.configuration))
        assert record["seed"] == run.configuration.seed
        assert record["settings"] == run.configuration.model_dump(mode="json")
        assert {"aiq", "host", "python", "numpy", "seconds"} <= record["software"].keys()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with this package and one commit."""
    root = tmp_path / "clone"
    target = root / "workflow" / "aiq" / "storage"
    target.mkdir(parents=True)
    (target / "files.py").write_text(Path(files.__file__).read_text("utf-8"))
    git = ["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *words], check=True)
    return root


def told(root: Path, path: str | None = None) -> str:
    code = (
        "import importlib.util as u, sys; s = u.spec_from_file_location('p', sys.argv[1]);"
        "m = u.module_from_spec(s); s.loader.exec_module(m); print(m.commit())"
    )
    command = [sys.executable, "-c", code, str(root / "workflow" / "aiq" / "storage" / "files.py")]
    environment = {"PATH": path, "PYTHONPATH": str(ROOT / "workflow")} if path is not None else None
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()


def test_the_commit_is_that_of_the_checkout_and_says_if_it_is_changed(checkout: Path):
    full = subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    head = full.stdout[:12]
    assert told(checkout) == head
    with (checkout / "workflow" / "aiq" / "storage" / "files.py").open("a") as file:
        file.write("\n")
    assert told(checkout) == f"{head}-dirty"
    assert told(checkout, path="/nowhere") == "None"  # no git
    (checkout / ".git").rename(checkout / "elsewhere")
    assert told(checkout) == "None"  # installed
