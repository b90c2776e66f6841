"""Typed configuration: from a raw mapping to checked settings, their fingerprints and their schema.

Names are imported when they are asked for: a verb on tables needs the keys of one measure, not every domain's.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aiq.config.base import RunSettings as RunSettings
    from aiq.config.base import fingerprint as fingerprint
    from aiq.config.load import parse as parse
    from aiq.config.load import read as read
    from aiq.config.load import schema as schema
    from aiq.config.suite import Configuration as Configuration
    from aiq.settings import Settings as Settings
    from aiq.settings import validate as validate

_PLACES = {
    **dict.fromkeys(("RunSettings", "fingerprint"), "aiq.config.base"),
    **dict.fromkeys(("parse", "read", "schema"), "aiq.config.load"),
    **dict.fromkeys(("Settings", "validate"), "aiq.settings"),
    "Configuration": "aiq.config.suite",
}


def __getattr__(name: str) -> Any:
    """Import a name from where it stands."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
