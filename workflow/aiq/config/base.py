"""Strict settings: every key is known, every value is checked, every refusal is one sentence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from aiq.errors import ConfigurationError, choice, did_you_mean


class Settings(BaseModel):
    """Base of all settings: immutable, unknown keys and NaN refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=False)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, value: Any) -> Any:
        """Name an unknown key together with the closest known one."""
        if isinstance(value, Mapping):
            known = list(cls.model_fields)
            for key in value:
                if key not in known:
                    hint = did_you_mean(str(key), known)
                    raise ValueError(f"unknown key '{key}'{hint}; allowed are {', '.join(known)}")
        return value


def explain(error: ValidationError, root: str = "configuration") -> str:
    """Turn pydantic's report into one sentence about its first problem, counting the others."""
    problems = error.errors(include_url=False)
    first = problems[0]
    place = ".".join(str(part) for part in first["loc"] if not str(part).startswith("function-"))
    message = first["msg"].removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    if first["type"] == "union_tag_invalid":
        context = first["ctx"]
        allowed = [word.strip().strip("'") for word in context["expected_tags"].split(",")]
        message = choice(context["discriminator"].strip("'"), context["tag"], allowed)
    shown = first.get("input")
    value = f" (given: {shown!r})" if isinstance(shown, str | int | float | bool) or shown is None else ""
    more = f", and {len(problems) - 1} more problem(s)" if len(problems) > 1 else ""
    return f"{root}{' at ' + place if place else ''}: {message}{value}{more}"


S = TypeVar("S", bound=Settings)


def validate(model: type[S], raw: Mapping[str, Any], root: str = "configuration") -> S:
    """Build ``model`` from a raw mapping.

    Raises:
        ConfigurationError: one sentence naming the place, the problem and the value.
    """
    try:
        return model.model_validate(dict(raw))
    except ValidationError as error:
        raise ConfigurationError(explain(error, root)) from error


def fingerprint(*parts: Any) -> str:
    """Return 16 hexadecimal digits that identify settings: SHA-256 of their canonical JSON.

    Settings are dumped by field, so the order of keys and the spelling of defaults do not matter.
    """
    plain = [part.model_dump(mode="json") if isinstance(part, BaseModel) else part for part in parts]
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
