"""Which libraries of the extra ``baselines`` are here."""

from __future__ import annotations

from importlib.util import find_spec

LIBRARIES = {"problexity": "problexity", "ot": "POT"}
"""What is imported -> the library's name."""


def lacking(module: str) -> str:
    """Return the sentence about a library that is not installed; empty where it is.

    Args:
        module: what is imported, a key of ``LIBRARIES``.
    """
    if find_spec(module) is not None:
        return ""
    return f"{LIBRARIES[module]} is not installed: pip install 'aiq[baselines]'"
