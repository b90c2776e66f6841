"""What a study has finished: one line a cell, kept on disk, so that an interrupted study goes on.

A line holds the cell's key, the version of the code that made it and its rows. A cell counts as done only with
the same key and the same version; lines are appended and never changed, and a line cut short by a kill is
passed over.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "results" / "studies"
CODE = ("measures", "stats", "records", "suites")
"""Packages of the library whose sources are part of the version of every cell."""

Row = dict[str, Any]


def version(sources: Iterable[Path] = ()) -> str:
    """Return a short hash of the estimators' sources and of some more files."""
    library = [path for part in CODE for path in (ROOT / "workflow" / "aiq" / part).rglob("*.py")]
    digest = hashlib.sha256()
    for path in sorted([*library, *sources]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


class Cells:
    """The cells of one study, done and to do."""

    def __init__(self, path: Path | None, code: str, say: Callable[[str], None] = print) -> None:
        """Read what is done.

        Args:
            path: file of lines (JSON); None keeps nothing.
            code: version that a cell must have to count as done.
            say: is told a line when a cell begins and ends.
        """
        self._path, self._code, self._say = path, code, say
        self._done: dict[str, dict[str, Any]] = {}
        self.seconds = 0.0
        for line in path.read_text().splitlines() if path is not None and path.exists() else ():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            if entry.get("version") == code:
                self._done[entry["key"]] = entry

    def of(self, key: Row, work: Callable[[], list[Row]]) -> list[Row]:
        """Return the rows of a cell: those kept, or else those of ``work``, which are then kept."""
        name = json.dumps(key, sort_keys=True)
        words = ", ".join(f"{what} {value}" for what, value in key.items())
        if name in self._done:
            self.seconds += self._done[name]["seconds"]
            self._say(f"  {words}: done before")
            return list(self._done[name]["rows"])
        began = time.perf_counter()
        rows = json.loads(json.dumps(work()))
        spent = time.perf_counter() - began
        self.seconds += spent
        self._keep({"key": name, "version": self._code, "seconds": spent, "made": _now(), "rows": rows})
        self._say(f"  {words}: {spent:.1f} s")
        return list(rows)

    def _keep(self, entry: dict[str, Any]) -> None:
        """Append a line, on a line of its own even where the last one was cut short."""
        self._done[entry["key"]] = entry
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            if file.seek(0, 2):
                file.seek(-1, 2)
                if file.read(1) != b"\n":
                    file.write(b"\n")
            file.write(json.dumps(entry).encode() + b"\n")


def _now() -> str:
    """Return the time in words, UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
