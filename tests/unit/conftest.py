"""The command line in an empty folder."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from command_line import Aiq

from aiq.cli.main import main
from aiq.storage import files


@pytest.fixture
def aiq(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Aiq:
    """Run the command line in an empty folder; tables are given as keywords (``t_csv`` becomes t.csv)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str = "", **tables: str) -> tuple[int, str, str]:
        for name, text in tables.items():
            (tmp_path / name.replace("_", ".")).write_text(text, encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        return main(arguments), *capsys.readouterr()

    return run


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost here if the machine stops; hundreds of synced files take minutes on a slow disk."""
    monkeypatch.setattr(files, "_sync", lambda path: None)
