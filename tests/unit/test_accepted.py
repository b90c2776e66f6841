"""What Snakemake would refuse is refused before it starts, in one sentence."""

import errno
import sys
import tempfile
from pathlib import Path

import pytest

from aiq.errors import InputError, StorageError
from aiq.run.call import Snakemake
from aiq.run.checks import check_results
from aiq.run.controller import Held
from aiq.run.start import check_call


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text("seed: 1\n", encoding="utf-8")


def refusal(snakemake: Snakemake) -> str:
    with pytest.raises(InputError) as error:
        check_call(snakemake)
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("cores", ["foo", "0", "00", "-1", "1.5", "", "ALL", "2 "])
def test_cores_are_a_number_or_all(cores: str):
    assert refusal(Snakemake("c.yaml", "local", cores)) == (
        f"--cores is {cores!r}; allowed are whole numbers from 1, and all"
    )


def test_a_profile_that_is_nowhere():
    text = refusal(Snakemake("c.yaml", "nope"))
    assert text.startswith("--profile is 'nope', which is found nowhere; allowed are ")
    assert "local" in text
    assert "slurm" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--foo",), "unrecognized arguments: --foo"),
        (("--retries", "many"), "invalid"),
        (("--cores", "foo"), "must be integer or 'all'"),
        (("--cores", "0"), "must be at least 1"),
    ],
)
def test_further_words_that_snakemake_does_not_know(words: tuple[str, ...], said: str):
    text = refusal(Snakemake("c.yaml", arguments=words))
    assert text.startswith("Snakemake refuses what follows --: ")
    assert text.endswith("; see snakemake --help")
    assert said in text


@pytest.mark.parametrize(
    ("cores", "words"),
    [("1", ()), ("all", ()), (None, ()), ("16", ("-n",)), (None, ("--keep-going", "--config", "seed=1", "--", "a"))],
)
def test_what_snakemake_takes_is_accepted(cores: str | None, words: tuple[str, ...]):
    check_call(Snakemake("c.yaml", "local", cores, words))


def test_a_working_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch):
    def refuse(**_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    text = refusal(Snakemake("c.yaml"))
    assert text.startswith("Snakemake keeps its records in .snakemake of the working folder, but ")
    assert text.endswith("cannot be written (Read-only file system); work in another folder")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that not even root can write to")
def test_results_where_not_even_root_can_write():
    with pytest.raises(InputError, match=r"results is /proc/foo, but /proc cannot be written \(.*\); name a folder"):
        check_results("/proc/foo")
    with pytest.raises(StorageError, match=r"/proc/foo/controller\.json cannot be written"):
        Held("/proc/foo/controller.json", lambda: None).begin(None)
