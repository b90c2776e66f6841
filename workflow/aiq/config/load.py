"""Read a configuration, and write the JSON schema of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml
from pydantic.json_schema import models_json_schema

from aiq import wing
from aiq.config.base import RunSettings
from aiq.config.suite import Configuration
from aiq.errors import ConfigurationError, choice, did_you_mean
from aiq.settings import validate


@cache
def configurations() -> Mapping[str, type[RunSettings]]:
    """Return what a run can measure, by the key ``measure`` of its configuration, and the settings that it then takes.

    The settings of a measure are imported now, not with this module: they may import what imports it.
    """
    measured = {name: measure.part("settings") for name, measure in wing.configured().items()}
    return MappingProxyType({Configuration.word(): Configuration, **measured})


def parse(raw: Mapping[str, Any], origin: str = "configuration") -> RunSettings:
    """Check a raw mapping by the settings of the measure that it names (``aiq`` where it names none).

    Raises:
        ConfigurationError: one sentence about the first thing that is wrong.
    """
    if not raw:
        raise ConfigurationError(f"{origin} is empty; see config/README.md for the keys")
    measure = raw.get("measure", "aiq")
    if not isinstance(measure, str) or measure not in configurations():
        if isinstance(measure, str):
            wing.check_broken(measure)
        raise ConfigurationError(f"{origin}: {choice('measure', measure, configurations())}")
    return validate(configurations()[measure], raw, origin)


class _StrictLoader(yaml.SafeLoader):
    """Safe YAML in which no key may occur twice (the first would be lost silently)."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Build a mapping, refusing repeated keys."""
        seen = []
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:merge":
                name = self.construct_object(key, deep=True)
                if name in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {name!r} occurs twice", key.start_mark
                    )
                seen.append(name)
        return super().construct_mapping(node, deep)


def read(path: str | Path) -> dict[str, Any]:
    """Read a YAML file of settings as a raw mapping.

    Raises:
        ConfigurationError: the file is missing, is not YAML, or no mapping.
    """
    file = Path(path)
    try:
        raw = yaml.load(file.read_text(encoding="utf-8"), Loader=_StrictLoader)
    except FileNotFoundError:
        near = did_you_mean(str(file), map(str, file.parent.glob("*.y*ml")))
        raise ConfigurationError(f"there is no configuration {file}{near}; aiq init NAME writes NAME.yaml") from None
    except OSError as error:
        raise ConfigurationError(f"configuration {file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ConfigurationError(f"configuration {file} is no text in UTF-8; give a YAML file") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigurationError(f"configuration {file} {_what_is_wrong(error)}") from error
    except RecursionError:
        raise ConfigurationError(
            f"configuration {file} is nested too deeply; no key needs more than a few levels"
        ) from None
    if raw is not None and not isinstance(raw, Mapping):
        raise ConfigurationError(f"configuration {file} must be a mapping of keys, not {type(raw).__name__}")
    return dict(raw or {})


def _what_is_wrong(error: Exception) -> str:
    """Return the end of the sentence that refuses a file of YAML: the line, and what stands there."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return f"is not valid YAML: {' '.join(str(error).split())}"
    said = " ".join(str(getattr(error, "problem", "")).replace("\\t", "tab").split())
    if "mapping values" in said:
        said = "a second 'key: value' on one line, or a line that is indented too far"
    elif "cannot start any token" in said and "tab" in said:
        said = "a tab; indent with spaces"
    return f"is not valid YAML in line {mark.line + 1}, column {mark.column + 1}: {said}"


def schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a configuration: that of the measure that it names."""
    dialect: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    if len(configurations()) == 1:
        return {**dialect, **Configuration.model_json_schema()}
    kept, definitions = models_json_schema([(model, "validation") for model in configurations().values()])
    return {**dialect, "oneOf": [kept[model, "validation"] for model in configurations().values()], **definitions}
