"""A damaged or foreign file is refused in one sentence; it never gives a number and never crashes the process."""

import random
from pathlib import Path

import h5py
import numpy as np
import pytest

from aiq.errors import StorageError
from aiq.storage import hdf5, shards
from aiq.storage.tree import content_hash, write_group

HASH = "0123456789abcdef"
TREE = {
    "chunk-000000": {
        "fingerprint": HASH,
        "performance": np.linspace(0, 1, 50),
        "status": np.array(["finished", "diverged"] * 25, dtype=object),
        "note": None,
    }
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.h5"
    hdf5.write(path, hdf5.Header("trials", HASH, 7), TREE)
    return path.read_bytes()


ADVICE = "it: aiq run CONFIG --resume (CONFIG: the configuration of that run)"


@pytest.fixture(autouse=True)
def outside_a_run(monkeypatch):
    """Within a run the advice names its configuration."""
    monkeypatch.delenv("AIQ_REDO", raising=False)


def refused(path: Path, match: str = "", **how) -> str:
    """Every way of reading refuses the file, with the same single sentence that names it and the remedy."""
    sentences = set()
    for read in (hdf5.read, hdf5.read_header, shards.read):
        with pytest.raises(StorageError, match=match) as error:
            read(path, "trials", **how)
        sentences.add(str(error.value))
    (sentence,) = sentences
    assert "\n" not in sentence
    assert sentence.startswith(f"{path} ")
    assert sentence.endswith(f"redo {ADVICE}" if path.exists() else f"does not exist; make {ADVICE}")
    return sentence


def test_truncated_longer_and_swapped_files_are_refused(tmp_path: Path, whole: bytes):
    path = tmp_path / "a.h5"
    lengths = {0, 1, 8, 21, 22, 100, 511, 512, 513, 520, 608, len(whole) - 1, *range(0, len(whole), 211)}
    for length in sorted(lengths):
        path.write_bytes(whole[:length])
        refused(path, "empty" if length == 0 else "not a file of aiq" if length < 22 else "incomplete|corrupt")
    for changed in (whole + b"\0", whole[:600] + whole[700:800] + whole[600:700] + whole[800:]):
        path.write_bytes(changed)
        refused(path, "checksum")


def test_no_flipped_byte_gives_a_result(tmp_path: Path, whole: bytes):
    path, rng = tmp_path / "a.h5", random.Random(1)
    places = [*range(hdf5.SIZE), *(rng.randrange(len(whole)) for _ in range(300))]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(StorageError):
            hdf5.read(path, "trials")
    refused(path, "corrupt")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "is empty"),
        (b"domain,performance\ndigits,0.5\n", "not a file of aiq"),
        (bytes(range(256)) * 40, "not a file of aiq"),
        (hdf5.seal(b"no HDF5 at all"), "incomplete: 0 of 14 bytes"),
        (hdf5.seal(b"no HDF5 at all") + b"no HDF5 at all", "no content of aiq"),
        (hdf5.MAGIC, "corrupt"),
    ],
)
def test_other_content_is_refused(tmp_path: Path, content: bytes, match: str):
    (tmp_path / "a.h5").write_bytes(content)
    refused(tmp_path / "a.h5", match)


def test_missing_files_folders_and_foreign_files_are_refused(tmp_path: Path):
    refused(tmp_path / "none.h5", "does not exist; make it")
    (tmp_path / "folder.h5").mkdir()
    refused(tmp_path / "folder.h5", "cannot be read")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = np.arange(3)
    refused(tmp_path / "a.h5", "HDF5 file of another program")


def sealed(path: Path, change) -> Path:
    """Write a file whose seal is right but whose HDF5 part was changed, as another program might."""
    hdf5.write(path, hdf5.Header("trials", HASH, 7), TREE)
    with h5py.File(path, "r+") as file:
        change(file)
    body = path.read_bytes()[hdf5.SIZE :]
    path.write_bytes(hdf5.seal(body) + body)
    return path


def rehashed(file: h5py.File) -> None:
    """Make the content hash right again."""
    file.attrs["content_hash"] = content_hash(file)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda f: f.attrs.__setitem__("complete", False), "incomplete"),
        (lambda f: f.attrs.__delitem__("complete"), "incomplete"),
        (lambda f: f.attrs.__delitem__("aiq_kind"), "incomplete or not a file of aiq"),
        (
            lambda f: f.attrs.__setitem__("schema_version", 3),
            "schema version 3, this aiq reads 1 to 2; install a newer",
        ),
        (lambda f: f.attrs.__setitem__("schema_version", 0), "schema version 0, this aiq reads 1 to 2; redo"),
        (lambda f: f.attrs.__setitem__("schema_version", "x"), "no content of aiq"),
        (lambda f: f.attrs.__setitem__("software", "{"), "no content of aiq"),
        (lambda f: f.attrs.__setitem__("aiq_kind", "mixtures"), "holds mixtures, not trials"),
        (lambda f: f.attrs.__delitem__("configuration_hash"), "no content of aiq"),
    ],
)
def test_a_sealed_file_with_another_header_is_refused(tmp_path: Path, change, match: str):
    refused(sealed(tmp_path / "a.h5", change), match)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f["content/chunk-000000/performance"].__setitem__(3, 0.5),
        lambda f: f["content/chunk-000000"].attrs.__setitem__("note", ""),
        lambda f: f["content"].move("chunk-000000", "chunk-000002"),
        lambda f: f["content/chunk-000000"].__delitem__("status"),
        lambda f: f.attrs.__setitem__("configuration_hash", HASH[::-1]),
        lambda f: f.attrs.__setitem__("seed", np.uint64(8)),
        lambda f: f.attrs.__setitem__("content_hash", "0" * 64),
    ],
)
def test_the_content_hash_covers_everything_that_counts(tmp_path: Path, change):
    with pytest.raises(StorageError, match="content hash"):
        hdf5.read(sealed(tmp_path / "a.h5", change), "trials")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"x": 1}, {"x": 1.0}),
        ({"x": 1}, {"x": "1"}),
        ({"x": 1}, {"x": True}),
        ({"x": None}, {"x": ""}),
        ({"x": None}, {}),
        ({"x": "1\n@y=2"}, {"x": "1", "y": 2}),
        ({"x": {}}, {}),
        ({"x": {"y": 1}}, {"x": {}, "y": 1}),
        ({"x": np.zeros(2)}, {"x": np.zeros(2, np.float32)}),
        ({"x": np.zeros((2, 3))}, {"x": np.zeros((3, 2))}),
        ({"x": np.zeros(0)}, {"x": np.zeros((0, 2))}),
        ({"x": np.array(["ab", "c"], object)}, {"x": np.array(["a", "bc"], object)}),
        ({"x": np.array([1.0])}, {"x": 1.0}),
        ({"x": 0.0}, {"x": -0.0}),
    ],
)
def test_different_content_has_different_hashes(tmp_path: Path, one, other):
    found = []
    for tree in (one, other):
        with h5py.File(tmp_path / "h.h5", "w") as file:
            file.attrs.update(aiq_kind="x", schema_version=1, configuration_hash=HASH, seed=np.uint64(1))
            write_group(file.create_group("content"), tree)
            found.append(content_hash(file))
    assert found[0] != found[1]


def test_another_configuration_is_refused(tmp_path: Path, whole: bytes):
    (tmp_path / "a.h5").write_bytes(whole)
    sentence = refused(tmp_path / "a.h5", "made by another configuration", fingerprint=HASH[::-1])
    assert HASH in sentence
    assert HASH[::-1] in sentence


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f["content"].attrs.__setitem__("chunk-000001", 3),
        lambda f: f["content/chunk-000000"].attrs.__delitem__("fingerprint"),
        lambda f: f["content"].__setitem__("chunk-000001", np.zeros(3)),
    ],
)
def test_a_shard_without_units_is_refused(tmp_path: Path, change):
    assert len(shards.read(sealed(tmp_path / "a.h5", lambda file: None), "trials")["chunk-000000"].tree) == 3
    with pytest.raises(StorageError, match="cannot understand") as error:
        shards.read(sealed(tmp_path / "a.h5", lambda file: (change(file), rehashed(file))), "trials")
    assert str(error.value).startswith(f"{tmp_path / 'a.h5'} holds ")
    assert str(error.value).endswith(f"redo {ADVICE}")


def test_the_command_that_redoes_it_is_that_of_the_run(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("AIQ_REDO", "aiq run c.yaml --resume")
    with pytest.raises(StorageError, match=r"^results/a\.h5 does not exist; make it: aiq run c\.yaml --resume$"):
        hdf5.read("results/a.h5", "trials")


# ---- taking over finished units ------------------------------------------------------------------


def shard(path: Path, **fingerprints: str) -> None:
    units = {name: shards.Unit(text * 16, {"x": np.array([ord(text)])}) for name, text in fingerprints.items()}
    shards.write(path, "trials", "f" * 16, 1, units)


def test_only_matching_units_of_neighbours_are_taken_over(tmp_path: Path):
    target = tmp_path / "target.h5"
    shard(target, u0="a")
    shard(tmp_path / "one.h5", u1="a", u2="b", u3="a")
    shard(tmp_path / "two.h5", u2="c", u4="a")
    shards.write(tmp_path / "other.h5", "mixtures", "f" * 16, 1, {"u5": shards.Unit("a" * 16, {})})
    found, unreadable = shards.finished(target, "trials", dict.fromkeys(["u0", "u1", "u2", "u4", "u5"], "a" * 16))
    assert sorted(found) == ["u1", "u4"]
    assert {unit.fingerprint for unit in found.values()} == {"a" * 16}
    assert found["u4"].tree["x"].tolist() == [ord("a")]
    assert [sentence.split()[0] for sentence in unreadable] == [str(tmp_path / "other.h5")]
    assert shards.finished(tmp_path / "none" / "t.h5", "trials", {"u": "a"}) == ({}, [])
    assert shards.finished(tmp_path / "t.h5", "trials", {}) == ({}, [])


def test_corrupt_neighbours_do_no_harm(tmp_path: Path, whole: bytes):
    shard(tmp_path / "m.h5", u1="a")
    (tmp_path / "a.h5").write_bytes(whole[:-9])
    (tmp_path / "b.h5").write_bytes(b"")
    (tmp_path / "z.h5").mkdir()
    (tmp_path / ".a.h5.1-2.part").write_bytes(whole[:99])
    found, unreadable = shards.finished(tmp_path / "t.h5", "trials", {"u1": "a" * 16, "u2": "a" * 16})
    assert sorted(found) == ["u1"]
    assert len(unreadable) == 3
    assert not any("\n" in sentence for sentence in unreadable)
