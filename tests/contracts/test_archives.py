"""Files that earlier versions wrote stay readable, with the values they were written with.

The scripts beside the files hold these values, and write the very files, hash for hash.
"""

import importlib.util
from pathlib import Path
from types import ModuleType

import h5py
import numpy as np
import pytest

from aiq.records.estimate import Estimate
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.storage import hdf5, read_domain, read_result, shards
from aiq.storage.records import pack, unpack
from aiq.storage.shards import unpack_alone, unpack_mixtures, unpack_trials
from aiq.wings.algorithmic.equations import Population
from aiq.wings.algorithmic.equations.estimation import Quotients
from aiq.wings.algorithmic.equations.runs import KnownPairs
from aiq.wings.algorithmic.work import unpack_programs
from aiq.wings.anytime.work import ClassResult, unpack_test
from aiq.wings.collectives.equations import EpisodeBlock
from aiq.wings.collectives.work import CollectivesResult
from alike import described

ARCHIVES = Path(__file__).parents[1] / "data" / "archives"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ARCHIVES / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


MADE, OLDER = script("make_archives"), script("make_older_archives")
KINDS = {
    **dict.fromkeys(("trials", "mixtures", "alone", "agents", "domain", "estimate"), "version-1"),
    "dissimilarity": "version-2",  # a file is of the oldest version of the format that describes it
    **dict.fromkeys(OLDER.WRITERS, "version-1"),
}
HASH = "content_hash"
YOUNGER = {"dissimilarity": {"content@usual_completion", "content/pairs/columns/measured/paired"}}
"""Fields with a default that came after the file of a kind was kept: it is never written again, and stays readable."""


def path_of(kind: str, root: Path = ARCHIVES) -> Path:
    return root / KINDS[kind] / f"{kind.replace(' ', '-')}.h5"


def tree_of(kind: str, unit: str) -> dict:
    found = shards.read(path_of(kind), kind, MADE.FINGERPRINT)
    assert {one.fingerprint for one in found.values()} == {MADE.UNIT_FINGERPRINT}
    return found[unit].tree


def test_every_readable_version_is_kept():
    wanted = [f"version-{v}" for v in range(hdf5.OLDEST_READABLE, hdf5.SCHEMA_VERSION + 1)]
    assert [folder.name for folder in sorted(ARCHIVES.glob("version-*"))] == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_headers(kind: str):
    header, seed = hdf5.read_header(path_of(kind), kind, MADE.FINGERPRINT), (MADE, OLDER)[kind in OLDER.WRITERS].SEED
    assert (header.kind, header.fingerprint, header.seed) == (kind, MADE.FINGERPRINT, seed)
    assert header.provenance["aiq"]
    assert path_of(kind).stat().st_size < 60_000


@pytest.mark.parametrize(
    ("kind", "unit", "unpacked", "made"),
    [
        ("trials", "chunk-000000", unpack_trials, MADE.TRIALS),
        ("agents", "small+000001", unpack_trials, MADE.TRIALS[:1]),
        ("mixtures", "a+b+000000", unpack_mixtures, MADE.MIXTURES),
        ("alone", "a+controls+000000", unpack_alone, MADE.ALONE),
        ("programs", "block-00000", unpack_programs, OLDER.PROGRAMS),
        ("anytime", "q+000003", unpack_test, OLDER.TEST),
        ("anytime", "mute+000000", unpack_test, OLDER.EMPTY_TEST),
    ],
)
def test_units(kind: str, unit: str, unpacked, made: object):
    assert described(unpacked(tree_of(kind, unit))) == described(made)


@pytest.mark.parametrize(
    ("kind", "record", "made"),
    [
        ("estimate", Estimate, MADE.ESTIMATE),
        ("dissimilarity", SuiteDissimilarity, MADE.DISSIMILARITY),
        ("quotients", Quotients, OLDER.QUOTIENTS),
        ("anytime result", ClassResult, OLDER.CLASS),
        ("collectives", CollectivesResult, OLDER.GROUPS),
    ],
)
def test_results(kind: str, record: type, made: object):
    found = read_result(path_of(kind), kind, record, MADE.FINGERPRINT)
    assert type(found) is record
    assert described(pack(found)) == described(pack(made))


def test_a_domain():
    assert described(read_domain(path_of("domain"), MADE.FINGERPRINT)) == described(MADE.DOMAIN)


def test_dissimilarities_are_columns():
    with h5py.File(path_of("dissimilarity")) as file:
        columns = file["content/pairs/columns"]
        assert columns["a"].asstr()[...].tolist() == ["a", "b", "a"]
        assert columns["curves"].shape == (3, 2, 3)


def test_the_sample_of_programs_pairs_and_episodes():
    _, tree = hdf5.read(path_of("program sample"), "program sample", MADE.FINGERPRINT)
    assert unpack_programs(tree) == OLDER.PROGRAMS
    assert bool(tree["made_here"])
    assert Population(unpack_programs(tree).programs).strata == (1, 20)
    tree = tree_of("pairs", "pairs")
    known = KnownPairs(*(np.asarray(tree[name]) for name in KnownPairs.__slots__))
    for name in KnownPairs.__slots__:
        np.testing.assert_array_equal(getattr(known, name), OLDER.PAIRS[name])
    block = unpack(EpisodeBlock, tree_of("episodes", "oracle+000001"))
    assert (block.kind, block.first, block.root, block.stratified) == ("oracle", 1000, 2013, True)
    assert (block.scores.tolist(), block.complexities.tolist()) == ([0.5, -0.25], [2, 18])


def test_the_scripts_write_what_is_kept(tmp_path: Path, monkeypatch):
    """The current version's files can be made again: same content, hash for hash where no field came since."""
    for made in (MADE, OLDER):
        monkeypatch.setattr(made, "HERE", tmp_path)
        made.main()
    for kind in KINDS:
        made, kept = entries(path_of(kind, tmp_path)), entries(path_of(kind))
        younger = YOUNGER.get(kind, set())
        assert set(made) - set(kept) == younger
        if younger:
            assert not any(np.any(made[name]) for name in younger)  # in the made file as in older ones: the default
            made, kept = ({n: v for n, v in all_.items() if n not in younger | {HASH}} for all_ in (made, kept))
        for name, value in made.items():
            np.testing.assert_array_equal(value, kept[name], err_msg=name, strict=isinstance(value, np.ndarray))
        assert list(made) == list(kept)


def entries(path: Path) -> dict[str, object]:
    """The content of a file by place, attributes as place@name, and its hash."""
    with h5py.File(path) as file:
        found: dict[str, object] = {HASH: file.attrs[HASH]}

        def look(name: str, item: h5py.Group | h5py.Dataset) -> None:
            found.update({f"{name}@{key}": value for key, value in sorted(item.attrs.items())})
            found[name] = item[()] if isinstance(item, h5py.Dataset) else None

        file.visititems(look)
        return found
