"""Settings of the page of a suite."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from aiq.settings import Settings


class Page(Settings):
    """What the page of a run holds besides figures and tables."""

    gone: ClassVar = {
        "curves": "(pairs with curves to be hovered over) went in November 2026: mixture curves are pictures"
    }

    pairs: list[tuple[str, str]] = Field(
        default_factory=list,
        description="pairs of domains that have a figure of their own in a suite of any size",
    )
    figures: int = Field(
        300,
        ge=0,
        le=5000,
        description="up to so many pairs each pair has a figure mixture-<a>+<b>; of more pairs, only those of pairs "
        "have one, and mixture-overview shows the most and the least different ones and those to look at",
    )
    variance: int = Field(
        200,
        ge=0,
        le=10000,
        description="replicates by which the variance of the scores is split by source, in a figure and two tables "
        "(fewer with very many domains or many agents); 0: neither",
    )
