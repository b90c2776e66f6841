"""Trees of arrays and attributes in HDF5: written whole, read whole, validated.

Format: ``docs/file-format.md``.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from aiq import __version__
from aiq.errors import StorageError
from aiq.storage.files import replacing

SCHEMA_VERSION = 1
Leaf = np.ndarray | str | int | float | bool | None
Tree = Mapping[str, Any]  # name -> Leaf or Tree

_PACKAGES = ("numpy", "scipy", "torch", "torchvision", "scikit-learn", "gymnasium", "pybullet", "h5py", "numba")


@dataclass(frozen=True)
class Header:
    """What a file says about itself besides its content."""

    kind: str
    fingerprint: str
    seed: int
    provenance: Mapping[str, str] = field(default_factory=dict)


def provenance() -> dict[str, str]:
    """Return code version, package versions, host and Python of this process."""
    found = {"aiq": __version__, "python": platform.python_version(), "host": socket.gethostname()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def redo_command(path: str | Path) -> str:
    """Return the command that makes exactly this file again."""
    return f"{os.environ.get('AIQ_SNAKEMAKE', 'snakemake ...')} -f {path}"


def write(path: str | Path, header: Header, tree: Tree) -> None:
    """Write a tree atomically; ``complete`` and the content hash come last.

    Raises:
        StorageError: the folder cannot be written or the disk is full.
    """
    with replacing(path) as temporary, h5py.File(temporary, "w") as file:
        _write_group(file.create_group("content"), tree)
        file.attrs["aiq_kind"] = header.kind
        file.attrs["schema_version"] = SCHEMA_VERSION
        file.attrs["configuration_hash"] = header.fingerprint
        file.attrs["seed"] = np.uint64(header.seed)
        file.attrs["software"] = json.dumps(dict(header.provenance) or provenance(), sort_keys=True)
        file.attrs["content_hash"] = content_hash(file)
        file.attrs["complete"] = True


def read(path: str | Path, kind: str, fingerprint: str | None = None) -> tuple[Header, dict[str, Any]]:
    """Read and validate a file.

    Args:
        path: the file.
        kind: what it must hold, for example ``trials``.
        fingerprint: the configuration it must come from; None accepts any.

    Raises:
        StorageError: missing, unreadable, of another kind, schema or configuration, incomplete or corrupt; the
            sentence names the file and the command that makes it again.
    """
    with _opened(path) as file:
        header = _check(file, path, kind, fingerprint)
        if str(file.attrs["content_hash"]) != content_hash(file):
            raise StorageError(f"{path} is corrupt: its content hash does not match; redo it: {redo_command(path)}")
        return header, _read_group(file["content"])


def read_header(path: str | Path, kind: str, fingerprint: str | None = None) -> Header:
    """Validate and return the header alone, without reading the content (fast, for audits)."""
    with _opened(path) as file:
        return _check(file, path, kind, fingerprint)


class _opened:  # noqa: N801
    """Open a file for reading; every way in which HDF5 fails becomes one sentence."""

    def __init__(self, path: str | Path) -> None:
        self.path = path

    def __enter__(self) -> h5py.File:
        if not Path(self.path).is_file():
            raise StorageError(f"{self.path} does not exist; make it: {redo_command(self.path)}")
        try:
            self.file = h5py.File(self.path, "r", locking=False)
        except OSError as error:
            raise self._unreadable(error) from error
        return self.file

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.file.close()
        if isinstance(error, OSError | RuntimeError | KeyError | ValueError):
            raise self._unreadable(error) from error

    def _unreadable(self, error: BaseException) -> StorageError:
        """Say that the file is damaged."""
        reason = " ".join(str(error).split())
        return StorageError(f"{self.path} is corrupt or no HDF5 file ({reason}); redo it: {redo_command(self.path)}")


def _check(file: h5py.File, path: str | Path, kind: str, fingerprint: str | None) -> Header:
    """Validate kind, completeness, schema and configuration."""
    redo = f"redo it: {redo_command(path)}"
    if "aiq_kind" not in file.attrs or not bool(file.attrs.get("complete", False)):
        raise StorageError(f"{path} is incomplete or not a file of aiq; {redo}")
    found = str(file.attrs["aiq_kind"])
    if found != kind:
        raise StorageError(f"{path} holds {found}, not {kind}; {redo}")
    version = int(file.attrs["schema_version"])
    if version > SCHEMA_VERSION:
        raise StorageError(
            f"{path} has schema version {version}, this aiq reads up to {SCHEMA_VERSION}; "
            f"install a newer aiq, or {redo}"
        )
    actual = str(file.attrs["configuration_hash"])
    if fingerprint is not None and actual != fingerprint:
        raise StorageError(
            f"{path} was made by another configuration "
            f"(its hash is {actual}, this configuration's {fingerprint}); {redo}"
        )
    software = json.loads(str(file.attrs["software"]))
    return Header(found, actual, int(file.attrs["seed"]), software)


def content_hash(file: h5py.File) -> str:
    """Return the SHA-256 of the content (groups, attributes, datasets in name order) and of what identifies it."""
    digest = hashlib.sha256()
    for name in ("aiq_kind", "schema_version", "configuration_hash", "seed"):
        digest.update(f"{name}={file.attrs[name]}\n".encode())
    for line in _lines(file, ""):
        digest.update(line)
    return digest.hexdigest()


def _lines(group: h5py.Group, place: str) -> Iterator[bytes]:
    """Yield canonical bytes of everything in a group."""
    for name in sorted(group):
        item = group[name]
        here = f"{place}/{name}"
        yield f"{here}\n".encode()
        for key in sorted(item.attrs):
            value = item.attrs[key]
            yield f"@{key}={'' if isinstance(value, h5py.Empty) else value!s}\n".encode()
        if isinstance(item, h5py.Group):
            yield from _lines(item, here)
        elif h5py.check_string_dtype(item.dtype):
            yield json.dumps([text.decode() for text in item[...].ravel()]).encode()
        else:
            yield f"{item.dtype.str}{item.shape}".encode()
            yield np.ascontiguousarray(item[...]).tobytes()


def _write_group(group: h5py.Group, tree: Tree) -> None:
    """Write mappings as groups, arrays and tuples as datasets, single values as attributes."""
    for name, value in tree.items():
        if isinstance(value, Mapping):
            _write_group(group.create_group(name), value)
        elif isinstance(value, np.ndarray) and value.dtype.kind in "OU":
            group.create_dataset(name, data=value.astype(object), dtype=h5py.string_dtype())
        elif isinstance(value, np.ndarray):
            big = value.nbytes > 1 << 16
            group.create_dataset(
                name, data=value, compression="gzip" if big else None, compression_opts=1 if big else None
            )
        elif value is None:
            group.attrs[name] = h5py.Empty("f8")
        else:
            group.attrs[name] = value


def _read_group(group: h5py.Group) -> dict[str, Any]:
    """Read back what ``_write_group`` wrote."""
    tree: dict[str, Any] = {}
    for name, value in group.attrs.items():
        tree[name] = None if isinstance(value, h5py.Empty) else value.item() if isinstance(value, np.generic) else value
    for name, item in group.items():
        if isinstance(item, h5py.Group):
            tree[name] = _read_group(item)
        elif h5py.check_string_dtype(item.dtype):
            tree[name] = np.array([text.decode() for text in item[...].ravel()], dtype=object).reshape(item.shape)
        else:
            tree[name] = item[...]
    return tree
