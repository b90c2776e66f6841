"""Strict settings: every key is known, every value is checked, every refusal is one sentence."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, model_validator

from aiq.errors import ConfigurationError, InputError, did_you_mean
from aiq.settings.explain import explain, requirement


class Settings(BaseModel):
    """Base of all settings: immutable, unknown keys, NaN and misplaced truth values refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=False)
    gone: ClassVar[Mapping[str, str]] = {}
    """Keys of before: what became of each."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, value: Any) -> Any:
        """Name an unknown key together with the closest known one."""
        if isinstance(value, Mapping):
            known = list(cls.model_fields)
            for key in value:
                if key in cls.gone:
                    raise ValueError(f"{key} {cls.gone[key]}; leave the key out")
                if key not in known:
                    hint = did_you_mean(str(key), known)
                    raise ValueError(f"unknown key '{key}'{hint}; allowed are {', '.join(known)}")
        return value

    @model_validator(mode="before")
    @classmethod
    def _refuse_truth_values(cls, value: Any) -> Any:
        """Refuse true for a number: it would count as 1."""
        if isinstance(value, Mapping):
            for key, field in cls.model_fields.items():
                given = value.get(key)
                truth = isinstance(given, bool) or (isinstance(given, list) and any(isinstance(v, bool) for v in given))
                if truth and bool not in _leaves(field.annotation):
                    raise ValueError(f"{key} is {given}, it cannot be true or false (YAML reads yes, no, on, off so)")
        return value


def default_of(settings: type[BaseModel], key: str) -> Any:
    """Return the default of a key: functions and verbs that have the same option take theirs from here."""
    return settings.model_fields[key].default


def _leaves(hint: Any) -> set[Any]:
    """Return the plain types that a type hint mentions."""
    arguments = typing.get_args(hint)
    return set().union(*(_leaves(part) for part in arguments)) if arguments else {hint}


S = TypeVar("S", bound=Settings)


def validate(model: type[S], raw: Mapping[str, Any], root: str = "configuration") -> S:
    """Build ``model`` from a raw mapping.

    Raises:
        ConfigurationError: one sentence naming the place, the problem and the value.
    """
    try:
        return model.model_validate(dict(raw))
    except ValidationError as error:
        raise ConfigurationError(explain(error, raw, root)) from error


def refuse_outside(kind: TypeAdapter[Any], value: object, what: str) -> None:
    """Refuse a single value that is not of the kind; it is not converted, so true and 2.0 are no whole numbers.

    Args:
        kind: type and limits, as a field of settings has them.
        value: what was given.
        what: how the sentence calls it.

    Raises:
        InputError: one sentence naming what it is, the value, and what is allowed.
    """
    try:
        kind.validate_python(value, strict=True)
    except ValidationError as error:
        needed = requirement(error.errors(include_url=False)[0])
        joint = "; it" if needed.startswith("must") else ":"
        raise InputError(f"{what} is {value!r}{joint} {needed}") from error
