"""Domains: what is learned. A source and its parameters become arrays with labels, or worlds to act in, and a sheet.

Nothing here imports torch, torchvision, gymnasium, scikit-learn or Pillow before a domain needs it.
"""

import aiq.domains.cartpole3d  # makes gymnasium.make("aiq/CartPole3D-v0") work
import aiq.domains.retired  # noqa: F401  aiq/Roulette-v0, aiq/NChain-v0
from aiq.domains.base import DataSheet as DataSheet
from aiq.domains.base import LabelledDomain as LabelledDomain
from aiq.domains.control_registry import CONTROL_FAMILIES as CONTROL_FAMILIES
from aiq.domains.control_registry import ControlFamily as ControlFamily
from aiq.domains.control_registry import control_domain as control_domain
from aiq.domains.registry import FAMILIES as FAMILIES
from aiq.domains.registry import Family as Family
from aiq.domains.registry import load as load
from aiq.domains.sheet import describe as describe
