"""Arrays of jobs: refusals in a sentence, what SLURM is told, local jobs that go on; limits as SLURM writes them."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from aiq import execution
from aiq.errors import InputError
from aiq.execution import Array, Outcome, Place, Requeued, _sbatch
from aiq.execution.slurm import ask, minutes, number, partitions, settings

submitit = pytest.importorskip("submitit")


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Jobs find the works below."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


class Append:
    """Work that leaves one more line each time it is called, waits, and leaves another."""

    def __init__(self, path: Path, seconds: float = 0.0, error: str = "") -> None:
        self.path, self.seconds, self.error = str(path), seconds, error

    def __call__(self) -> None:
        lines = Path(self.path).read_text().splitlines() if Path(self.path).exists() else []
        Path(self.path).write_text("\n".join([*lines, f"started {os.getpid()}"]))
        if not lines:
            time.sleep(self.seconds)
        if self.error:
            raise ValueError(self.error)
        with Path(self.path).open("a") as file:
            file.write("\nended")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"cluster": "slrm"}, "cluster is 'slrm' (did you mean 'slurm'?); allowed are slurm, local, debug"),
        ({"minutes": 0}, "time limit is 0 minutes, it must be positive"),
        ({"minutes": float("nan")}, "time limit is nan minutes"),
        ({"cluster": "slurm", "minutes": 2.5}, "2.5 minutes, SLURM counts whole ones"),
        ({"minutes": 1, "grace": 60}, "told 60 s before a limit of 60 s"),
        ({"parallel": 0}, "jobs at the same time"),
        ({"memory": 0.0}, "memory is 0 GB"),
    ],
)
def test_what_no_cluster_can_do_is_refused(tmp_path: Path, wrong, sentence):
    with pytest.raises(InputError) as refused:
        Place(**({"cluster": "local", "folder": tmp_path} | wrong))
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_sbatch_is_told(tmp_path: Path):
    from submitit.slurm.slurm import _make_sbatch_string

    place = Place(
        "slurm", tmp_path, minutes=30, grace=60, parallel=7, gpus=1, memory=3.5, partition="long", account="me"
    )
    text = _make_sbatch_string(command="x", folder=tmp_path, map_count=20, **_sbatch(place))
    for line in ("time=30", "signal=USR2@60", "array=0-19%7", "gpus-per-node=1", "mem=3584MB", "partition=long",
                 "account=me", "requeue", "job-name=aiq", "open-mode=append"):  # fmt: skip
        assert f"#SBATCH --{line}\n" in text
    few = _sbatch(Place("slurm", tmp_path))
    assert not {"partition", "account", "mem", "gpus_per_node"} & set(few)


def test_quality_of_service_constraint_and_type_of_gpu_are_told(tmp_path: Path):
    told = _sbatch(Place("slurm", tmp_path, gpus=2, gpu_type="a100", qos="long", constraint="rome&ib"))
    assert (told["gpus_per_node"], told["qos"], told["constraint"]) == ("a100:2", "long", "rome&ib")
    assert not {"qos", "constraint"} & set(_sbatch(Place("slurm", tmp_path)))
    with pytest.raises(InputError, match="type 'a100', but jobs ask for none; set device: cuda"):
        Place("slurm", tmp_path, gpu_type="a100")


def test_works_are_cut_by_the_longest_array_that_slurm_allows(tmp_path: Path, monkeypatch):
    (tmp_path / "scontrol").write_text("#!/bin/sh\necho 'MaxArraySize            = 4'\n")
    (tmp_path / "scontrol").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(execution, "_executor", lambda place: place)
    monkeypatch.setattr(execution, "_sent", lambda place, works: sent.append((len(works), place.parallel)) or works)
    works = [Append(tmp_path / str(k)) for k in range(10)]
    jobs = Array(Place("slurm", tmp_path, parallel=7), works)._jobs
    assert sent == [(4, 2), (4, 2), (2, 2)]  # 7 at the same time are shared out
    assert [job.work for job in jobs.values()] == works
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert execution.max_array_size() == execution.MAX_ARRAY_SIZE


def test_a_machine_without_slurm_and_one_without_submitit_say_so(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="this machine has no srun"):
        Array(Place("slurm", tmp_path), [])
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(InputError, match="needs the package submitit, which is not installed; run make env"):
        Array(Place("local", tmp_path), [])


def test_local_jobs_run_few_at_a_time_and_failures_are_told(tmp_path: Path):
    works = [Append(tmp_path / "a"), Append(tmp_path / "b", error="no good"), Append(tmp_path / "c")]
    array = Array(Place("local", tmp_path / "jobs", parallel=2, minutes=1, grace=10), works)
    assert array.jobs == []
    found = {outcome.index: outcome for outcome in array.outcomes()}
    assert sorted(found) == [0, 1, 2]
    assert [found[i].error for i in range(3)] == [None, "ValueError: no good", None]
    assert "ValueError: no good" in Path(found[1].log).read_text()
    assert (tmp_path / "c").read_text().endswith("ended")
    assert len(array.jobs) == 3


def test_a_local_job_out_of_time_is_started_again(tmp_path: Path):
    (outcome,) = Array(Place("local", tmp_path / "jobs", minutes=0.2, grace=7), [Append(tmp_path / "a", 60)]).outcomes()
    assert outcome == Outcome(0, outcome.job, None, outcome.log)
    lines = (tmp_path / "a").read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["started", "started", "ended"]
    assert "this job is timed-out" in Path(outcome.log).read_text()


def test_a_killed_local_job_is_told(tmp_path: Path, monkeypatch):
    array = Array(Place("local", tmp_path / "jobs", minutes=1, grace=10), [Append(tmp_path / "a", 60)])
    outcomes = array.outcomes()

    def kill(seconds: float) -> None:
        if (tmp_path / "a").exists():
            os.kill(int((tmp_path / "a").read_text().split()[1]), signal.SIGKILL)
            monkeypatch.undo()
        real(min(seconds, 0.2))

    real = time.sleep
    monkeypatch.setattr("aiq.execution.time.sleep", kill)
    (outcome,) = outcomes
    assert outcome.error == "killed, or its time was up 6 times"


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_who_stops_waiting_cancels_local_jobs(tmp_path: Path, request: pytest.FixtureRequest, handler):
    before = signal.signal(signal.SIGINT, handler)  # shells let background processes ignore it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    array = Array(Place("local", tmp_path / "jobs", minutes=1, grace=10, parallel=2), [
        Append(tmp_path / "a"), Append(tmp_path / "b", 60)])  # fmt: skip
    outcomes = array.outcomes()
    assert next(outcomes).index == 0
    outcomes.close()
    assert signal.getsignal(signal.SIGINT) == handler
    end = time.monotonic() + 30
    while array._jobs[1].state == "RUNNING" and time.monotonic() < end:
        time.sleep(0.1)
    assert array._jobs[1].state != "RUNNING"


def test_debugging_runs_in_this_process(tmp_path: Path):
    (outcome,) = Array(Place("debug", tmp_path / "jobs"), [Append(tmp_path / "a")]).outcomes()
    assert outcome.error is None
    assert f"started {os.getpid()}" in (tmp_path / "a").read_text()


def test_a_requeued_job_calls_the_same_work(tmp_path: Path):
    again = Requeued(Append(tmp_path / "a")).checkpoint()
    assert isinstance(again, submitit.helpers.DelayedSubmission)
    again.result()
    assert (tmp_path / "a").read_text().endswith("ended")


def test_jobs_that_slurm_refuses_are_one_sentence(tmp_path: Path, monkeypatch, capsys):
    (tmp_path / "srun").write_text("#!/bin/sh\n")
    (tmp_path / "sbatch").write_text(
        "#!/bin/sh\necho 'sbatch: error: invalid partition specified: nowhere' >&2\nexit 1\n"
    )
    for name in ("srun", "sbatch"):
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(InputError) as refused:
        Array(Place("slurm", tmp_path / "jobs", partition="nowhere"), [Append(tmp_path / "a")])
    assert str(refused.value) == (
        "SLURM refuses the jobs (sbatch: error: invalid partition specified: nowhere); "
        "correct partition, account or resources"
    )
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *(("infinite", None), ("30:00", 30), ("1:30:00", 90), ("2-00:00:00", 2880)),
        *(("1-12", 2160), ("1-12:30", 2190), ("5", 5), ("0:30", 0.5)),
    ],
)
def test_a_time_limit_becomes_minutes(text, wanted):
    assert minutes(text) == wanted


def test_numbers_of_a_controller_lose_their_unit():
    assert number({"MinJobAge": "300 sec"}, "MinJobAge") == 300
    assert number({"MinJobAge": "(null)"}, "MinJobAge") is None
    assert number({}, "MinJobAge") is None


def test_without_slurm_nothing_is_known(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (settings(), partitions()) == ({}, {})
    assert ask("sinfo") == (False, "sinfo is not installed here")
