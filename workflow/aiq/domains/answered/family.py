"""The family answered: its settings, and how a domain is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiq.domains.answered.settings import Answered as Answered
from aiq.domains.answered.settings import labelled as labelled
from aiq.domains.base import Request
from aiq.domains.family import ControlFamily

if TYPE_CHECKING:
    from aiq.domains.answered.worlds import AnsweredDomain


def _read(name: str, settings: Answered, request: Request) -> AnsweredDomain:
    """Read the labelled domain and make it one that is played; what it computes with is imported here."""
    from aiq.domains.answered.worlds import AnsweredDomain
    from aiq.domains.registry import load

    told, where = settings.labelled, str(request.data_root)
    whole = load(name, told, root_seed=request.root_seed, data_root=where, download=request.download)
    return AnsweredDomain(name, settings, whole)


FAMILY = ControlFamily(
    Answered,
    _read,
    "a labelled domain, played: every step shows a sample, the action is the answer",
    "observations: the sample as a vector (pictures flattened, 0 to 1); as many actions as classes",
    ("torch",),
    {"source": "answered", "data": {"source": "sklearn", "name": "wine"}},
    reads=True,
)
