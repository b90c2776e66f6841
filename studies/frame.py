"""Find studies by name, run them, and write their tables.

A study is a module of this package with ``run(quick) -> list[dict]``: a row a cell. It may have

* ``run(quick, cells)``: long studies hand every cell to ``cells.of(key, work)`` and are resumed cell by cell;
  without this argument the whole study is one cell;
* ``NOTES``: a text, or a function of the rows that gives one, printed below its table;
* ``markdown(rows, seconds) -> str``: a page of its own in place of the one table.

The results of a study ``coverage_NAME`` or ``NAME`` are ``results/NAME.csv`` and ``results/NAME.md``.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pkgutil
import platform
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np

from studies import tables
from studies.cells import Cells, Row, _now, version

FOLDER = Path(__file__).resolve().parent
RESULTS = FOLDER / "results"


def names() -> list[str]:
    """Return the names of all studies: the modules beside this one that define ``run``."""
    modules = sorted(found.name for found in pkgutil.iter_modules([str(FOLDER)]) if not found.ispkg)
    return [name for name in modules if name != "__main__" and _defines_run(FOLDER / f"{name}.py")]


def _defines_run(path: Path) -> bool:
    """Whether a module's source defines a function ``run`` (nothing is imported for it)."""
    tree = ast.parse(path.read_text())
    return any(isinstance(node, ast.FunctionDef) and node.name == "run" for node in tree.body)


def conduct(
    name: str, *, quick: bool, kept: Path | None, out: Path | None, say: Callable[[str], None] | None = None
) -> list[Row]:
    """Run one study, resumed where it was cut off, and write its tables.

    Args:
        name: of the study's module.
        quick: whether a small part is enough.
        kept: folder of finished cells; None keeps nothing.
        out: folder of ``NAME.csv`` and ``NAME.md``; None writes none.
        say: is told lines of progress.
    """
    tell = say or (lambda line: print(line, flush=True))
    module = importlib.import_module(f"studies.{name}")
    tell(f"{name}{' (quick)' if quick else ''}")
    path = None if kept is None else kept / f"{name}{'-quick' if quick else ''}.jsonl"
    cells = Cells(path, version(sources(module)), tell)
    load = os.getloadavg()[0]
    if "cells" in inspect.signature(module.run).parameters:
        rows = module.run(quick, cells=cells)
    else:
        rows = cells.of({"study": name, "quick": quick}, lambda: module.run(quick))
    if out is not None and rows:
        target = name.removeprefix("coverage_")
        tables.write(out, target, rows, _page(module, list(rows), cells.seconds, load))
        tell(f"  wrote {target}.csv and {target}.md")
    return list(rows)


def sources(module: ModuleType) -> list[Path]:
    """Return the files of this package that a study is made of: its own and those that it imports, once over."""
    found = {Path(str(module.__file__))}
    todo = list(found)
    while todo:
        tree = ast.parse(todo.pop().read_text())
        for node in ast.walk(tree):
            wanted = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            base = node.module if isinstance(node, ast.ImportFrom) else None
            parts = wanted if base == "studies" else [base.removeprefix("studies.")] if base else []
            for part in parts:
                path = FOLDER / f"{part}.py"
                if path.exists() and path not in found and part not in ("frame", "cells", "tables"):
                    found.add(path)
                    todo.append(path)
    return sorted(found)


def _page(module: ModuleType, rows: list[Row], seconds: float, load: float) -> str:
    """Return the page of a study: its own, or its title, one table and notes; and when, where and how long it ran."""
    measured = _measured(seconds, load)
    own = getattr(module, "markdown", None)
    if callable(own):
        return f"{str(own(rows, seconds)).strip()}\n\n{measured}"
    said = (module.__doc__ or module.__name__).strip()
    title, _, more = said.partition("\n")
    notes = getattr(module, "NOTES", "")
    parts = [
        f"# {title.rstrip('.')}",
        more,
        measured,
        tables.markdown(rows),
        str(notes(rows) if callable(notes) else notes),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _measured(seconds: float, load: float) -> str:
    """Return when and where a study ran, and how long all its cells took."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores (one used), load {load:.1f} at the start"
    software = f"Python {platform.python_version()}, numpy {np.__version__}"
    took = f"{seconds / 60:.1f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"
    return f"Measured {_now()} on {machine}, {software}. All cells together took {took}."
