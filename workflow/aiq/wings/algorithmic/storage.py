"""Blocks of programs and pairs of trials as columns, and back; see ``docs/reference/file-format.md``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from aiq.errors import InputError
from aiq.storage.tables import standard_input
from aiq.wings.algorithmic.records import Program, ProgramShard

PAIRS = ("stratum", "draw", "digest", "plus", "minus")


def pack_programs(shard: ProgramShard) -> dict[str, Any]:
    """Return the tree of a block of programs."""
    return {
        "stratum": np.array([program.stratum for program in shard.programs], dtype=np.int64),
        "code": np.array([program.code for program in shard.programs], dtype=object),
        "candidates": shard.candidates,
        "without_io": shard.without_io,
        "failed": shard.failed,
        "passive": shard.passive,
    }


def unpack_programs(tree: Mapping[str, Any]) -> ProgramShard:
    """Return the block of programs that ``pack_programs`` packed."""
    pairs = zip(tree["stratum"].tolist(), tree["code"].tolist(), strict=True)
    counts = (int(tree[name]) for name in ("candidates", "without_io", "failed", "passive"))
    return ProgramShard(tuple(Program(int(stratum), str(code)) for stratum, code in pairs), *counts)


def read_lines(path: str | Path) -> list[str]:
    """Return the lines of a text file of programs; ``-`` reads standard input.

    Raises:
        InputError: the file cannot be read or is no text.
    """
    try:
        text = standard_input() if str(path) == "-" else Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"program sample {path} cannot be read: {error.strerror}; give a file of lines 'stratum program', or '-'"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"program sample {path} is not text in UTF-8 ({error.reason} at byte {error.start})"
        ) from error
    return text.removeprefix("\ufeff").splitlines()
