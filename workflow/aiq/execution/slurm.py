"""What a SLURM says about itself: its settings, its partitions, and whether it would take a job."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass

PATIENCE = 60  # seconds that a client may take


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition: whether it takes jobs, its time limit in minutes and a node's memory in MB (None: without limit)."""

    name: str
    up: bool
    default: bool
    minutes: float | None
    megabytes: float | None
    gpus: bool


def ask(*words: str) -> tuple[bool, str]:
    """Return whether a client of SLURM succeeded, and what it said; where it is not installed, that."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except FileNotFoundError:
        return False, f"{words[0]} is not installed here"
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, f"{words[0]} does not answer: {error}"
    said = done.stdout if done.returncode == 0 else done.stderr or done.stdout
    return done.returncode == 0, said.strip() if done.returncode == 0 else " ".join(said.split())


def settings() -> dict[str, str]:
    """Return the configuration of the controller by name; empty where it does not answer."""
    well, said = ask("scontrol", "show", "config")
    pairs = (line.partition("=") for line in said.splitlines() if "=" in line)
    return {name.strip(): value.strip() for name, _, value in pairs} if well else {}


def number(fields: dict[str, str], name: str) -> int | None:
    """Return a whole number of the controller's configuration, without its unit."""
    match = re.match(r"\d+", fields.get(name, ""))
    return int(match[0]) if match else None


def partitions() -> dict[str, Partition]:
    """Return the partitions by name; empty where the controller does not answer."""
    well, said = ask("sinfo", "--noheader", "--format=%R|%a|%l|%m|%G|%P")
    by_name: dict[str, Partition] = {}
    for line in said.splitlines() if well else ():
        name, state, limit, memory, gres, starred = line.strip().split("|")
        most, gpus = float(memory.rstrip("+")), "gpu" in gres
        if name in by_name:  # a line for each kind of nodes
            most, gpus = max(most, by_name[name].megabytes or 0.0), gpus or by_name[name].gpus
        by_name[name] = Partition(name, state == "up", starred.endswith("*"), minutes(limit), most, gpus)
    return by_name


def minutes(limit: str) -> float | None:
    """Return a time limit of SLURM ([days-]hours:minutes:seconds, or minutes:seconds) in minutes; None if infinite."""
    if limit in ("infinite", "UNLIMITED", "n/a"):
        return None
    days, _, rest = limit.rpartition("-")
    parts = [int(part) for part in rest.split(":")]
    if days:
        hours, mins, seconds = (*parts, 0, 0)[:3]
    else:
        hours, mins, seconds = ((0, 0, 0, *parts) if len(parts) > 1 else (0, 0, 0, *parts, 0))[-3:]
    return 1440 * int(days or 0) + 60 * hours + mins + seconds / 60
