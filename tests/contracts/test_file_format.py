"""docs/reference/file-format.md says what the files hold: read, checked and sealed here by its words alone."""

import hashlib
import re
from pathlib import Path

import h5py
import numpy as np
import pytest

from aiq.records.trial import AloneResult, MixtureResult
from aiq.storage import hdf5, shards
from aiq.storage.shards import pack_alone, pack_mixtures, pack_trials

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "file-format.md").read_text(encoding="utf-8")
ARCHIVES = sorted((ROOT / "tests" / "data" / "archives").glob("version-1/*.h5"))


def documented_hash(file: h5py.File) -> str:
    """Section 4, written from the page."""
    digest = hashlib.sha256()

    def token(text):
        data = text if isinstance(text, bytes) else str(text).encode()
        digest.update(len(data).to_bytes(8, "little") + data)

    def numbers(array):
        array = array.astype(array.dtype.newbyteorder("<"))
        for text in (array.dtype.str, ",".join(str(size) for size in array.shape), array.tobytes("C")):
            token(text)

    def group(item):
        token(item.name)
        for name in sorted(item.attrs):
            value = item.attrs[name]
            token("@" + name)
            if isinstance(value, h5py.Empty):
                token("none")
            elif isinstance(value, str):
                token("text"), token(value)
            else:
                numbers(np.array(value))
        for name in sorted(item):
            if isinstance(item[name], h5py.Group):
                group(item[name])
            elif item[name].dtype.kind == "O":
                token(item[name].name), token("text"), token(",".join(str(size) for size in item[name].shape))
                for word in item[name].asstr()[...].ravel():
                    token(word)
            else:
                token(item[name].name), numbers(item[name][...])

    for name in ("aiq_kind", "schema_version", "configuration_hash", "seed"):
        token(name), token(file.attrs[name])
    group(file["content"])
    return digest.hexdigest()


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.stem)
def test_the_documented_hash_is_that_of_the_files(path: Path):
    with h5py.File(path) as file:
        assert documented_hash(file) == file.attrs["content_hash"]


def test_the_documented_hash_of_every_kind_of_entry(tmp_path: Path):
    tree = {
        "ä": {"none": None, "flag": True, "int": -1, "float": 0.5, "nan": float("nan"), "word": "ü", "a/b": ""},
        "b": np.array([["x", "yz"], ["", "é"]], dtype=object), "empty": np.zeros((0, 3)), "scalar": np.array(2.0),
        "flags": np.array([True, False]), "big": np.arange(60_000.0).reshape(2, -1), "bytes": np.arange(9, dtype="u1"),
        "swapped": np.arange(3, dtype=">f4"), "words": np.array([], dtype=object), "group": {},
    }  # fmt: skip
    hdf5.write(tmp_path / "a.h5", hdf5.Header("tree", "f" * 16, 2**63 - 1), tree)
    hdf5.read(tmp_path / "a.h5", "tree")
    with h5py.File(tmp_path / "a.h5") as file:
        assert documented_hash(file) == file.attrs["content_hash"]


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.stem)
def test_the_documented_seal_is_that_of_the_files(path: Path):
    whole = path.read_bytes()
    body = whole[512:]
    digest = hashlib.sha256(body).hexdigest()
    assert whole[:512].rstrip(b"\0").decode() == f"aiq file, container 1\nbytes {len(body)}\nsha256 {digest}\n"


def section(title: str) -> dict[str, str]:
    """Entry -> type of the table below a heading."""
    text = PAGE.split(f"### `{title}`", 1)[1].split("\n### ", 1)[0].split("\n## ", 1)[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return {name: row[1] for row in rows for name in re.findall(r"`([\w/]+)`", row[0])}


MIXED = MixtureResult(0.5, 0, 0.5, 0.5, 9, 0.1, "finished", 0.75, 1.0)
ALONE = AloneResult(0.5, 0, 10, 0.5, 0.75, 9, 0.1, "finished")


@pytest.mark.parametrize(
    ("title", "columns"),
    [("trials", pack_trials([])), ("mixtures", pack_mixtures([MIXED])), ("alone", pack_alone([ALONE]))],
)
def test_every_column_is_documented_with_its_type(title, columns):
    documented = section(title)
    assert set(documented) == {*columns, "fingerprint"}
    types = {"i8": np.dtype("i8"), "f8": np.dtype("f8"), "text": np.dtype(object)}
    for name, array in columns.items():
        kind, shape = re.match(r"(\w+) \((.*)\)", documented[name]).groups()
        assert types[kind] == array.dtype
        assert len([size for size in shape.split(",") if size.strip()]) == array.ndim


def test_every_entry_of_a_domain_is_documented():
    with h5py.File(next(path for path in ARCHIVES if path.stem == "domain")) as file:
        content = file["content"]
        entries = [*content.attrs, *(n for n in content if n not in ("train", "test"))]
        entries += [f"{split}/{n}" for split in ("train", "test") for n in content[split]]
        assert set(section("domain")) - {"x", "y"} >= set(entries)
        assert all(f"`{name}`" in PAGE for name in (*content["sheet"].attrs, *content["sheet"], *file.attrs))


def test_the_page_is_that_of_the_current_version():
    assert f"# File format, schema version {hdf5.SCHEMA_VERSION}\n" in PAGE
    assert "aiq file, container 1" in PAGE


def test_a_file_written_by_the_page_alone_is_read(tmp_path: Path):
    """Another program may write shards: nothing but this page, h5py and hashlib is used to make one."""
    path = tmp_path / "foreign.h5"
    with h5py.File(path, "w", userblock_size=512) as file:
        unit = file.create_group("content/chunk-000000")
        unit.attrs["fingerprint"] = "a" * 16
        unit["performance"] = np.array([0.25, 0.5])
        file.attrs["aiq_kind"], file.attrs["schema_version"] = "trials", 1
        file.attrs["configuration_hash"], file.attrs["seed"], file.attrs["software"] = "b" * 16, np.uint64(1), "{}"
        file.attrs["content_hash"] = documented_hash(file)
        file.attrs["complete"] = True
    body = path.read_bytes()[512:]
    lines = f"aiq file, container 1\nbytes {len(body)}\nsha256 {hashlib.sha256(body).hexdigest()}\n".encode()
    path.write_bytes(lines + bytes(512 - len(lines)) + body)
    assert shards.read(path, "trials", "b" * 16)["chunk-000000"].tree["performance"].tolist() == [0.25, 0.5]
