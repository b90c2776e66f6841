"""A job's shell: one sentence and status 2 for what a person can mend, a traceback for a defect."""

import logging
from pathlib import Path

import pytest
import yaml

from aiq.errors import StorageError
from aiq.run import job as shell

QUICKSTART = yaml.safe_load((Path(__file__).parents[2] / "config" / "quickstart.yaml").read_text(encoding="utf-8"))


def test_a_job_gets_its_checked_configuration_and_a_log(tmp_path: Path):
    with shell.job(QUICKSTART, tmp_path / "deep" / "j.log") as run:
        shell.LOGGER.info("working on %s", run.configuration.name)
        assert run.plan.configuration is run.configuration
        assert run.layout.space == "results/quickstart/space.h5"
    text = (tmp_path / "deep" / "j.log").read_text()
    assert "INFO working on quickstart" in text
    assert "INFO finished in" in text


@pytest.mark.parametrize(
    ("raw", "measure", "said"),
    [
        (QUICKSTART, "anytime", "configuration has the measure 'aiq'; this needs a configuration of measure anytime\n"),
        ({**QUICKSTART, "sed": 1}, None, "configuration: unknown key 'sed' (did you mean 'seed'?)"),
    ],
)
def test_a_wrong_configuration_is_refused_before_the_work(tmp_path: Path, capsys, raw, measure, said):
    with pytest.raises(SystemExit) as stop, shell.job(raw, tmp_path / "j.log", measure):
        pytest.fail("the body must not run")
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith(f"aiq: {said}")


def test_a_refusal_is_one_sentence_and_status_2(tmp_path: Path, capsys):
    with pytest.raises(SystemExit) as stop, shell.job(QUICKSTART, tmp_path / "j.log"):
        raise StorageError("a.h5 is corrupt; redo it: snakemake -f a.h5")
    assert stop.value.code == 2
    assert capsys.readouterr().err == "aiq: a.h5 is corrupt; redo it: snakemake -f a.h5\n"
    (line,) = (tmp_path / "j.log").read_text().splitlines()
    assert line.endswith("ERROR a.h5 is corrupt; redo it: snakemake -f a.h5")


def test_a_defect_is_logged_with_its_traceback_and_raised(tmp_path: Path):
    with pytest.raises(ZeroDivisionError), shell.job(QUICKSTART, tmp_path / "j.log"):
        _ = 1 / 0
    text = (tmp_path / "j.log").read_text()
    assert "Traceback" in text
    assert "ZeroDivisionError" in text


def test_a_log_is_closed_and_written_anew(tmp_path: Path):
    before = list(logging.getLogger("aiq").handlers)
    for word in ("first", "second"):
        with shell.job(QUICKSTART, tmp_path / "j.log"):
            shell.LOGGER.info(word)
    assert logging.getLogger("aiq").handlers == before
    text = (tmp_path / "j.log").read_text()
    assert "second" in text
    assert "first" not in text


def test_progress_is_told_at_most_every_few_seconds_and_at_the_end(caplog):
    with caplog.at_level(logging.INFO, "aiq"):
        progress = shell.Progress("trials", 50, every=1000)
        for done in range(1, 51):
            progress(done)
        assert [record.getMessage() for record in caplog.records] == ["trials: 50 of 50, 0 s left"]
        progress = shell.Progress("trials", 3, every=0)
        for done in (1, 2, 3):
            progress(done)
        assert len(caplog.records) == 4


def test_a_full_disk_under_the_log_is_one_sentence_and_hides_no_other(capsys):
    def work() -> None:
        shell.LOGGER.info("lost")
        shell.LOGGER.info("lost too")
        raise StorageError("results/x.h5 cannot be written: No space left on device; free space")

    with pytest.raises(SystemExit), shell.job(QUICKSTART, "/dev/full", "aiq"):
        work()
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "aiq: the log /dev/full is incomplete: No space left on device; free space",
        "aiq: results/x.h5 cannot be written: No space left on device; free space",
    ]


def test_an_interrupted_job_ends_without_a_traceback(tmp_path: Path, capsys):
    with pytest.raises(SystemExit) as ended, shell.job(QUICKSTART, tmp_path / "job.log"):
        raise KeyboardInterrupt
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")
    assert "Traceback" not in (tmp_path / "job.log").read_text(encoding="utf-8")
    assert "interrupted after" in (tmp_path / "job.log").read_text(encoding="utf-8")
