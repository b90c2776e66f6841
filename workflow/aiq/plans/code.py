"""What the code of a stage is, as a digest of its meaning: comments, docstrings and layout do not count."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = (
    *("cli", "config", "errors", "execution", "figures", "plans", "settings", "storage"),
    *("tasks.shell", "tasks.suite.tables", "tasks.upkeep"),
)
"""Parts of aiq whose code determines no number: settings are in the fingerprints by their values, files have a schema
version of their own, and the rest shows, moves or reads what others computed."""


def code_of(roots: Sequence[str], stop: Collection[str] = ()) -> dict[str, str]:
    """Return module -> digest of all modules of aiq that some modules import, themselves among them.

    Imports are followed wherever they stand in a module, but for those that only type checkers see; so are modules
    named by a string, as the registry of domains names its families. What a package passes on is followed to the
    module that it comes from. Modules where other stages begin (``stop``) are left out:
    what comes from those stages is in the fingerprints.
    """
    found: dict[str, str] = {}
    waiting = list(roots)
    while waiting:
        module = waiting.pop()
        if module in found or _outside(module) or (module in stop and module not in roots):
            continue
        found[module] = digest(module)
        waiting += [*imports(module), *named(module)]
    return dict(sorted(found.items()))


@cache
def digest(module: str) -> str:
    """Return 12 hexadecimal digits of a module's code."""
    return hashlib.sha256("\n".join(_words(_tree(module))).encode()).hexdigest()[:12]


@cache
def imports(module: str) -> tuple[str, ...]:
    """Return the modules of aiq that a module imports when it runs."""
    found: list[str] = []
    for node in _running(_tree(module)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] == "aiq"]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "aiq":
            found += [_source(node.module or "", alias.name) for alias in node.names]
    return tuple(dict.fromkeys(found))


@cache
def named(module: str) -> tuple[str, ...]:
    """Return the modules of aiq that a module names, each alone in a string."""
    words = [node.value for node in _running(_tree(module)) if isinstance(node, ast.Constant)]
    found = [word for word in words if isinstance(word, str) and re.fullmatch(r"aiq(\.\w+)+", word)]
    return tuple(dict.fromkeys(word for word in found if _file(word) is not None))


def _source(package: str, name: str) -> str:
    """Return the module that a name comes from: a submodule, what a package passes on, or the module itself."""
    if _file(f"{package}.{name}") is not None:
        return f"{package}.{name}"
    file = _file(package)
    if file is not None and file.name == "__init__.py":
        for node in _tree(package).body:
            if isinstance(node, ast.ImportFrom) and any((a.asname or a.name) == name for a in node.names):
                original = next(a.name for a in node.names if (a.asname or a.name) == name)
                return _source(node.module or "", original)
    return package


def _outside(module: str) -> bool:
    """Whether a module's code determines no number."""
    inner = module.removeprefix("aiq.")
    return module == "aiq" or any(inner == part or inner.startswith(f"{part}.") for part in OUTSIDE)


def _file(module: str) -> Path | None:
    """Return the file of a module, or None where there is none."""
    place = ROOT.joinpath(*module.split(".")[1:])
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    return None


@cache
def _tree(module: str) -> ast.Module:
    """Return the syntax tree of a module."""
    file = _file(module)
    if file is None:
        raise ValueError(f"{module} is no module of aiq; correct the modules of the stages")
    return ast.parse(file.read_text(encoding="utf-8"))


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those that only type checkers see."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from _running(child)


def _words(node: ast.AST) -> Iterator[str]:
    """Yield a tree as words that are the same under every version of Python; empty fields and docstrings are left out.

    A string that stands alone says something to readers only, as docstrings do.
    """
    yield type(node).__name__
    for name, value in sorted(ast.iter_fields(node)):
        for item in value if isinstance(value, list) else [value]:
            if _only_words(item):
                continue
            if isinstance(item, ast.AST):
                if not isinstance(item, ast.expr_context):
                    yield f"{name}("
                    yield from _words(item)
                    yield ")"
            elif item is not None and name not in ("kind", "type_comment"):
                yield f"{name}={item!r}"


def _only_words(item: object) -> bool:
    """Whether a statement is a string alone."""
    return isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant) and isinstance(item.value.value, str)
