"""The doctor finds whatever a run refuses when it starts, each with its sentence."""

from __future__ import annotations

import errno
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from aiq.cli.main import main
from aiq.config.load import read
from aiq.errors import AiqError
from aiq.plans.run import Run
from aiq.run.checks import check_named
from changes import changed

ROOT = Path(__file__).resolve().parents[2]
SUITE = read(ROOT / "config" / "quickstart.yaml")
CONFIGURATIONS = ("quickstart", "cartpole", "algorithmic-quickstart", "anytime-quickstart", "collectives-quickstart")


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Call the verb on a configuration; return its status and its checks by name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AIQ_STORE", raising=False)
    Path("file").write_text("something else")

    def call(raw: dict[str, Any]) -> tuple[int, dict[str, tuple[bool, str]]]:
        Path("mine.yaml").write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
        status = main(["doctor", "mine.yaml", "--json"])
        checks = json.loads(capsys.readouterr().out)["checks"]
        assert len({check["name"] for check in checks}) == len(checks)
        return status, {check["name"]: (check["passed"], check["says"]) for check in checks}

    return call


def failed(checks: dict[str, tuple[bool, str]]) -> dict[str, str]:
    return {name: says for name, (passed, says) in checks.items() if not passed}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_shipped_configurations_are_well(doctor, name):
    status, checks = doctor(read(ROOT / "config" / f"{name}.yaml"))
    assert (status, failed(checks)) == (0, {})
    assert "results" in checks["named"][1]


def test_all_that_a_run_refuses_is_a_failed_check_with_the_same_sentence(doctor):
    wrong = {
        "results": {"results": "file"},
        "store": {"store": "file"},
        "agents.table": {"agents__table": "no.csv"},
        "domain mine": {"domains__mine": {"source": "npz", "path": "file"}},
    }
    together = {key: value for changes in wrong.values() for key, value in changes.items()}
    status, checks = doctor(changed(SUITE, **together))
    assert (status, set(failed(checks))) == (1, set(wrong))
    for name, changes in wrong.items():
        with pytest.raises(AiqError) as caught:
            check_named(Run.of(changed(SUITE, **changes)))
        assert failed(checks)[name] == str(caught.value)
        assert "\n" not in str(caught.value)


def only_read(monkeypatch: pytest.MonkeyPatch, these: Callable[[Path], bool]) -> None:
    """Let nobody write into some folders, whom root is not kept from."""
    usual = tempfile.TemporaryFile

    def file(*, dir: Path):
        if these(Path(dir)):
            raise OSError(errno.EROFS, "Read-only file system")
        return usual(dir=dir)

    monkeypatch.setattr(tempfile, "TemporaryFile", file)


def test_a_working_folder_that_cannot_be_written_is_refused(doctor, tmp_path: Path, monkeypatch):
    """The results lie elsewhere, but Snakemake's records lie here."""
    elsewhere = tmp_path.with_name(f"{tmp_path.name}-elsewhere")
    raw = changed(SUITE, results=str(elsewhere))
    elsewhere.mkdir()
    only_read(monkeypatch, lambda folder: folder == tmp_path)
    status, checks = doctor(raw)
    assert status == 1
    assert f"{tmp_path} cannot be written" in failed(checks)["working folder"]
    with pytest.raises(AiqError, match=r"Snakemake keeps its records in \.snakemake of the working folder"):
        check_named(Run.of(raw))
    Path(".snakemake").mkdir()
    assert doctor(raw)[0] == 0


def test_a_store_serves_where_it_can_be_read_or_made(doctor, tmp_path: Path, monkeypatch):
    (tmp_path / "kept" / "store").mkdir(parents=True)
    only_read(monkeypatch, lambda folder: "kept" in folder.parts)
    assert doctor(changed(SUITE, store="kept/store"))[0] == 0  # read-only: what it holds can be taken
    assert doctor(changed(SUITE, store="new/store"))[0] == 0
    assert not Path("new").exists()
    assert "kept cannot be written" in failed(doctor(changed(SUITE, store="kept/other"))[1])["store"]
    monkeypatch.setenv("AIQ_STORE", "file")
    assert "AIQ_STORE is file, but" in failed(doctor(SUITE)[1])["store"]


@pytest.mark.parametrize("verb", ["doctor", "estimate"])
def test_a_wrong_configuration_is_named(verb, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(yaml.safe_dump({**SUITE, "thread": 1}, sort_keys=False), encoding="utf-8")
    for more in ([], ["--measure"])[: 1 + (verb == "estimate")]:
        assert main([verb, "mine.yaml", *more]) == 2
        assert capsys.readouterr().err.startswith("aiq: mine.yaml: unknown key 'thread'")
