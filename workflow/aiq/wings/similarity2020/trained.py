"""What is trained for a similarity, and how trainings are put together in jobs."""

from __future__ import annotations

from dataclasses import dataclass

from aiq.wings.similarity2020.records import Kind


@dataclass(frozen=True, slots=True)
class Merged:
    """What is trained: a test alone (``b`` is ``a``, ``at`` 1) or two merged ones, with the filters halved so often."""

    kind: Kind
    a: str
    b: str
    at: float
    halvings: int

    def unit(self, chunk: int) -> str:
        """Return the name of a chunk of repetitions; '+' occurs in no test's name."""
        return f"{self.kind}+{self.a}+{self.b}+{self.at:.12g}+{self.halvings}+{chunk:06d}"


@dataclass(frozen=True, slots=True)
class MergedJob:
    """Some chunks of repetitions of some trainings."""

    block: str
    parts: tuple[tuple[Merged, int], ...]

    @property
    def units(self) -> dict[str, tuple[Merged, int]]:
        """Unit name -> what is trained in it, and the number of its chunk."""
        return {merged.unit(chunk): (merged, chunk) for merged, chunk in self.parts}

    @property
    def domains(self) -> tuple[str, ...]:
        """Tests that the job reads, in order of first use."""
        return tuple(dict.fromkeys(name for merged, _ in self.parts for name in (merged.a, merged.b)))
