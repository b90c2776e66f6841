"""A file is whole or is not there."""

import os
import random
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from aiq.errors import StorageError
from aiq.records.table import Table
from aiq.storage import hdf5, shards, write_table
from aiq.storage.files import TEMPORARY, replacing

HEADER = hdf5.Header("trials", "0" * 16, 7)


def one_sentence(error) -> None:
    assert "\n" not in str(error.value)
    assert not str(error.value).endswith(".")


def test_a_finished_block_replaces_the_target(tmp_path: Path):
    target = tmp_path / "deep" / "er" / "a.txt"
    with replacing(target) as temporary:
        temporary.write_text("new")
        assert not target.exists()
        assert temporary.parent == target.parent
        assert temporary.name.endswith(TEMPORARY)
    assert target.read_text() == "new"
    assert list(target.parent.iterdir()) == [target]
    with replacing(target) as other:
        other.write_text("")
        assert other.name != temporary.name


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failed_block_leaves_the_old_file_and_no_other(tmp_path: Path, failure):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(failure), replacing(target) as temporary:  # noqa: PT012
        temporary.write_text("half")
        raise failure
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_tree_that_cannot_be_stored_leaves_nothing(tmp_path: Path):
    for tree in ({"x": object()}, {"x": np.array([1, None])}, {"x": np.array([1j])}, {"x": b"bytes"}, {"x": [1]}):
        with pytest.raises(TypeError):
            hdf5.write(tmp_path / "a.h5", HEADER, tree)
    for name in ("", ".", "..", "a/b", "/"):
        with pytest.raises(ValueError, match="name of an entry"):
            hdf5.write(tmp_path / "a.h5", HEADER, {name: np.zeros(1)})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("make", "path", "words"),
    [
        (lambda: Path("file").write_text(""), "file/a.h5", "cannot be written"),
        (lambda: Path("folder").mkdir(), "folder", "cannot be written"),
        (lambda: (Path("a").symlink_to("b"), Path("b").symlink_to("a")), "a", "cannot be written"),
        (lambda: None, "/proc/a.h5", "cannot be written"),  # read-only, even for root
        *((lambda: None, name, "names no file; give the name of a file") for name in ("", ".", "new/")),
    ],
)
def test_a_place_that_takes_no_file_is_one_sentence(tmp_path: Path, monkeypatch, make, path: str, words: str):
    monkeypatch.chdir(tmp_path)
    make()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(StorageError, match=words) as error:
        hdf5.write(path, HEADER, {"x": 1})
    one_sentence(error)
    assert sorted(tmp_path.iterdir()) == before


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path):
    (tmp_path / "there").mkdir()
    real, link, chain = tmp_path / "there" / "a.txt", tmp_path / "link.txt", tmp_path / "chain.txt"
    link.symlink_to("there/a.txt")
    chain.symlink_to(link)
    for path, text in ((link, "made"), (chain, "replaced")):  # at first it leads to nothing
        with replacing(path) as temporary:
            temporary.write_text(text)
            assert temporary.parent == real.parent
        assert real.read_text() == text
    assert link.is_symlink()
    assert chain.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chain.txt", "link.txt", "there"]
    assert list(real.parent.iterdir()) == [real]


def test_a_pipe_is_written_into_once_the_block_has_succeeded(tmp_path: Path):
    pipe = tmp_path / "a.csv"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_table(pipe, Table.of(["x"], [[1]]))
    reader.join(20)
    assert read == ["x\n1\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def made_node(path: Path, kind: int, major: int, minor: int) -> Path:
    """Return a device like one of /dev; making it needs rights."""
    try:
        os.mknod(path, kind | 0o666, os.makedev(major, minor))
        path.open("rb").close()
    except OSError:
        pytest.skip("devices cannot be made here")
    return path


def test_a_character_device_stays_one_and_a_full_one_is_one_sentence(tmp_path: Path):
    null = made_node(tmp_path / "null", stat.S_IFCHR, 1, 3)
    hdf5.write(null, HEADER, {"x": 1})
    assert stat.S_ISCHR(null.stat().st_mode)
    (tmp_path / "link").symlink_to(null)
    write_table(tmp_path / "link", Table.of(["x"], [[1]]))
    assert (tmp_path / "link").is_symlink()
    assert stat.S_ISCHR(null.stat().st_mode)
    full = made_node(tmp_path / "full", stat.S_IFCHR, 1, 7)
    with pytest.raises(StorageError, match="full cannot be written: No space left on device") as error:
        write_table(full, Table.of(["x"], [[1]]))
    one_sentence(error)
    assert stat.S_ISCHR(full.stat().st_mode)


def test_a_socket_is_one_sentence_and_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)  # names of sockets must be short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("s")
        with pytest.raises(StorageError, match="it is a socket") as error:
            write_table("s", Table.of(["x"], [[1]]))
    one_sentence(error)
    assert stat.S_ISSOCK(Path("s").stat().st_mode)


def test_a_folder_without_write_permission_is_one_sentence(tmp_path: Path):
    tmp_path.chmod(0o500)
    user = os.geteuid()
    if user == 0:  # root may write everywhere, so become somebody else for a moment
        os.seteuid(65534)
    try:
        with pytest.raises(StorageError, match="Permission denied"):
            hdf5.write(tmp_path / "a.h5", HEADER, {"x": 1})
    finally:
        os.seteuid(user)
        tmp_path.chmod(0o700)


FULL_DISK = """
    import resource, sys
    import numpy as np
    from aiq.errors import StorageError
    from aiq.records.table import Table
    from aiq.storage import hdf5, write_table
    limit = int(sys.argv[1])
    numbers = np.random.default_rng(0).normal(size=20_000)
    words = np.array(["word" * 500] * 20, dtype=object)
    table = Table.of(["x"], [[float(x)] for x in numbers])
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    for write in (
        lambda: hdf5.write("a.h5", hdf5.Header("trials", "0" * 16, 7), {"x": numbers, "y": words}),
        lambda: write_table("a.csv", table),
    ):
        try:
            write()
        except StorageError as error:
            print(error)
"""


@pytest.mark.parametrize("limit", [0, 600, 5_000, 100_000])
def test_a_full_disk_is_one_sentence_and_keeps_the_old_file(tmp_path: Path, limit: int):
    hdf5.write(tmp_path / "a.h5", HEADER, {"x": 1})
    write_table(tmp_path / "a.csv", Table.of(["x"], [[1]]))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL_DISK), str(limit)],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["a.h5", "a.csv"]
    assert all("cannot be written" in line and "free space" in line for line in lines)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


# ---- killed writers ------------------------------------------------------------------------------


# one process that has imported everything, and forks a writer for every line it is sent
NURSERY = """
    import itertools, os, sys
    import numpy as np
    from aiq.storage import shards
    numbers = np.random.default_rng(0).normal(size=100_000)
    for _ in sys.stdin:
        writer = os.fork()
        if writer == 0:
            for k in itertools.count():
                units = {f"chunk-{i:06d}": shards.Unit("a" * 16, {"x": numbers + k}) for i in range(3)}
                shards.write(f"shard-{k % 3}.h5", "trials", "b" * 16, 1, units)
        print(writer, flush=True)
        _, status = os.waitpid(writer, 0)
        print(os.WTERMSIG(status), flush=True)
"""
KILLS, SECONDS = 12, 20


def unfinished(folder: Path) -> set[Path]:
    return set(folder.glob(f".*{TEMPORARY}"))


def wait_for_a_write(folder: Path, before: set[Path]) -> None:
    """Return as soon as a new temporary file is there, so that the kill falls into the write."""
    limit = time.monotonic() + 10
    while unfinished(folder) <= before and time.monotonic() < limit:
        time.sleep(0.0002)


def test_killed_writers_leave_whole_files_only(tmp_path: Path):
    rng, started, kills = random.Random(0), time.monotonic(), 0
    nursery = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(NURSERY)], cwd=tmp_path, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    while (kills < KILLS or not list(tmp_path.glob("*.h5"))) and time.monotonic() - started < SECONDS:
        before = unfinished(tmp_path)
        print("fork", file=nursery.stdin, flush=True)
        writer = int(nursery.stdout.readline())
        if kills % 2:
            wait_for_a_write(tmp_path, before)
        else:
            time.sleep(rng.uniform(0.0, 0.5 + 0.1 * kills))  # on a busy machine a whole write takes longer
        os.kill(writer, signal.SIGKILL)
        assert int(nursery.stdout.readline()) == signal.SIGKILL
        kills += 1
        for path in tmp_path.glob("*.h5"):
            assert sorted(shards.read(path, "trials", "b" * 16)) == ["chunk-000000", "chunk-000001", "chunk-000002"]
    nursery.communicate()
    assert nursery.returncode == 0
    assert kills >= 5
    assert list(tmp_path.glob("*.h5"))
    assert unfinished(tmp_path), "no kill fell into a write: the test has shown nothing"
    for path in set(tmp_path.iterdir()) - unfinished(tmp_path):
        assert hdf5.read_header(path, "trials").seed == 1
