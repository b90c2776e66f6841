"""What of a configuration results hang on."""

from __future__ import annotations

from typing import Any

from aiq.config.base import RunSettings
from aiq.config.jobs import Keeping


def settled(configuration: RunSettings) -> dict[str, Any]:
    """Return the settings without those on which no result hangs and that may differ from user to user."""
    jobs = set(Keeping.model_fields)
    return configuration.model_dump(mode="json", exclude={"store": True, "precision": True, "jobs": jobs})
