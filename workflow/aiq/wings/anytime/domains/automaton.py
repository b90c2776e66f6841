"""The family anytime_automaton: finite automata of the anytime test."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from aiq.domains.family import ControlFamily
from aiq.domains.measured.settings import Drawn, Range, maker


class AnytimeAutomaton(Drawn):
    """Finite automata whose states pay; a given one, or drawn ones of a range of complexities."""

    source: Literal["anytime_automaton"] = Field(description="the source: anytime_automaton")
    environment: str | None = Field(
        None,
        description="one automaton: 'next,next,next:reward:symbol' a state, a space between states; null draws some",
    )
    complexity: Range = Field((15.0, 80.0), description="range of H in bits of those drawn; two states have 15.6")

    @model_validator(mode="after")
    def _check_complexity(self) -> AnytimeAutomaton:
        if not 0 < self.complexity[0] <= self.complexity[1] <= 5000:
            raise ValueError(f"complexity is {list(self.complexity)}; write the smallest and the largest H, 0 to 5000")
        return self


FAMILY = ControlFamily(
    AnytimeAutomaton,
    maker("aiq.wings.anytime.environments.automaton", "AutomatonDomain"),
    "finite automata of the anytime test: one, or some drawn by complexity",
    "observations one-hot, as many as symbols; 3 actions",
    ("torch", "numba"),
    {"source": "anytime_automaton", "environments": 1},
)
