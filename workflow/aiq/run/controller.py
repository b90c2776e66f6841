"""Who works on a results folder: a lock file that tells a living controller from one that was killed.

The file names host, process and its start, and is touched every few seconds. A controller on this machine lives if
its process does; one elsewhere lives as long as the file is touched. One that was taken for dead and is not notices
that the file is no longer its own, and stops.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from aiq.errors import AiqError, StorageError
from aiq.storage.files import clock, replacing

BEAT = 15.0  # seconds between two signs of life
SILENT = 600.0  # seconds without one after which a controller elsewhere counts as gone


class ControllerError(AiqError):
    """Somebody else works on these results, or it cannot be told."""


@dataclass(frozen=True)
class Process:
    """A process of one machine; two with one number differ in when they were started (seconds since 1970)."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> Process:
        """Return a living process by its number."""
        import psutil

        return cls(pid, psutil.Process(pid).create_time())

    @property
    def living(self) -> bool:
        """Whether it still runs on this machine."""
        import psutil

        try:
            process = psutil.Process(self.pid)
            return abs(process.create_time() - self.started) < 1.0 and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


@dataclass(frozen=True)
class Controller:
    """What a lock file says: whose it is.

    ``token`` tells this start from every other, ``machine`` machines and containers of one name apart; ``processes``
    are the command and the Snakemake that it started.
    """

    token: str
    host: str
    machine: str
    processes: tuple[Process, ...]
    begun: str

    @property
    def here(self) -> bool:
        """Whether its processes can be seen from here."""
        return (self.host, self.machine) == (os.uname().nodename, machine())

    @property
    def name(self) -> str:
        """Say who it is."""
        return f"process {self.processes[-1].pid} on {self.host}, started {self.begun}"


def machine() -> str:
    """Return what tells this machine, and the container on it, from others of the same name; empty if nothing does."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def read(path: str | Path) -> Controller | None:
    """Return what a lock file says, or None where there is none."""
    try:
        raw = json.loads(Path(path).read_text(encoding="utf-8"))
        return Controller(**{**raw, "processes": tuple(Process(**process) for process in raw["processes"])})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise StorageError(
            f"the lock file {path} cannot be read ({error}); if no run is under way remove it"
        ) from error


def check_gone(path: str | Path) -> Controller | None:
    """Return the controller that left a lock file behind, or None where there is no file."""
    controller = read(path)
    if controller is None:
        return None
    if controller.here:
        if any(process.living for process in controller.processes):
            raise ControllerError(f"{controller.name} works on these results; wait for its end, or end it first")
        return controller
    quiet = clock(Path(path).parent) - Path(path).stat().st_mtime  # both by the clock of the file system
    if quiet < SILENT:
        raise ControllerError(
            f"{controller.name} works on these results (last sign of life {quiet:.0f} s ago); wait for its end, or, if "
            f"that machine is down, call this again in {(SILENT - quiet) / 60:.0f} minutes"
        )
    return controller


class Held:
    """A lock that is held; ``lost`` is called once, from another thread, when the file is no longer this one's."""

    def __init__(self, path: str | Path, lost: Callable[[], None], beat: float = BEAT) -> None:
        self._path, self._lost, self._beat = Path(path), lost, beat
        self._stop = threading.Event()
        begun = time.strftime("%Y-%m-%d %H:%M:%S")
        own = (Process.of(os.getpid()),)
        self._content = Controller(uuid.uuid4().hex, os.uname().nodename, machine(), own, begun)
        self._thread = threading.Thread(target=self._live, daemon=True)

    def begin(self, dead: Controller | None) -> None:
        """Write the file in the place of what a dead controller left, and begin to show signs of life."""
        if dead is not None and read(self._path) == dead:
            self._path.unlink()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("x", encoding="utf-8") as file:
                file.write(self._text())
        except FileExistsError:
            raise ControllerError(f"somebody else has just begun to work on {self._path.parent}; see who") from None
        except OSError as error:
            raise StorageError(f"{self._path} cannot be written: {error.strerror}; choose another folder") from error
        self._thread.start()

    def started(self, pid: int) -> None:
        """Add the Snakemake that was started."""
        processes = (self._content.processes[0], Process.of(pid))
        self._content = replace(self._content, processes=processes)
        with replacing(self._path) as temporary:
            temporary.write_text(self._text(), encoding="utf-8")

    def release(self) -> None:
        """Remove the file, if it is still this one's."""
        self._stop.set()
        if self._own():
            self._path.unlink(missing_ok=True)

    def _text(self) -> str:
        return json.dumps(asdict(self._content), indent=2) + "\n"

    def _own(self) -> bool:
        try:
            controller = read(self._path)
        except StorageError:
            return False
        return controller is not None and controller.token == self._content.token

    def _live(self) -> None:
        while not self._stop.wait(self._beat):
            if not self._own():
                self._lost()
                return
            with contextlib.suppress(OSError):  # a file system that is away for a while; silence is what it means
                os.utime(self._path)


@contextlib.contextmanager
def held(path: str | Path, lost: Callable[[], None]) -> Iterator[Held]:
    """Hold the lock of a results folder.

    Raises:
        ControllerError: somebody else works on these results.
        StorageError: the file cannot be written.
    """
    dead = check_gone(path)
    lock = Held(path, lost)
    lock.begin(dead)
    try:
        yield lock
    finally:
        lock.release()
