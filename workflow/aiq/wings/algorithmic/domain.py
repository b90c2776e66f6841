"""The family bf: programs of the reference machine of the algorithmic quotient."""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from aiq.domains.control.settings import Drawn
from aiq.domains.family import ControlFamily, Sizes, maker
from aiq.settings import fixed


class BF(Drawn):
    """Random programs (Legg and Veness 2013): one program, a stratum of a sample, or a whole sample."""

    source: Literal["bf"] = Field(description="the source: bf")
    program: str | None = Field(None, description="one program, ending in #; null draws a sample of programs")
    stratum: int | None = Field(
        None, ge=1, le=20, description="only the programs of this stratum of the sample; null takes all"
    )
    symbols: ClassVar = fixed(5)  # of the machine: actions, rewards, values of a cell
    observation_cells: ClassVar = fixed(1)
    antithetic: bool = Field(
        True, description="rewards times +1 or -1, drawn for every episode: a random agent then has mean 0"
    )
    largest: float = Field(100.0, gt=0, le=1000, description="largest reward of a cycle; the measure's is 100")

    @field_validator("program")
    @classmethod
    def _check_program(cls, value: str | None) -> str | None:
        """Instructions alone; loops are checked when the program is packed."""
        if value is not None and not re.fullmatch(r"[<>+\-,.\[\]%]*#", value):
            raise ValueError(f"program is {value!r}; write BF instructions < > + - , . [ ] % and # at the end")
        return value

    @model_validator(mode="after")
    def _check_choice(self) -> BF:
        if self.program is not None and self.stratum is not None:
            raise ValueError("program and stratum are both given: leave one of them out")
        return self

    @property
    def holds(self) -> Sizes:
        """One number."""
        return Sizes(0, 0, self.symbols, (self.symbols,), world=0.1)


FAMILY = ControlFamily(
    BF,
    maker("aiq.wings.algorithmic.environment", "bf_domain"),
    "random programs of the algorithmic quotient: one, a stratum, or a sample of them",
    "observations one-hot (5,), 5 actions",
    ("torch", "numba"),
    {"source": "bf", "program": ",.#"},
)
