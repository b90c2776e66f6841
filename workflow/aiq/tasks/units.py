"""Names of units in shards, for those who write them and for those who read them without training anything."""

from __future__ import annotations


def unit_name(a: str, b: str, chunk: int) -> str:
    """Return the name of a chunk of repetitions of a pair; '+' occurs in no domain's name."""
    return f"{a}+{b}+{chunk:06d}"
