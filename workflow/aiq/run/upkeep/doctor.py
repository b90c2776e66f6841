"""Look at a configuration's data, its disk and a profile's cluster before anything is submitted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aiq.errors import AiqError
from aiq.execution import slurm
from aiq.plans.run import AnyRun, Run
from aiq.records.table import counted
from aiq.run.call import read_profile
from aiq.run.checks import existing, looks
from aiq.run.costing import Cost, expected

ROOM = 1.5  # times the estimate that must be free
SHOWN = 6  # things that are well, told by name
LONGEST_WAIT = 180  # seconds between two questions to squeue, at most
INITIAL_WAIT = 40  # seconds between two questions where the profile says nothing


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, whether it is well, and a sentence: what was found and, where it is not well, what to do."""

    name: str
    passed: bool
    says: str

    @classmethod
    def of(cls, name: str, passed: bool, says: str, mend: str) -> Check:
        """Return what was looked at with what to do, if it is not well."""
        return cls(name, passed, says if passed else f"{says}{mend}")

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return asdict(self)


def examine(config: Mapping[str, Any], profile: str | None = None, origin: str = "configuration") -> list[Check]:
    """Return every check of a configuration and, where one is named, of a profile.

    Raises:
        AiqError: the configuration is wrong.
        InputError: there is no such profile, or it cannot be read.
    """
    run: AnyRun = Run.of(config, origin=origin)
    settings = None if profile is None else read_profile(profile)
    checks = [Check("configuration", True, f"{run.configuration.name}: measure {run.configuration.measure}")]
    checks.extend(_named(run))
    checks.extend(_data(run))
    cost = _cost(config)
    checks.extend(_room(run, cost))
    if settings is not None and settings.get("executor") == "slurm":
        checks.extend(_cluster(run, cost, settings))
    return checks


def _cost(config: Mapping[str, Any]) -> Cost | None:
    """Return the estimate by the model; None where the measure has to be timed, for which this is no time."""
    return expected(config) if config.get("measure", "aiq") == "aiq" else None


# ---- what a run checks before it starts ----------------------------------------------------------


def _named(run: AnyRun) -> Iterator[Check]:
    well = []
    for name, look in looks(run):
        try:
            look()
        except AiqError as error:
            yield Check(name, False, str(error))
        else:
            well.append(name)
    usable = f"{', '.join(well[:SHOWN])}{f' and {len(well) - SHOWN} more' if len(well) > SHOWN else ''}"
    yield Check("named", True, f"can be used: {usable}")


# ---- data and disk -------------------------------------------------------------------------------


def _data(run: AnyRun) -> Iterator[Check]:
    root = getattr(run.configuration, "data_root", None)
    domains: Mapping[str, Any] = getattr(run.configuration, "domains", None) or {}
    lost = [
        f"{file} of {name}"
        for name, settings in domains.items()
        for file in getattr(settings, "files", ())
        if not any((Path(folder) / file).exists() for folder in ("", root) if folder is not None)
    ]
    sentence = f"missing: {counted(len(lost), 'file')}, {', '.join(lost[:3])}; bring them there or correct data_root"
    yield Check("data", not lost, sentence if lost else f"every file that {len(domains)} domains name is there")
    fetched = [name for name, settings in domains.items() if getattr(settings, "source", "") == "torchvision"]
    if not fetched:
        return
    here = root is not None and Path(root).is_dir() and any(Path(root).iterdir())
    may = bool(getattr(run.configuration, "download", False))
    says = f"of torchvision: {counted(len(fetched), 'domain')}; data_root is {root}, download is {str(may).lower()}"
    yield Check.of("downloads", here or may, says, ": set data_root to where the data lie")


def _room(run: AnyRun, cost: Cost | None) -> Iterator[Check]:
    folder = existing(Path(run.layout.root))
    if cost is None:
        return
    free = os.statvfs(folder)
    here, wanted = free.f_bavail * free.f_frsize, ROOM * cost.disk_bytes
    says = f"{here / 1e9:.1f} GB are free, the run writes about {cost.disk_bytes / 1e9:.2f} GB"
    yield Check.of("disk", here > wanted, says, "; free space or change results")
    if free.f_files == 0:
        yield Check("inodes", True, f"{folder} counts no inodes; the run makes about {cost.inodes} files")
        return
    says = f"{free.f_favail} files may be made, the run makes about {cost.inodes}"
    yield Check.of("inodes", free.f_favail > ROOM * cost.inodes, says, "; ask for more, or raise jobs.target_minutes")


# ---- cluster -------------------------------------------------------------------------------------


def _cluster(run: AnyRun, cost: Cost | None, profile: Mapping[str, Any]) -> Iterator[Check]:
    well, said = slurm.ask("sinfo", "--version")
    yield Check.of("slurm", well, said, "; call this on a node from which jobs are submitted")
    if not well:
        return
    partitions = slurm.partitions()
    asked = [dict(profile.get("default-resources") or {})]
    asked += [asked[0] | dict(more or {}) for more in (profile.get("set-resources") or {}).values()]
    for name in dict.fromkeys(
        str(resources["slurm_partition"]) for resources in asked if resources.get("slurm_partition")
    ):
        yield from _partition(name, partitions, cost, profile)
    device = getattr(run.configuration, "device", "cpu")
    if device != "cpu":
        with_gpus = [name for name, partition in partitions.items() if partition.gpus]
        yield Check("gpu", bool(with_gpus), f"partitions with GPUs: {', '.join(with_gpus) or 'none; take device: cpu'}")
    if device not in ("cpu", "cuda", "cuda:0"):
        yield Check("device", False, f"a job sees the one GPU that it was given, so {device} is not there; take cuda")
    yield _accepted(asked[0], cost)
    yield from _polling(profile)


def _partition(
    name: str, partitions: Mapping[str, slurm.Partition], cost: Cost | None, profile: Mapping[str, Any]
) -> Iterator[Check]:
    """Check that a partition takes jobs, and that the largest and the longest fit into it at their last attempt."""
    partition = partitions.get(name)
    if partition is None or not partition.up:
        says = (
            "is down" if partition else f"does not exist; this SLURM has {', '.join(partitions) or 'none that answers'}"
        )
        yield Check(f"partition {name}", False, f"partition {name} {says}; correct slurm_partition in the profile")
        return
    yield Check(f"partition {name}", True, f"partition {name} is up")
    if cost is None:
        return
    attempts = int(profile.get("retries") or 0) + 1
    wanted = cost.asked.minutes * attempts
    cap = (profile.get("default-resources") or {}).get("partition_minutes")
    wanted = wanted if cap is None else min(wanted, int(cap))
    fits = partition.minutes is None or (wanted <= partition.minutes and cost.asked.minutes <= partition.minutes)
    limit = "no limit" if partition.minutes is None else f"a limit of {partition.minutes:.0f} minutes"
    says = f"{cost.asked.longest} asks for {cost.asked.minutes} minutes, {wanted} at attempt {attempts}; "
    says += f"{name} has {limit}"
    mend = "set partition_minutes in the profile to the limit, and lower jobs.target_minutes if one attempt exceeds it"
    yield Check.of(f"time in {name}", fits, says, f"; {mend}")
    most = cost.asked.megabytes * attempts
    fits = partition.megabytes is None or most <= partition.megabytes
    says = f"{cost.asked.largest} asks for {cost.asked.megabytes} MB, {most} MB at attempt {attempts}; "
    says += f"a node of {name} has {partition.megabytes or 0:.0f} MB"
    yield Check.of(f"memory in {name}", fits, says, "; choose a partition with larger nodes")


def _accepted(asked: Mapping[str, Any], cost: Cost | None) -> Check:
    """Ask SLURM whether it would take the longest job with the profile's account, quality of service and constraint."""
    words = ["sbatch", "--test-only", "--wrap", "true"]
    flags = {"slurm_partition": "partition", "slurm_account": "account", "qos": "qos", "constraint": "constraint"}
    words += [f"--{flag}={asked[key]}" for key, flag in flags.items() if asked.get(key)]
    if cost is not None:
        minutes = min(cost.asked.minutes, int(asked.get("partition_minutes") or cost.asked.minutes))
        words += [f"--time={minutes}", f"--mem={cost.asked.megabytes}"]
    well, said = slurm.ask(*words)
    mend = "correct account, qos, constraint or partition in the profile"
    return Check("account", well, "SLURM would take the jobs" if well else f"SLURM refuses them ({said}); {mend}")


def _polling(profile: Mapping[str, Any]) -> Iterator[Check]:
    """Check that a finished job is still remembered when it is asked for."""
    settings = slurm.settings()
    age = slurm.number(settings, "MinJobAge")
    first = int(profile.get("slurm-init-seconds-before-status-checks") or INITIAL_WAIT)
    if profile.get("slurm-status-command") == "squeue" and age is not None:
        needed = max(3 * first, LONGEST_WAIT + first)
        says = f"MinJobAge is {age} s; questions come {first} to {LONGEST_WAIT} s apart, which needs {needed} s"
        mend = "; set slurm-status-command: sacct in the profile, or have MinJobAge raised"
        yield Check.of("polling", age >= needed, says, mend)
    size, jobs = slurm.number(settings, "MaxJobCount"), int(profile.get("jobs") or 1)
    if size is not None:
        says = f"the profile holds {jobs} jobs in SLURM at a time, MaxJobCount is {size}"
        yield Check.of("limits", jobs < size, says, "; lower jobs in the profile")
