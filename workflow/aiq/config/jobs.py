"""How the work of a suite is cut into jobs."""

from __future__ import annotations

from pydantic import Field

from aiq.config.calibration import Calibration
from aiq.settings import Settings


class Keeping(Settings):
    """How a job that is interrupted goes on; no result depends on it."""

    checkpoints: str | None = Field(
        None,
        min_length=1,
        description="folder of checkpoints, of this node or shared by all; null: the folder checkpoints of the results",
    )
    checkpoint_seconds: float = Field(
        30.0, ge=0, description="seconds between two checkpoints of a job, at least; writing takes a hundredth at most"
    )
    requeue_seconds: float = Field(
        120.0,
        ge=0,
        description="seconds before its limit at which a job of SLURM keeps what it has and is queued again; 0: never",
    )


class Jobs(Keeping):
    """How work is cut into jobs; no result depends on it."""

    target_minutes: float = Field(
        20.0, ge=2, le=10_080, description="how long a job should last; it decides every count below that is null"
    )
    chunks_per_job: int | None = Field(
        None, ge=1, description="chunks of policies that one job trains; null: by target_minutes"
    )
    mixtures_per_job: int | None = Field(
        None, ge=1, description="pairs of domains that one job trains; null: by target_minutes"
    )
    alone_per_job: int | None = Field(
        None, ge=1, description="chunks of a domain alone that one job trains; null: by target_minutes"
    )
    agents_per_job: int | None = Field(
        None, ge=1, description="agents that one job trains on a domain; null: by target_minutes"
    )
    gpu_memory: float = Field(
        0.8,
        gt=0,
        le=1,
        description="with device: cuda, share of a GPU's free memory that a job's trainings side by side fill",
    )
    calibration: str | Calibration | None = Field(
        None, description="what work costs: file that `aiq estimate --save` wrote, or the constants; null: built in"
    )
