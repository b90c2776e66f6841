"""Domains that are played: what every one is, how worlds run side by side, and mixtures of two."""

from aiq.domains.control.base import ControlDomain as ControlDomain
from aiq.domains.control.base import Outcome as Outcome
from aiq.domains.control.base import Worlds as Worlds
