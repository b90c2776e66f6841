"""The mean over independent skills: each test weighted by how hard it is and by how few others are like it."""

from importlib import import_module as _import
from typing import TYPE_CHECKING as _TYPES
from typing import Any as _Any

from aiq.measures.skills.value import PROFILE as PROFILE
from aiq.measures.skills.value import SHIFT as SHIFT
from aiq.measures.skills.value import difference as difference
from aiq.measures.skills.value import mean as mean
from aiq.measures.skills.value import score as score
from aiq.measures.skills.value import variances as variances

if _TYPES:
    from aiq.measures.skills.cosines import uniqueness as uniqueness
    from aiq.measures.skills.weighing import weigh as weigh

_LATE = {"uniqueness": "cosines", "weigh": "weighing"}


def __getattr__(name: str) -> _Any:
    """Import what weighs tests when it is asked for: it knows spaces, and a space brings its weights."""
    if name in _LATE:
        return getattr(_import(f"aiq.measures.skills.{_LATE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
