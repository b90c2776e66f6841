"""The path that agents which meet novelties had before: ``aiq.novelty.protocol`` and the others go on working.

They stand in ``aiq.wings.novelty``. Nothing is imported before it is asked for.
"""

from importlib import import_module

MERGED = {
    "calibration": "scoring",
    "control": "steering",
    "detection": "lookout",
    "overriding": "networks",
    "physics": "steering",
    "records": "protocol",
    "repairing": "lookout",
    "state": "steering",
}
"""Modules of before -> those that hold what they held."""


def __getattr__(name: str) -> object:
    """Import a module of the wing when it is first used."""
    name = MERGED.get(name, name)
    try:
        return import_module(f"aiq.wings.novelty.{name}")
    except ModuleNotFoundError as missing:
        if missing.name != f"aiq.wings.novelty.{name}":
            raise
        raise AttributeError(f"module 'aiq.novelty' has no attribute {name!r}") from None
