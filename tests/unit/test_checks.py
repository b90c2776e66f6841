"""Everything that a configuration names is looked at before anything runs, and refused in one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aiq.config.load import read
from aiq.domains import CONTROL_FAMILIES, FAMILIES, registry
from aiq.domains.registry import LOOKS, check_presence
from aiq.errors import AiqError
from aiq.plans.run import Run
from aiq.run.checks import check_named, prefetch, remarks
from changes import changed

ROOT = Path(__file__).resolve().parents[2]
SUITE = read(ROOT / "config" / "quickstart.yaml")
CONTROL = read(ROOT / "config" / "cartpole.yaml")
ALGORITHMIC = read(ROOT / "config" / "algorithmic-quickstart.yaml")
ANYTIME = read(ROOT / "config" / "anytime-quickstart.yaml")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def check(raw: dict[str, Any]) -> None:
    check_named(Run.of(raw))


def refused(raw: dict[str, Any], *words: str) -> None:
    with pytest.raises(AiqError) as caught:
        check(raw)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def with_domain(**domain: Any) -> dict[str, Any]:
    return changed(SUITE, domains__mine=domain)


def test_every_way_to_look_belongs_to_a_family():
    assert set(LOOKS) <= {*FAMILIES, *CONTROL_FAMILIES}


def arrays(path: str, **changes: Any) -> None:
    whole = {"x_train": np.zeros((4, 2)), "y_train": [0, 1, 0, 1], "x_test": np.zeros((2, 2)), "y_test": [0, 1]}
    np.savez(path, **{key: value for key, value in {**whole, **changes}.items() if value is not None})


def test_an_archive_is_there_is_one_and_holds_the_four_arrays(here: Path):
    refused(with_domain(source="npz", path="no.npz"), "domain mine", "no.npz", "correct path")
    Path("no.npz").write_bytes(b"something else")
    refused(with_domain(source="npz", path="no.npz"), "domain mine", "no.npz", "numpy.savez")
    arrays("no.npz", y_test=None)
    refused(with_domain(source="npz", path="no.npz"), "lacks y_test")
    arrays("no.npz")
    check(with_domain(source="npz", path="no.npz"))
    Path("data").mkdir()
    Path("no.npz").rename("data/no.npz")
    check(with_domain(source="npz", path="no.npz"))


def test_an_archive_cut_in_two_is_refused(here: Path):
    arrays("cut.npz")
    whole = Path("cut.npz").read_bytes()
    Path("cut.npz").write_bytes(whole[: len(whole) // 2])
    refused(with_domain(source="npz", path="cut.npz"), "cut.npz", "no NumPy archive")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"x_test": np.array([[0.0, 1.0], [np.nan, 2.0]])}, ("NaN or infinity in x_test", "sample 1")),
        ({"y_train": [0, 1, 0, 1], "y_test": [0, 2]}, ("class 2, which no training sample has",)),
    ],
)
def test_an_archive_is_looked_into_before_anything_runs(here: Path, changes: dict[str, Any], words: tuple[str, ...]):
    arrays("mine.npz", **changes)
    refused(with_domain(source="npz", path="mine.npz"), "domain mine", *words)
    with pytest.raises(AiqError, match=words[0]):
        prefetch(with_domain(source="npz", path="mine.npz"))


def test_a_large_archive_is_left_to_its_jobs(here: Path, monkeypatch: pytest.MonkeyPatch):
    arrays("mine.npz", y_train=[1] * 4, y_test=[1] * 2)
    monkeypatch.setattr(registry, "WHOLE", 40)  # it holds 48 bytes of numbers
    check(with_domain(source="npz", path="mine.npz"))


def test_a_folder_of_pictures_has_classes(here: Path):
    raw = with_domain(source="image_folder", path="pictures", size=8)
    refused(raw, "domain mine", "pictures")
    Path("pictures").write_text("no folder")
    refused(raw, "is no folder")
    Path("pictures").unlink()
    (here / "pictures" / "cat").mkdir(parents=True)
    refused(raw, "1 class folders")
    (here / "pictures" / "dog").mkdir()
    check(raw)


@pytest.mark.parametrize("name", ["MNIST", "CIFAR10", "SVHN", "EMNIST"])
def test_a_data_set_of_torchvision_is_there_or_may_be_downloaded(name: str, here: Path):
    raw = changed(with_domain(source="torchvision", name=name), data_root="sets")
    check(raw)
    refused(changed(raw, download=False), name, str(here / "sets"), "data_root")


def test_an_environment_is_registered():
    settings = {"source": "gymnasium", "bounds": [-500, 0]}
    check_presence(
        "a", Run.of(changed(CONTROL, domains__a={**settings, "id": "Acrobot-v1"})).configuration.domains["a"]
    )
    refused(changed(CONTROL, domains__a={**settings, "id": "Acrobat-v1"}), "domain a", "'Acrobat-v1'")
    refused(changed(CONTROL, domains__a={**settings, "id": "nomodule:X-v0"}), "nomodule")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"id": "Pendulum-v1"}, ("domain a", "only discrete actions")),
        ({"id": "endless_worlds:Endless-v0"}, ("domain a", "no longest episode", "set horizon")),
    ],
)
def test_an_environment_that_cannot_be_played_is_refused_before_a_run(here: Path, given: dict[str, Any], words):
    (here / "endless_worlds.py").write_text(OWN.replace("Mine", "Endless").replace(", max_episode_steps=20", ""))
    refused(changed(CONTROL, domains__a={"source": "gymnasium", "bounds": [-500, 0], **given}), *words)


OWN = """
import gymnasium
from gymnasium.envs.classic_control import CartPoleEnv

gymnasium.register("Mine-v0", entry_point=CartPoleEnv, max_episode_steps=20)
"""


def test_an_environment_of_a_module_in_the_working_folder_is_found(here: Path):
    """Without PYTHONPATH, as agents' factories are: by the check, and by a job."""
    (here / "my_worlds.py").write_text(OWN, encoding="utf-8")
    program = """
from pathlib import Path
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.domains.control.gymnasium_family import make
from aiq.domains.registry import check_presence
own = Gymnasium(source="gymnasium", id="my_worlds:Mine-v0", bounds=[0, 20])
{look}
print("found")
"""
    for look in ("check_presence('mine', own)", "make('mine', own).close()"):
        command = [sys.executable, "-P", "-c", program.format(look=look)]
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
        assert done.stdout == "found\n", done.stderr


def table(text: str) -> dict[str, Any]:
    Path("mine.csv").write_text(text, encoding="utf-8")
    return changed(SUITE, agents__table="mine.csv")


def test_the_table_of_agents_has_its_columns_and_fits_the_suite():
    refused(changed(SUITE, agents__table="none.csv"), "there is no file or folder none.csv")
    refused(table("agent,domian,performance\nme,digits,.5\n"), "lacks the column 'domain'", "did you mean")
    rows = "".join(f"me,{domain},0.5\n" for domain in SUITE["domains"])
    check(table(f"agent,domain,performance\n{rows}me,letters,.5\n"))  # left out, and the scores say so
    refused(table(f"agent,domain,performance\n{rows}you,digits,.5\n"), "agent you has no performance")
    refused(table(f"agent,domain,performance\n{rows.replace('me', 'dense-1x2')}"), "dense-1x2", "rename")
    check(table(f"agent,domain,performance\n{rows}"))


def test_code_of_agents_is_imported(here: Path):
    raw = changed(CONTROL, agents__outside=[{"name": "mine", "factory": "agents_of_mine:make"}])
    refused(raw, "agents_of_mine:make", "cannot be imported")
    Path("agents_of_mine.py").write_text("def mk(domain): ...\n", encoding="utf-8")
    refused(raw, "not a callable")


def test_programs_and_agents_of_the_algorithmic_quotient():
    refused(changed(ALGORITHMIC, programs__file="none.txt"), "none.txt cannot be read")
    entry = {"agent": "outside", "name": "mine", "factory": "nowhere:Agent", "lengths": [100]}
    refused(changed(ALGORITHMIC, agents=[entry]), "nowhere:Agent", "cannot be imported")


def test_files_of_agents_of_the_anytime_test():
    player = {"kind": "outside", "file": "a.py"}
    raw = changed(ANYTIME, agents={"clever": {"kind": "sandbagger", "winner": player}})
    refused(raw, "a.py", "give the path")
    Path("a.py").write_text("class Other: ...\n", encoding="utf-8")
    refused(raw, "defines no 'Agent'")
    Path("a.py").write_text("def Agent(observation): return 0\n", encoding="utf-8")
    check(raw)


def test_results_can_be_written(here: Path):
    Path("file").write_text("x")
    refused(changed(SUITE, results="file/results"), "is a file")
    check(changed(SUITE, results="new/deep/results"))


def test_twins_of_tests_are_for_inputs_of_one_space():
    own = {"labels": "shared", "twins": 4, "twins_of": "tests"}
    raw = {**SUITE, "dissimilarity": {**SUITE["dissimilarity"], **own}}
    refused(raw, "twins_of is tests", "digits has 1×8×8 inputs", "cartpole3d 10", "set it to pairs")
    check({**raw, "domains": {name: SUITE["domains"][name] for name in ("digits", "digits-again")}})


def test_vectors_of_own_archives_that_share_no_labels_are_told_where_kinship_is_measured(here: Path):
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        x, y = rng.normal(size=(30, 4)).astype(np.float32), np.arange(30) % 3
        np.savez(f"{name}.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    twins = {**SUITE["dissimilarity"], "labels": "shared", "twins": 2}
    own = {name: {"source": "npz", "path": f"{name}.npz"} for name in ("a", "b")}
    (said,) = remarks(Run.of({**SUITE, "domains": own, "dissimilarity": twins}))
    assert said.startswith("a, b hold vectors of 4 numbers and share no labels: ")
    assert list(remarks(Run.of({**SUITE, "domains": own}))) == []  # nothing is measured by twins
    joined = {name: {**settings, "labels": "blobs"} for name, settings in own.items()}
    assert list(remarks(Run.of({**SUITE, "domains": joined, "dissimilarity": twins}))) == []
