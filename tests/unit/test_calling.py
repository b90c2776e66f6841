"""How Snakemake is called by ``aiq run``."""

import copy
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

from aiq.cli.run import laid_over, overridden
from aiq.errors import InputError
from aiq.plans import workflow
from aiq.run.call import ENDED, Snakemake, call, failures
from aiq.run.job import INTERRUPTED, TOLD
from snakemake_logger_plugin_aiq import screen


@pytest.mark.parametrize(
    ("words", "looks"),
    [
        ((), False),
        (("-n",), True),
        (("-np",), True),
        (("--dry-run", "-q", "rules"), True),
        (("--report=x.html",), True),
        (("--unlock",), True),
        (("--notemp", "results/x.h5"), False),
        (("--keep-going", "-j", "2"), False),
    ],
)
def test_what_makes_nothing_is_known(words, looks):
    assert Snakemake("c.yaml", arguments=words).only_looks == looks


def test_the_command_is_the_one_of_a_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    words = Snakemake("c.yaml", "local", "2", ("--keep-going", "target")).words(forced=("a", "b"))
    assert words[1:6] == ["-m", workflow.QUIET_SNAKEMAKE, "--forcerun", "a", "b"]
    assert words[words.index("--profile") + 1] == str(workflow.root() / "profiles" / "local")
    assert words[words.index("--cores") + 1] == "2"
    default = Path(words[words.index("--workflow-profile") + 1])  # outside a checkout Snakemake finds none by itself
    assert "code" not in yaml.safe_load((default / "config.v9+.yaml").read_text("utf-8"))["rerun-triggers"]
    assert words[-4:] == ["--snakefile", str(workflow.snakefile()), "--keep-going", "target"]
    assert "--cores" not in Snakemake("c.yaml").words()
    assert Snakemake("c.yaml", "slurm").words(only=("--unlock",))[3:] == [
        *("--unlock", "--configfile", "c.yaml", "--snakefile", str(workflow.snakefile()))
    ]


def test_where_results_lie_is_told_by_arguments_then_by_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert Snakemake("c.yaml").storage is None
    assert Snakemake("c.yaml", "kubernetes").storage == "s3://my-bucket/aiq"
    assert Snakemake("c.yaml", "kubernetes", None, ("--default-storage-prefix", "s3://b/c")).storage == "s3://b/c"
    assert Snakemake("c.yaml", arguments=("--default-storage-prefix=s3://b",)).storage == "s3://b"
    assert Snakemake("c.yaml", "a-profile-in-my-home").storage is None


def test_keys_that_snakemake_overrides_are_seen():
    words = ("--config", "data_root=/data", "seed=3", "--keep-going", "x=1")
    assert overridden(words) == {"data_root": "/data", "seed": 3}
    assert overridden(("-n",)) == {}
    with pytest.raises(InputError, match=r"--config results=\[a cannot be read: while parsing a flow sequence"):
        overridden(("--config", "results=[a"))


def test_sections_are_laid_over_as_snakemake_does_it():
    under = {"seed": 1, "agents": {"repetitions": 3, "networks": [{"name": "one"}]}, "entropy": None}
    over = overridden(("--config", "agents={repetitions: 5}", "entropy={samples: 4}", "seed={a: 1}"))
    wanted = copy.deepcopy(under)
    update_config(wanted, over)
    assert laid_over(under, over) == wanted
    assert wanted["agents"] == {"repetitions": 5, "networks": [{"name": "one"}]}
    assert under["agents"]["repetitions"] == 3


def test_the_exit_status_and_the_process_are_passed_on(capfd):
    started: list[int] = []
    status = call([sys.executable, "-c", "print('out'); raise SystemExit(3)"], quiet=True, started=started.append)
    assert status == 3
    assert len(started) == 1
    assert capfd.readouterr() == ("", "out\n")


RUNNER = """
import signal, sys
from aiq.run.call import call
signal.signal(signal.SIGINT, signal.SIG_IGN if sys.argv[1] == "ignored" else signal.default_int_handler)
child = (
    "import time\\ntry:\\n  print('begun', flush=True)\\n"
    "  time.sleep(3)\\n  print('slept', flush=True)\\nexcept KeyboardInterrupt:\\n  print('told', flush=True)"
)
raise SystemExit(call([sys.executable, "-c", child]))
"""


@pytest.mark.parametrize(
    ("sigint", "number", "heard", "status"),
    [
        ("heard", signal.SIGINT, "told", INTERRUPTED),
        ("heard", -signal.SIGINT, "told", INTERRUPTED),  # to this process alone
        ("heard", signal.SIGTERM, None, ENDED),
        ("heard", signal.SIGKILL, "told", -signal.SIGKILL),
        ("ignored", signal.SIGINT, "slept", 0),  # nohup, or a job in the background of a script
        ("ignored", signal.SIGKILL, "told", -signal.SIGKILL),
    ],
)
def test_a_child_is_told_of_an_interruption_and_of_its_parents_death(
    sigint: str, number: int, heard: str | None, status: int
):
    words = [sys.executable, "-c", RUNNER, sigint]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.5)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(abs(number))
        assert process.stdout.readline() == (f"{heard}\n" if heard else "")
        assert process.wait(20) == status


EARLY = """
import os, signal, time
from aiq.cli.run import _ends_at_once
with _ends_at_once():
    pass
signal.signal(signal.SIGINT, signal.default_int_handler)
with _ends_at_once():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(20)
"""


def test_an_interruption_before_anything_runs_ends_at_once():
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "aiq: interrupted\n")


COUNTER = """
import sys
from aiq.run import call as module
module.APART = 4.0  # far more than a busy machine lets a process wait
child = '''
import signal, sys, time
heard, wanted = [], int(sys.argv[1])
signal.signal(signal.SIGTERM, lambda *_: heard.append(time.monotonic()))
print("begun", flush=True)
latest = time.monotonic() + 60
while len(heard) < wanted and time.monotonic() < latest:
    time.sleep(0.05)
end = time.monotonic() + 6  # one more would come by now
while time.monotonic() < end:
    time.sleep(0.05)
print(len(heard), min([b - a for a, b in zip(heard, heard[1:])], default=9) > 0.75, flush=True)
'''
raise SystemExit(module.call([sys.executable, "-c", child, sys.argv[1]]))
"""


@pytest.mark.parametrize(("whole_group", "expected"), [(True, 1), (False, 1)])
def test_ends_that_come_together_are_passed_on_once_and_later(whole_group: bool, expected: int):
    with subprocess.Popen(
        [sys.executable, "-c", COUNTER, str(expected)], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGTERM)  # as `timeout` does: to the process, then to its group
        if whole_group:
            os.killpg(process.pid, signal.SIGTERM)
        else:
            process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == f"{expected} True\n"
        assert process.wait(20) == 0


def test_the_logger_hears_of_whoever_tells_by_the_variable_that_calls_set():
    assert screen.TOLD == TOLD


def test_what_failed_is_found_in_the_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def log(name: str, text: str, when: float) -> None:
        path = tmp_path / "logs" / f"{name}.log"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (when, when))

    log("good", "2026 INFO finished in 1 s\n", 200)
    log("second", "2026 INFO begun\n2026 ERROR b is wrong; mend it\n", 300)
    log("first", "2026 ERROR a is wrong\n", 250)
    log("old", "2026 ERROR long mended\n", 100)
    log("defect", "2026 ERROR failed after 1 s\nTraceback\nValueError\n", 400)
    monkeypatch.chdir(tmp_path)
    own = tmp_path / ".snakemake" / "log"
    own.mkdir(parents=True)
    (own / "2026.snakemake.log").write_text(ERRORS, encoding="utf-8")
    found = failures("logs", 150)
    assert [one.said for one in found] == [
        "a is wrong",
        "b is wrong; mend it",
        "a job of the rule spoil failed: ValueError",
        "a job of the rule bare failed",
        "a job of the rule gone was killed (SIGKILL; a system that is short of memory does that)",
        "a job of the rule left ended its process, with exit status 3",
    ]
    assert [one.refused for one in found] == [True, True, False, False, False, False]
    assert str(found[2]) == "a job of the rule spoil failed: ValueError (log: logs/defect.log)"
    assert found[3].log == ".snakemake/log/2026.snakemake.log"


ERRORS = """\
Building DAG of jobs...
Error in rule refuses:
    message: None
    jobid: 1
    output: a.txt
    log: logs/first.log (check log file(s) for error details)
Error in rule spoil:
    message: None
    jobid: 2
    output: b.txt
    log: logs/defect.log (check log file(s) for error details)
    shell:
        exit 1
Error in rule bare:
    message: None
    jobid: 3
    output: c.txt
    shell:
        exit 1
        (command exited with non-zero exit code)
Command 'set -euo pipefail;  python3 work.py' died with <Signals.SIGKILL: 9>.
[Thu Nov 26 06:20:41 2026]
Error in rule gone:
    message: None
    log: logs/good.log (check log file(s) for error details)
Command 'set -euo pipefail;  python3 work.py' returned non-zero exit status 3.
[Thu Nov 26 06:20:42 2026]
Error in rule left:
    message: None
    log: logs/good.log (check log file(s) for error details)
Complete log(s): x
"""
