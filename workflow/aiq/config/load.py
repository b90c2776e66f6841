"""Read a configuration, and write the JSON schema of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from aiq.config.base import validate
from aiq.config.suite import Configuration
from aiq.errors import ConfigurationError


def parse(raw: Mapping[str, Any], origin: str = "configuration") -> Configuration:
    """Check a raw mapping and return the typed configuration.

    Raises:
        ConfigurationError: one sentence about the first thing that is wrong.
    """
    if not raw:
        raise ConfigurationError(f"{origin} is empty; see config/README.md for the keys")
    return validate(Configuration, raw, origin)


def load(path: str | Path) -> Configuration:
    """Read a YAML file and return the typed configuration.

    Raises:
        ConfigurationError: the file is missing, is not YAML, or does not fit the schema.
    """
    file = Path(path)
    try:
        raw = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"configuration {file} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        first = " ".join(str(error).split())
        raise ConfigurationError(f"configuration {file} is not valid YAML: {first}") from error
    if not isinstance(raw, Mapping):
        raise ConfigurationError(f"configuration {file} must be a mapping of keys, not {type(raw).__name__}")
    return parse(raw, str(file))


def schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a configuration."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Configuration.model_json_schema()}
