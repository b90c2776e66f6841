"""What the configurations of all measures have in common, and what identifies settings."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, Field

from aiq.settings import Settings

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
