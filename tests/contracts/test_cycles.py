"""No circle among the modules of aiq: neither when they are imported nor later, inside of functions."""

from pathlib import Path

from aiq.plans import code

ROOT = Path(__file__).resolve().parents[2] / "workflow" / "aiq"


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
    graph = {module: code.imports(module) for module in modules()}
    assert len(graph) > 200
    assert circles(graph) == []
