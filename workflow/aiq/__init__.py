"""aiq: how hard AI tests are, how different they are, and what a score over a suite of them means.

Domains and policies meet in trials; trials reduce to complexities and dissimilarities; those
reduce to a space; the space and an agent's performances reduce to an AIQ (Pereyda and Holder 2025).

From numbers that are there already: ``aiq.complexity``, ``aiq.dissimilarity``, ``aiq.similarity``, ``aiq.space`` and
``aiq.score``; from results of other programs: ``aiq.read`` and ``aiq.suite``; from runs: ``aiq.load`` and
``aiq.compare``. Each takes arrays, data frames or files, and returns a frozen record with ``value``, ``interval``,
``n``, ``to_frame()`` and ``plot()``. Whatever cannot be used raises ``aiq.InputError``, in one sentence.
"""

__version__ = "0.1.0"

_INTERFACE = {
    "InputError": "aiq.errors",
    "compare": "aiq.api.comparison",
    "complexity": "aiq.api.complexity",
    "dissimilarity": "aiq.api.dissimilarity",
    "load": "aiq.api.runs",
    "read": "aiq.api.suites",
    "score": "aiq.api.space",
    "similarity": "aiq.api.dissimilarity",
    "space": "aiq.api.space",
    "suite": "aiq.api.suites",
}
"""Public name -> the module that has it, imported when it is first asked for; ``__init__.pyi`` types the same."""

__all__ = list(_INTERFACE)


class _Words(str):
    """An annotation that ``help`` shows without quotes."""

    __repr__ = str.__str__


def __getattr__(name: str) -> object:
    """Import a public name when it is first used (PEP 562): ``import aiq`` itself needs nothing."""
    if name not in _INTERFACE:
        raise AttributeError(f"module 'aiq' has no attribute {name!r}")
    from importlib import import_module
    from inspect import unwrap

    member = getattr(import_module(_INTERFACE[name]), name)
    if not isinstance(member, type):
        inner = unwrap(member)
        inner.__annotations__ = {parameter: _Words(kind) for parameter, kind in inner.__annotations__.items()}
    globals()[name] = member
    return member


def __dir__() -> list[str]:
    """Return the public names, with those that are not imported yet."""
    return sorted({*_INTERFACE, *(name for name in globals() if name.startswith("__") or not name.startswith("_"))})
