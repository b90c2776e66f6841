"""The files of an instance of SLURM, and what the machine gives for one: ports, control groups, programs."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import stat
import subprocess
from pathlib import Path

SYSTEM = "/usr/sbin:/sbin"
CLIENTS = ("sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo", "sacct", "sacctmgr")
GPUS = 2


class ClusterError(RuntimeError):
    """SLURM could not be installed, started or asked."""


def configure(f: Path, cpus: int) -> None:
    """Write all files of a new instance into a folder.

    Raises:
        ClusterError: the data base could not be made.
    """
    conf = f / "slurm.conf"
    f.mkdir(parents=True, exist_ok=True)
    f.chmod(0o755)
    for name in ("state", "spool", "bin"):
        (f / name).mkdir(exist_ok=True)
    for name in CLIENTS:  # Snakemake's plugin deletes SLURM_CONF inside of jobs
        client = f / "bin" / name
        client.write_text(f'#!/bin/sh\nSLURM_CONF={conf} exec {which(name)} "$@"\n', encoding="utf-8")
        client.chmod(0o755)
    for number in range(GPUS):
        device = f / f"gpu{number}"
        if not device.exists():
            os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # /dev/null under another name
    private(f / "munge.key", secrets.token_bytes(1024))
    password = secrets.token_hex(16)
    private(
        f / "sql.init",
        f"CREATE DATABASE IF NOT EXISTS slurm;"
        f"\nCREATE OR REPLACE USER slurm@'127.0.0.1' IDENTIFIED BY '{password}';"
        f"\nGRANT ALL ON slurm.* TO slurm@'127.0.0.1';\n".encode(),
    )
    done = subprocess.run(
        ["mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={f}/sql", "--skip-test-db",
         "--auth-root-authentication-method=normal", "--skip-name-resolve"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise ClusterError(f"the data base could not be made: {done.stderr[-1000:]}")
    ports = free_ports(4)
    private(f / "slurmdbd.conf", slurmdbd_conf(f, ports, password).encode())
    node = f"aiq{ports[0]}"
    (f / "gres.conf").write_text(f"NodeName={node} Name=gpu File={f}/gpu[0-{GPUS - 1}]\n", encoding="utf-8")
    groups = groups_usable()
    (f / "cgroup.conf").write_text(
        "CgroupAutomount=no\nCgroupPlugin=cgroup/v1\nConstrainRAMSpace=yes\nConstrainSwapSpace=no\n"
        if groups else "CgroupPlugin=cgroup/v1\n", encoding="utf-8",
    )  # fmt: skip
    conf.write_text(slurm_conf(f, node, cpus, ports, groups), encoding="utf-8")


def slurm_conf(folder: Path, node: str, cpus: int, ports: list[int], groups: bool) -> str:
    """Return slurm.conf: fast answers, small waits, everything in one folder."""
    memory = (
        "ProctrackType=proctrack/cgroup\nTaskPlugin=task/cgroup\nJobAcctGatherType=jobacct_gather/linux"
        if groups
        else "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/linux\n"
        "JobAcctGatherParams=OverMemoryKill"
    )
    ctld, dbd, _, slurmd = ports
    host = socket.gethostname().split(".")[0]
    return f"""# one machine, for tests
ClusterName=aiqtest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmdPort={slurmd}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
FirstJobId={ctld * 10}
MpiDefault=none
ReturnToService=2
MinJobAge=300
KillWait=1
SlurmctldTimeout=30
SlurmdTimeout=30
InactiveLimit=0
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,batch_sched_delay=0,bf_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
{memory}
JobAcctGatherFrequency=task=1
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd}
AccountingStoragePass={folder}/munge.socket
GresTypes=gpu
NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=200000 Gres=gpu:{GPUS} State=UNKNOWN
PartitionName=cpu Nodes={node} Default=YES MaxTime=INFINITE State=UP
PartitionName=gpu Nodes={node} MaxTime=INFINITE State=UP
"""


def slurmdbd_conf(folder: Path, ports: list[int], password: str) -> str:
    """Return slurmdbd.conf."""
    _, dbd, sql, _ = ports
    return f"""AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={dbd}
SlurmUser=root
PidFile={folder}/slurmdbd.pid
LogFile={folder}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={sql}
StorageUser=slurm
StoragePass={password}
StorageLoc=slurm
"""


# ---- what the machine gives ----------------------------------------------------------------------


def groups_usable() -> bool:
    """Whether control groups (version 1, memory and freezer) can be made here; containers often forbid it."""
    for controller in ("memory", "freezer", "cpuset"):
        probe = Path("/sys/fs/cgroup") / controller / f"probe-{os.getpid()}"
        try:
            probe.mkdir()
            probe.rmdir()
        except OSError:
            return False
        if not Path(f"/sys/fs/cgroup/{controller}/cgroup.procs").exists():
            return False
    return True


def remove_groups(node: str) -> None:
    """Remove the control groups of a node's jobs."""
    for top in Path("/sys/fs/cgroup").glob(f"*/slurm_{node}"):
        for group in sorted((path for path in top.rglob("*") if path.is_dir()), key=lambda p: -len(p.parts)):
            with contextlib.suppress(OSError):
                group.rmdir()
        with contextlib.suppress(OSError):
            top.rmdir()


def running(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[0] not in "ZX"
    return False


def listens(port: int) -> bool:
    """Whether something accepts connections on a port of loopback."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def free_ports(count: int) -> list[int]:
    """Return ports that were free a moment ago, below those that the system hands out."""
    found: list[int] = []
    while len(found) < count:
        port = 20000 + secrets.randbelow(10000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            if port not in found:
                found.append(port)
    return found


def ports_of(conf: Path) -> tuple[int, int, int]:
    """Read the ports of controller, accounting and data base back."""
    words = dict(line.split("=", 1) for line in conf.read_text("utf-8").splitlines() if "=" in line)
    lines = (conf.parent / "slurmdbd.conf").read_text("utf-8").splitlines()
    database = dict(line.split("=", 1) for line in lines if "=" in line)
    return int(words["SlurmctldPort"]), int(words["AccountingStoragePort"]), int(database["StoragePort"])


def private(path: Path, content: bytes) -> None:
    """Write a file that its owner alone can read."""
    path.touch(mode=0o600)
    path.write_bytes(content)


def which(name: str) -> str | None:
    """Return where a program of the distribution is; another instance's clients on PATH are not meant."""
    return shutil.which(name, path=f"/usr/bin:/bin:{SYSTEM}:{os.environ.get('PATH', '')}")
