"""Settings of the page of a suite."""

from __future__ import annotations

from pydantic import Field

from aiq.settings import Settings


class Page(Settings):
    """What the page of a run holds besides figures and tables."""

    pairs: list[tuple[str, str]] = Field(
        default_factory=list,
        description="pairs of domains whose mixture curves the page holds before those of any other",
    )
    curves: int = Field(
        300,
        ge=0,
        le=5000,
        description="of how many pairs the page holds mixture curves: those of pairs, then the most and the least "
        "different ones",
    )
