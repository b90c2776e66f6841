"""Write what an estimate measured as a calibration of the cost model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiq.config.calibration import BUILT_IN, read_calibration, render_calibration
from aiq.config.load import parse_any
from aiq.config.suite import Configuration
from aiq.storage.files import replacing
from aiq.tasks.costing import Cost


def save_calibration(config: Mapping[str, Any], cost: Cost, path: str | Path) -> None:
    """Write the calibration of this machine; factors are on top of those that the configuration has already.

    Raises:
        StorageError: the file cannot be written.
    """
    configuration = parse_any(config)
    base = BUILT_IN
    if isinstance(configuration, Configuration):
        base = read_calibration(configuration.jobs.calibration)
    with replacing(path) as temporary:
        temporary.write_text(render_calibration(cost.calibration(base)), encoding="utf-8")
