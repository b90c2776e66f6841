"""Settings of the baselines that people know, with which a suite's numbers are compared."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from aiq.settings import Settings

Measure = Literal["f1", "f3", "l2", "n1", "n2", "n3", "lsc", "c1"]
DEFAULT: tuple[Measure, ...] = ("f1", "f3", "l2", "n1", "n2", "n3", "lsc", "c1")


class KnownBaselines(Settings):
    """Baselines that people know: complexity measures, distances of data sets, linear transfer, random play.

    Not to be taken for ``baseline``, the trained agent of control domains.
    """

    when: Literal["auto", "always", "never"] = Field(
        "auto",
        description="auto: a library that is missing where the job runs is named in the tables instead of its numbers; "
        "always: the job fails without it; never: no such job. The plan of a run is the same whatever is installed",
    )
    samples: int = Field(
        500, ge=20, le=5000, description="most samples of each split that are drawn from a labelled domain"
    )
    measures: list[Measure] = Field(
        default_factory=lambda: list(DEFAULT), min_length=1, description="complexity measures of problexity"
    )
    pairs: int = Field(
        2000, ge=1, description="most pairs of different domains that are compared; of more, so many drawn at random"
    )
    episodes: int = Field(100, ge=2, description="episodes of random actions on every control domain")
    confidence: float = Field(0.95, gt=0, lt=1, description="of the intervals")

    @field_validator("measures")
    @classmethod
    def _check_measures(cls, value: list[Measure]) -> list[Measure]:
        twice = sorted({name for name in value if value.count(name) > 1})
        if twice:
            raise ValueError(f"measures names {twice[0]!r} more than once; name each once")
        return value

    def counted(self, control: bool) -> dict[str, Any]:
        """Return the settings on which the baselines of labelled domains, or of control domains, hang."""
        return self.model_dump(
            mode="json", include={"episodes", "confidence"} if control else {"samples", "measures", "pairs"}
        )
