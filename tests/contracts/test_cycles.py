"""No circle among the modules of aiq: imported at once, inside of functions, by name, or for types alone."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "workflow" / "aiq"


@cache
def imports(module: str) -> tuple[str, ...]:
    """Return the modules of aiq that a module imports, wherever in it and for whatever."""
    found: list[str] = []
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] == "aiq"]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "aiq":
            found += [_source(node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            name = node.args[0]
            if isinstance(name, ast.Constant) and str(name.value).startswith("aiq."):
                found.append(str(name.value))
    return tuple(dict.fromkeys(found))


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
        raise ValueError(f"{module} is no module of aiq")
    return ast.parse(file.read_text(encoding="utf-8"))


def modules() -> list[str]:
    """Every module of aiq but the package itself and what is only started."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(["aiq", *(parts[:-1] if parts[-1] == "__init__" else parts)])
        if name != "aiq" and parts[-1] != "__main__":
            found.append(name)
    return found


def circles(graph: dict[str, tuple[str, ...]]) -> list[list[str]]:
    """Groups of modules that reach one another (Tarjan's strongly connected components of more than one)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while not group or group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1 or node in graph.get(node, ()):
                found.append(sorted(group))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def test_circles_are_found():
    assert circles({"a": ("b",), "b": ("c",), "c": ("b",), "d": ("d",)}) == [["b", "c"], ["d"]]


def test_there_is_no_circle_among_the_modules():
    graph = {module: imports(module) for module in modules()}
    assert len(graph) > 200
    assert circles(graph) == []
