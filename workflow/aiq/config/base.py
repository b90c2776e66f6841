"""What the configurations of all measures have in common, what identifies settings, and how work is cut and costed."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args

from pydantic import AfterValidator, BaseModel, Field

from aiq.errors import ConfigurationError
from aiq.settings import Settings, fixed, validate

STORE = "folder of finished trainings that runs share, made if missing; null: that of AIQ_STORE, if set, else none"
STORE_VARIABLE = "AIQ_STORE"
DEVICE = r"^(cpu|cuda(:[0-9]+)?)$"


def _checked(device: str) -> str:
    if re.match(DEVICE, device) is None:
        raise ValueError(f"device is {device!r}; allowed are cpu, cuda, and cuda:0, cuda:1 ... where one sees several")
    return device


Device = Annotated[str, AfterValidator(_checked), Field(json_schema_extra={"pattern": DEVICE})]
"""Where networks are trained; ``cuda`` is the first GPU that a process sees."""


PLAIN = r"^[^{}*?]*$"


def _plain(folder: str) -> str:
    """Refuse a folder that Snakemake would take for a pattern."""
    if re.match(PLAIN, folder) is None:
        raise ValueError(
            f"results is {folder!r}, but '{{', '}}', '*' and '?' stand for patterns; choose another folder"
        )
    return folder


class RunSettings(Settings):
    """Keys that the configuration of every measure has; each measure narrows the first to its own name."""

    measure: str = Field(description="what the run measures")
    name: str = Field(min_length=1, max_length=200, description="name of the run, shown in the report")
    seed: int = Field(ge=0, le=2**63 - 1, description="root of all randomness")
    results: Annotated[str, AfterValidator(_plain)] = Field(
        min_length=1, description="folder of everything the run writes", json_schema_extra={"pattern": PLAIN}
    )

    @classmethod
    def word(cls) -> str:
        """Return the name of the measure: the only word that the key ``measure`` allows here."""
        return str(get_args(cls.model_fields["measure"].annotation)[0])


def fingerprint(*parts: Any) -> str:
    """Return 16 hexadecimal digits that identify settings: SHA-256 of their canonical JSON.

    Settings are dumped by field, so the order of keys and the spelling of defaults do not matter. Numbers
    in settings have the type of their field, so ``1`` and ``1.0`` are the same there; in other parts they
    differ.
    """
    plain = [part.model_dump(mode="json") if isinstance(part, BaseModel) else part for part in parts]
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# ---- What work costs on a machine ----------------------------------------------------------------


class Factors(Settings):
    """Measured seconds over those of the model, by kind of work; 1 where nothing was measured."""

    trials: float = Field(1.0, gt=0, description="chunks of the pool")
    mixtures: float = Field(1.0, gt=0, description="chunks of mixtures")
    agents: float = Field(1.0, gt=0, description="agents")
    programs: float = Field(1.0, gt=0, description="sampled programs of the algorithmic quotient")
    pairs: float = Field(1.0, gt=0, description="pairs of trials of the algorithmic quotient")
    tests: float = Field(1.0, gt=0, description="anytime tests")
    episodes: float = Field(1.0, gt=0, description="episodes of collectives")


class Calibration(Settings):
    """Constants of the cost model; the defaults were measured, `aiq estimate --save` measures a site's own.

    The seconds of a step of a population of dense networks are a line in steps, layers, parameters and operations; its
    shape was fitted to 26 timings of populations of 1 to 110 networks, 64 to 3072 inputs and batches of 32 to 512. Its
    level is that of whole runs on a quiet core, which it gives within a factor of 1.3 (``docs/how-to/cluster.md``).
    """

    machine: str = Field(
        "x86-64, one core, torch 2.14 with one thread", description="where the constants were measured"
    )
    start: float = Field(4.0, gt=0, description="core-seconds that a job takes besides its work")
    unit: float = Field(0.02, ge=0, description="seconds to store and read one unit of a shard")
    megabytes: float = Field(800.0, gt=0, description="memory of a training job besides its data and networks")
    cuda_megabytes: float = Field(3000.0, ge=0, description="memory of the host more where CUDA's libraries are loaded")
    step: float = Field(5.0e-5, ge=0, description="seconds of a step of dense networks, whatever they are")
    layer: float = Field(2.0e-6, ge=0, description="seconds more for every layer of every network")
    parameter: float = Field(4.5e-10, ge=0, description="seconds more for every parameter")
    operation: float = Field(6.5e-12, ge=0, description="seconds more for every floating-point operation")
    convolution_step: float = Field(1.2e-3, ge=0, description="seconds of a step of one convolutional network")
    convolution_operation: float = Field(
        2.2e-11, ge=0, description="seconds more for every floating-point operation of convolutions"
    )
    control_step: float = Field(4.5e-4, ge=0, description="seconds of an environment step of a population")
    control_agent: float = Field(1.5e-5, ge=0, description="seconds more for every policy in it")
    factors: Factors = Field(default_factory=lambda: Factors(), description="corrections by kind of work")


BUILT_IN = Calibration()


def read_calibration(path: str | Path | None) -> Calibration:
    """Return the calibration of a file, or the built-in one where there is none.

    Raises:
        ConfigurationError: the file cannot be read, is no JSON, or holds what no calibration holds.
    """
    if path is None:
        return BUILT_IN
    try:
        raw = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(
            f"calibration {path} cannot be read: {error.strerror}; write it with `aiq estimate CONFIG --save {path}`"
        ) from error
    except ValueError as error:
        raise ConfigurationError(f"calibration {path} is not JSON ({error}); write it anew with --save") from error
    if not isinstance(raw, dict):
        raise ConfigurationError(f"calibration {path} must hold one object, not {type(raw).__name__}")
    return validate(Calibration, raw, f"calibration {path}")


def render_calibration(calibration: Calibration) -> str:
    """Return a calibration as the text of its file."""
    return json.dumps(calibration.model_dump(mode="json"), indent=2) + "\n"


# ---- How the work of a suite is cut into jobs ----------------------------------------------------


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
        None, ge=1, le=1_000_000, description="chunks of policies that one job trains; null: by target_minutes"
    )
    mixtures_per_job: int | None = Field(
        None, ge=1, le=1_000_000, description="pairs of domains that one job trains; null: by target_minutes"
    )
    alone_per_job: int | None = Field(
        None, ge=1, le=1_000_000, description="chunks of a domain alone that one job trains; null: by target_minutes"
    )
    agents_per_job: int | None = Field(
        None, ge=1, le=1_000_000, description="agents that one job trains on a domain; null: by target_minutes"
    )
    gpu_memory: ClassVar = fixed(0.8)  # share of a GPU's free memory that trainings side by side fill
    calibration: str | None = Field(
        None, description="what work costs: file that `aiq estimate --save` wrote; null: built in"
    )
