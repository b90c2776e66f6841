"""Test wrapper: a job's Python process that finds an order for its rule carries it out, once.

Tests put this folder on PYTHONPATH, so every Python process imports this file at its start; nothing in the project
knows of it. An order is a file ``RULE.MOMENT.ACTION`` in the folder that AIQ_TEST_ORDERS names. The process that
renames it has it, so exactly one job is hit.

It stands in for that of tests/lean, so it imports what that one does.

Moments: ``start`` (before the rule's script begins), ``write`` (the shard lies complete under its temporary name and
is being synced, not yet renamed). Actions: ``hang`` (until somebody ends the process or a file ``RULE.go`` appears),
``memory`` (take twice what the job may have), ``die`` (SIGKILL).

In the controlling process it shortens one thing that no option shortens: the plugin waits 10 s longer after every
question to SLURM that found no finished job. With AIQ_TEST_STATUS_SECONDS it asks that often.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

import users_plugins  # noqa: F401

ORDERS = os.environ.get("AIQ_TEST_ORDERS", "")


def _rule():
    """Return the rule whose script this process runs, or None: the call of Snakemake above it names it."""
    if not any(".snakemake/scripts/" in word for word in sys.orig_argv[1:3]):
        return None
    above = os.getppid()
    while above > 1:
        with open(f"/proc/{above}/cmdline", encoding="utf-8") as file:
            words = file.read().split("\0")
        if "--allowed-rules" in words:
            return words[words.index("--allowed-rules") + 1]
        with open(f"/proc/{above}/stat", encoding="utf-8") as file:
            above = int(file.read().rsplit(")", 1)[1].split()[1])
    return None


def _megabytes():
    """Return the memory of this SLURM job."""
    job = subprocess.run(["scontrol", "show", "job", os.environ["SLURM_JOB_ID"]], capture_output=True, text=True)
    amount, unit = re.search(r"MinMemoryNode=([\d.]+)([MG])", job.stdout).groups()
    return float(amount) * {"M": 1, "G": 1024}[unit]


def _obey(rule, moment):
    """Carry out an order for this rule and moment, if one waits."""
    for action in ("hang", "memory", "die"):
        order = os.path.join(ORDERS, f"{rule}.{moment}.{action}")
        taken = os.path.join(ORDERS, f"{rule}.{action}.taken")
        try:
            os.rename(order, f"{order}.{os.getpid()}")
        except FileNotFoundError:
            continue
        with open(f"{taken}.new", "w", encoding="utf-8") as file:
            json.dump({"pid": os.getpid(), "job": os.environ.get("SLURM_JOB_ID"), "action": action}, file)
        os.rename(f"{taken}.new", taken)
        if action == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if action == "memory":
            kept, limit = [], _megabytes()
            while len(kept) * 32 < 2 * limit:
                kept.append(os.urandom(1) * (32 << 20))
                time.sleep(0.005)
        while not os.path.exists(os.path.join(ORDERS, f"{rule}.go")):
            time.sleep(0.05)


if ORDERS and (_RULE := _rule()):
    _sync = os.fsync

    def _fsync(descriptor):
        _obey(_RULE, "write")
        return _sync(descriptor)

    os.fsync = _fsync
    _obey(_RULE, "start")


def _ask_often(seconds):
    """Let the controlling process sleep that long between two questions to SLURM."""
    import asyncio

    from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

    async def sleep(self):
        await asyncio.sleep(seconds)

    RemoteExecutor.sleep = sleep


if "--profile" in sys.orig_argv and "AIQ_TEST_STATUS_SECONDS" in os.environ:
    _ask_often(float(os.environ["AIQ_TEST_STATUS_SECONDS"]))
