"""The family lambda_star: one agent in the worlds of Lambda*."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from aiq.domains.control.settings import Measured
from aiq.domains.family import ControlFamily, Sizes, maker
from aiq.settings import fixed


class LambdaStar(Measured):
    """One agent on the torus of Lambda*, where Good and Evil move along patterns."""

    source: Literal["lambda_star"] = Field(description="the source: lambda_star")
    rows: int = Field(10, ge=3, le=100, description="height of the torus")
    columns: int = Field(10, ge=3, le=100, description="width of the torus")
    steps: int = Field(50, ge=2, le=1000, description="iterations of an episode; the paper's is 50")
    pattern: ClassVar = fixed("segment")  # how Good and Evil move
    start: ClassVar = fixed("uniform")  # where the agent begins
    root: int = Field(0, ge=0, description="root seed of the patterns")

    @property
    def holds(self) -> Sizes:
        """Nine cells, each with one of five rewards."""
        return Sizes(0, 0, 9, (45,))


FAMILY = ControlFamily(
    LambdaStar,
    maker("aiq.wings.collectives.environment", "lambda_star_domain"),
    "one agent in the worlds of Lambda*, the measure of collectives",
    "observations one-hot (45,), 9 actions",
    ("torch", "numba"),
    {"source": "lambda_star", "rows": 5, "columns": 5},
)
