"""What ``aiq doctor --fetch`` brings: what is missing, once, whole or not at all; what it says without a network."""

import functools
import gzip
import hashlib
import http.server
import json
import struct
import threading
from pathlib import Path

import numpy as np
import pytest
import yaml
from configurations import QUICKSTART

from aiq.cli.main import main
from aiq.domains.labelled.library_sets import FACTS, Torchvision

datasets = pytest.importorskip("torchvision.datasets")


def written(folder: Path, **domains) -> str:
    """Write a small suite with these domains and return its path."""
    raw = {**QUICKSTART, "domains": domains, "data_root": "data", "download": False}
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(raw), encoding="utf-8")
    return str(path)


MNIST = {"source": "torchvision", "name": "MNIST", "limit": 20}
DIGITS = {"source": "sklearn", "name": "digits"}


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch):
    """A server of MNIST's four files, made up and small, on this machine; every request is counted."""
    folder, asked, sums = tmp_path / "served", [], []
    folder.mkdir()
    for split, n in (("train", 40), ("t10k", 20)):
        for what, array in (("images-idx3", np.zeros((n, 28, 28))), ("labels-idx1", np.arange(n) % 10)):
            header = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
            packed = gzip.compress(header + array.astype(np.uint8).tobytes())
            name = f"{split}-{what}-ubyte.gz"
            (folder / name).write_bytes(packed)
            sums.append((name, hashlib.md5(packed).hexdigest()))

    class Counting(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            super().do_GET()

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Counting, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(datasets.MNIST, "mirrors", [f"http://127.0.0.1:{server.server_port}/"])
    monkeypatch.setattr(datasets.MNIST, "resources", sums)
    monkeypatch.chdir(tmp_path)
    yield asked
    server.shutdown()
    server.server_close()


def told(capsys, *words: str) -> dict:
    assert main(["doctor", "--fetch", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_what_is_missing_is_downloaded_once_and_shared_by_all_its_domains(mirror, tmp_path: Path, capsys):
    config = written(tmp_path, a=MNIST, b={**MNIST, "noise": 0.5}, c=DIGITS)
    found = told(capsys, config)
    asked = len(mirror)
    assert len(set(mirror)) == 4
    (own, shared) = found["data"]
    assert own == {"data": "source sklearn", "domains": ["c"], "done": "nothing to fetch", "files": 0, "bytes": 0}
    stored = [tmp_path / "data" / name for name in Torchvision(**MNIST).stored]
    assert (shared["data"], shared["domains"], shared["done"]) == ("torchvision MNIST", ["a", "b"], "downloaded")
    assert (shared["files"], shared["bytes"]) == (4, sum(path.stat().st_size for path in stored))
    assert found["bytes"] == shared["bytes"]
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    again = told(capsys, config)
    assert again["data"][1] == {**shared, "done": "there"}
    assert len(mirror) == asked
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert not (tmp_path / "results").exists()


def test_a_damaged_data_set_is_downloaded_again(mirror, tmp_path: Path, capsys):
    config = written(tmp_path, a=MNIST, c=DIGITS)
    told(capsys, config)
    damaged = tmp_path / "data" / Torchvision(**MNIST).stored[0]
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:100])
    assert told(capsys, config)["data"][1]["done"] == "downloaded"
    assert damaged.read_bytes() == whole


def test_without_a_network_one_sentence_says_what_to_do(mirror, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(datasets.MNIST, "mirrors", ["http://127.0.0.1:9/"])
    assert main(["doctor", "--fetch", written(tmp_path, a=MNIST, c=DIGITS)]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.startswith(f"aiq: domain a: MNIST is missing or damaged at {tmp_path}/data/MNIST/raw")
    assert said.endswith("a download needs a network, which compute nodes often lack")
    assert not [path for path in (tmp_path / "data").rglob("*") if path.is_file()]


def test_files_are_looked_for_and_every_domain_is_looked_at(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    samples = {f"x_{part}": np.zeros((n, 2)) for part, n in (("train", 8), ("test", 4))}
    labels = {f"y_{part}": np.arange(n) % 2 for part, n in (("train", 8), ("test", 4))}
    np.savez("data/a.npz", **samples, **labels)
    config = written(tmp_path, a={"source": "npz", "path": "a.npz"}, c=DIGITS)
    first = told(capsys, config)["data"][0]
    assert (first["data"], first["done"], first["files"]) == ("data/a.npz", "there", 1)
    assert first["bytes"] == Path("data/a.npz").stat().st_size
    config = written(tmp_path, a={"source": "npz", "path": "a.npz"}, b={"source": "npz", "path": "b.npz"})
    assert main(["doctor", "--fetch", config]) == 2
    assert "domain b: there is no NumPy archive at" in capsys.readouterr().err


def test_a_measure_without_domains_has_nothing_to_fetch(root: Path, monkeypatch, capsys):
    monkeypatch.chdir(root)
    assert main(["doctor", "--fetch", "config/algorithmic-quickstart.yaml"]) == 0
    assert "no domains, so there is nothing to fetch" in capsys.readouterr().out


@pytest.mark.parametrize("name", FACTS)
def test_stored_files_are_those_that_torchvision_looks_for(name: str):
    """Against torchvision's own lists; of EMNIST, SVHN and the formats of MNIST they are made of the same names."""
    kind, stored = getattr(datasets, name), set(Torchvision(source="torchvision", name=name).stored)
    if name.startswith("CIFAR"):
        own = {file for file, _ in (*kind.train_list, *kind.test_list)} | {kind.meta["filename"]}
        assert stored == {f"{kind.base_folder}/{file}" for file in own}
    elif name == "SVHN":
        assert stored == {kind.split_list[split][1] for split in ("train", "test")}
    elif name == "EMNIST":
        assert {Path(file).name for file in stored} == {
            f"emnist-balanced-{split}-{what}-ubyte"
            for split in ("train", "test")
            for what in ("images-idx3", "labels-idx1")
        }
    else:
        assert stored == {f"{name}/raw/{file.removesuffix('.gz')}" for file, _ in kind.resources}
