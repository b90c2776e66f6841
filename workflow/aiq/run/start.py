"""One start of a run, from the checks to the exit status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sized
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aiq.errors import InputError
from aiq.execution import slurm
from aiq.plans import workflow
from aiq.plans.run import AnyRun
from aiq.run import resume
from aiq.run.call import ENDED, MEMORY, Snakemake, call, check_cores, failures
from aiq.run.checks import check_working_folder
from aiq.run.controller import Held, check_gone, held
from aiq.run.job import INTERRUPTED, USER_ERROR
from aiq.run.resume import MOST, Redone, redone

PARSER = """
import sys
from snakemake.cli import parse_args, parse_cores
_, options = parse_args(sys.argv[1:])
if options.cores is not None and parse_cores(options.cores) < 1:
    sys.exit("error: the number of cores must be at least 1")
"""


def check_call(snakemake: Snakemake) -> None:
    """Refuse cores, a profile and arguments that Snakemake would refuse, and a folder that it cannot use.

    Raises:
        InputError: one sentence.
    """
    check_cores("all" if snakemake.cores is None else snakemake.cores)
    check_working_folder()
    own = Path(workflow.profile(snakemake.profile)).is_dir()
    if snakemake.arguments or not own:
        _check_parsed(snakemake, own)


def _check_parsed(snakemake: Snakemake, own: bool) -> None:
    """Refuse what Snakemake's own parser refuses; ``own`` says that the profile is found by this workflow."""
    command = [sys.executable, "-c", PARSER, *snakemake.words()[3:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    said = (done.stderr.split("rror: ")[-1].split("Exception: ")[-1].strip().splitlines() or ["it does not say why"])[0]
    if not own and "profile" in said:
        profiles = sorted(path.name for path in (workflow.root() / "profiles").iterdir() if path.name != "default")
        raise InputError(
            f"--profile is {snakemake.profile!r}, which is found nowhere; allowed are {', '.join(profiles)}, and a "
            "folder with a config.yaml"
        )
    raise InputError(f"Snakemake refuses what follows --: {said.rstrip('.')}; see snakemake --help")


FAILED = 1
FEW = 3  # failed jobs that are told at the end
SAID = {INTERRUPTED: "interrupted", ENDED: "ended by SIGTERM"}
"""Exit statuses that a person or the system brought about, and what is said of them."""


@dataclass(frozen=True)
class Start:
    """What a person asked for.

    ``resume``: whether to go on after an accident; ``yes``: whether what other settings made may be made anew;
    ``quiet``: standard output is kept free; ``say`` is told what is done.
    """

    run: AnyRun
    snakemake: Snakemake
    resume: bool
    yes: bool
    quiet: bool
    say: Callable[[str], None]


Locked = Callable[[Start, tuple[str, ...], Held, list[int]], int]
"""What is done under the lock: the start, files that are made anew, the lock, and where processes are noted."""


def go(start: Start, work: Locked | None = None) -> int:
    """Do the work (None: call Snakemake once) under the run's lock; return 0, 1 (jobs failed) or 2 (to be mended).

    Raises:
        AiqError: somebody else works on the results, an earlier run was killed, or finished work would be made anew.
    """
    if start.snakemake.only_looks:
        anew = redone(start.run)
        if anew.stages:
            start.say(f"finished work would be made anew: {anew.sentence}")
        return call(start.snakemake.words(anew.missing), quiet=start.quiet)
    if start.resume:
        gone = resume.check_alone(start.run)
        if not start.yes and (anew := redone(start.run)).whole:
            raise _refused(start, anew)
    else:
        check_tidy(start)
    forced: tuple[str, ...] = () if start.resume else consented(start).forced
    child: list[int] = []

    def lost() -> None:
        start.say("these results have been taken over by another aiq run; this one stops")
        for pid in child:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)

    with held(start.run.layout.controller, lost) as lock:
        if start.resume:
            forced = _cleared(start, () if gone is None else (gone,))
        return (work or called)(start, forced, lock, child)


def check_tidy(start: Start) -> None:
    """Refuse to start where an earlier run was killed."""
    again = f"go on with: aiq run {start.snakemake.config} --resume"
    dead = check_gone(start.run.layout.controller)
    if dead is not None:
        raise InputError(f"the last run of these results was killed ({dead.name}); {again}")
    if resume.locked() and not slurm.controllers():
        raise InputError(f"the last Snakemake in this folder was killed, and its lock is set; {again}")


def consented(start: Start) -> Redone:
    """Return what is made anew of what is there, if a person has agreed."""
    anew = redone(start.run)
    if anew.stages and not start.yes:
        raise _refused(start, anew)
    if anew.stages:
        start.say(f"made anew: {anew.sentence}")
    if anew.missing:
        start.say(f"{_number(anew.missing, 'file')} missing or cut short and made again: {' '.join(anew.missing[:5])}")
    return anew


def _refused(start: Start, anew: Redone) -> InputError:
    return InputError(
        f"{start.snakemake.config} differs from what made these results in seed, settings or aiq's version, and "
        f"finished work would be made anew: {anew.sentence}; agree with --yes, or name another folder as results"
    )


def _cleared(start: Start, gone: tuple[str, ...]) -> tuple[str, ...]:
    resume.clear(start.run, start.snakemake, gone, start.say)
    start.say("verifying what is there")
    damage = resume.damage(start.run)
    resume.keep_whole(damage)
    for words, paths in (("corrupt", damage.corrupt), ("of another configuration", damage.stale)):
        if paths:
            start.say(f"{_number(paths, 'file')} {words} and made again: {' '.join(paths[:5])}")
    if damage.whole:
        start.say(f"{_number(damage.whole, 'file')} kept, finished after the controller had gone")
    return damage.forced


def _number(things: Sized, what: str) -> str:
    return f"1 {what} is" if len(things) == 1 else f"{len(things)} {what}s are"


def called(start: Start, forced: tuple[str, ...], lock: Held, child: list[int]) -> int:
    """Call Snakemake and say what failed."""
    if sum(map(len, forced)) > MOST:
        raise InputError(
            f"{len(forced)} files have to be made again, too many for one command; remove the folder "
            f"{start.run.layout.root}, or name another one as results"
        )

    def started(pid: int) -> None:
        child.append(pid)
        lock.started(pid)

    begun = time.time()
    status = call(start.snakemake.words(forced), quiet=start.quiet, started=started)
    child.clear()
    if status in SAID:
        start.say(f"aiq: {SAID[status]}; go on with: aiq run {start.snakemake.config} --resume")
    if status in (0, *SAID):
        return status
    failed = failures(Path(start.run.layout.log("x")).parent, begun)
    if not failed:
        logs = sorted(MEMORY.glob("log/*.snakemake.log"), key=os.path.getmtime)[-1:]
        start.say(f"Snakemake ended with status {status} and no job failed; why: {logs[0] if logs else 'see above'}")
        return FAILED
    said = list({failure.said: failure for failure in reversed(failed)}.values())[::-1]
    for failure in said[:FEW]:
        like = sum(other.said == failure.said for other in failed) - 1
        start.say(f"aiq: {failure}{f' and {like} like it' if like else ''}")
    if len(said) > FEW:
        start.say(f"aiq: and {len(said) - FEW} more failures; logs: {start.run.layout.log('*')}")
    start.say(f"when that is mended, go on with: aiq run {start.snakemake.config} --resume")
    return USER_ERROR if failed[0].refused else FAILED
