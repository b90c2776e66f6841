"""How large a domain's data will be, as far as the configuration tells before anything is read."""

from __future__ import annotations

from typing import Any

from aiq.domains.control.answered_family import Answered
from aiq.domains.control.settings import Control
from aiq.domains.family import Sizes
from aiq.domains.labelled.settings import Labelled, RandomClasses


def sizes(settings: Labelled | Control, whole: Sizes | None = None) -> Sizes:
    """Return what a domain will hold: what its source holds, after limits and variants.

    ``whole``: what its source holds, where that has been looked up; else what the settings tell.
    """
    if isinstance(settings, Answered):
        data = sizes(settings.labelled, whole)
        return Sizes(0, 0, data.classes, (data.inputs,), data.certain)
    return settings.holds if isinstance(settings, Control) else _varied(whole or settings.holds, settings)


def _varied(whole: Sizes, settings: Labelled) -> Sizes:
    classes = min(_classes(settings.classes, whole.classes), whole.classes)
    share = classes / whole.classes
    splits = []
    for samples, limit in ((whole.train, settings.limit), (whole.test, settings.limit_test)):
        kept = round(samples * share)
        splits.append((kept if limit is None else min(kept, limit)) * settings.duplicate)
    shape = whole.shape
    if len(shape) == 3:
        side = settings.size
        shape = (1 if settings.grey else shape[0], *((side, side) if side else shape[1:]))
    return Sizes(splits[0], splits[1], classes, shape, whole.certain)


def _classes(asked: Any, present: int) -> int:
    if asked is None:
        return present
    if isinstance(asked, RandomClasses):
        return asked.random
    return len(asked) if isinstance(asked, list) else int(asked)
