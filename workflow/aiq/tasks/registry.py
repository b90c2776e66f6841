"""What can be measured: the registry of domain families, ready to be shown."""

from __future__ import annotations

from typing import Any

from pydantic.fields import FieldInfo

from aiq.domains import FAMILIES
from aiq.domains.registry import Family


def sources() -> list[dict[str, Any]]:
    """Return every source with its parameters, kind, shapes and bounds, ready for JSON."""
    return [_describe(family) for family in FAMILIES.values()]


def _describe(family: Family) -> dict[str, Any]:
    """Describe one family."""
    fields = family.settings.model_fields
    own = {name: field for name, field in fields.items() if name != "source"}
    return {
        "source": family.source,
        "kind": family.kind,
        "description": family.description,
        "shapes": "pictures (channels, height, width) as uint8, or vectors (features) as float32",
        "bounds": [0.0, 1.0],
        "performance": "mean categorical accuracy on the test split",
        "parameters": [_parameter(name, field) for name, field in own.items()],
        "example": dict(family.example),
    }


def _parameter(name: str, field: FieldInfo) -> dict[str, Any]:
    """Describe one parameter."""
    required = field.is_required()
    kind = str(field.annotation) if not isinstance(field.annotation, type) else field.annotation.__name__
    for noise in ("typing.", "aiq.config.domains."):
        kind = kind.replace(noise, "")
    return {
        "name": name,
        "type": kind,
        "required": required,
        "default": "required" if required else field.default,
        "description": field.description or "",
    }
