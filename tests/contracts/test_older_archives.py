"""Files of the older measures that earlier versions wrote stay readable, with the values they were written with."""

import importlib.util
from pathlib import Path

import h5py
import numpy as np
import pytest

from aiq.storage import hdf5, read_result, shards
from aiq.storage.records import pack, unpack
from aiq.wings.algorithmic.equations.programs import Population
from aiq.wings.algorithmic.equations.runs import KnownPairs
from aiq.wings.algorithmic.records import PAIRS, Quotients, unpack_programs
from aiq.wings.anytime.work import ClassResult, unpack_test
from aiq.wings.collectives.records import EpisodeBlock
from aiq.wings.collectives.work import CollectivesResult
from alike import described

ARCHIVES = Path(__file__).parents[1] / "data" / "archives"
VERSIONS = [ARCHIVES / "version-1"]  # these kinds are as they were in it


def load_script():
    spec = importlib.util.spec_from_file_location("make_older_archives", ARCHIVES / "make_older_archives.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


MADE = load_script()


def path_of(folder: Path, kind: str) -> Path:
    return folder / f"{kind.replace(' ', '-')}.h5"


@pytest.fixture(params=VERSIONS, ids=lambda folder: folder.name)
def folder(request) -> Path:
    return request.param


def units(folder: Path, kind: str) -> dict[str, shards.Unit]:
    found = shards.read(path_of(folder, kind), kind, MADE.FINGERPRINT)
    assert {unit.fingerprint for unit in found.values()} == {MADE.UNIT_FINGERPRINT}
    return found


@pytest.mark.parametrize("kind", MADE.WRITERS)
def test_headers(folder: Path, kind: str):
    header = hdf5.read_header(path_of(folder, kind), kind, MADE.FINGERPRINT)
    assert (header.kind, header.fingerprint, header.seed) == (kind, MADE.FINGERPRINT, MADE.SEED)
    assert header.provenance["aiq"]
    assert path_of(folder, kind).stat().st_size < 40_000


def test_programs_and_their_sample(folder: Path):
    (unit,) = units(folder, "programs").values()
    assert unpack_programs(unit.tree) == MADE.PROGRAMS
    _, tree = hdf5.read(path_of(folder, "program sample"), "program sample", MADE.FINGERPRINT)
    assert unpack_programs(tree) == MADE.PROGRAMS
    assert bool(tree["made_here"])
    assert Population(unpack_programs(tree).programs).strata == (1, 20)


def test_pairs(folder: Path):
    tree = units(folder, "pairs")["pairs"].tree
    known = KnownPairs(*(np.asarray(tree[name]) for name in PAIRS))
    assert (known.stratum.tolist(), known.draw.tolist(), known.digest.tolist()) == (
        [1, 1, 20],
        [0, 1, 0],
        [2**63 - 1, 7, 0],
    )
    np.testing.assert_array_equal(known.plus, [50.0, np.nan, -12.5])
    np.testing.assert_array_equal(known.minus, [-25.0, np.nan, 100.0])


def test_administered_tests(folder: Path):
    found = units(folder, "anytime")
    assert unpack_test(found["q+000003"].tree) == MADE.TEST
    assert unpack_test(found["mute+000000"].tree) == MADE.EMPTY_TEST


def test_episodes(folder: Path):
    (unit,) = units(folder, "episodes").values()
    block = unpack(EpisodeBlock, unit.tree)
    assert (block.kind, block.first, block.root, block.stratified) == ("oracle", 1000, 2013, True)
    assert (block.scores.tolist(), block.complexities.tolist()) == ([0.5, -0.25], [2, 18])


@pytest.mark.parametrize(
    ("kind", "record", "made"),
    [
        ("quotients", Quotients, MADE.QUOTIENTS),
        ("anytime result", ClassResult, MADE.CLASS),
        ("collectives", CollectivesResult, MADE.GROUPS),
    ],
)
def test_results(folder: Path, kind: str, record: type, made: object):
    found = read_result(path_of(folder, kind), kind, record, MADE.FINGERPRINT)
    assert type(found) is record
    assert described(pack(found)) == described(pack(made))


def test_the_script_writes_what_is_kept(tmp_path: Path, monkeypatch):
    """The current version's files can be made again: same content, hash for hash."""
    monkeypatch.setattr(MADE, "HERE", tmp_path)
    MADE.main()
    for kind in MADE.WRITERS:
        made, kept = (
            content_hash(path_of(root / f"version-{hdf5.OLDEST_READABLE}", kind)) for root in (tmp_path, ARCHIVES)
        )
        assert made == kept


def content_hash(path: Path) -> str:
    with h5py.File(path) as file:
        return file.attrs["content_hash"]
