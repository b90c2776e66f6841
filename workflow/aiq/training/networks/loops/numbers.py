"""The compiler of these loops."""

from __future__ import annotations

from pathlib import Path

from aiq.compilation import Compiler

compiler = Compiler(Path(__file__).parent)
