"""Domains: what is learned. A source and its parameters become arrays with labels, or worlds to act in, and a sheet.

A configuration is checked with the settings that stand here, so nothing here imports torch, torchvision, gymnasium,
scikit-learn or Pillow before a domain needs it.
"""

import aiq.domains.answered  # gymnasium.make("aiq/Answered-v0", data=...)
import aiq.domains.cartpole3d  # makes gymnasium.make("aiq/CartPole3D-v0") work
import aiq.domains.measured  # aiq/BF-v0, aiq/LambdaStar-v0, aiq/AnytimeCups-v0 and the other two of the anytime test
import aiq.domains.retired  # noqa: F401  aiq/Roulette-v0, aiq/NChain-v0
from aiq.domains.base import DataSheet as DataSheet
from aiq.domains.base import LabelledDomain as LabelledDomain
from aiq.domains.family import ControlFamily as ControlFamily
from aiq.domains.family import Family as Family
from aiq.domains.labelled.sheet import describe as describe
from aiq.domains.registry import CONTROL_FAMILIES as CONTROL_FAMILIES
from aiq.domains.registry import FAMILIES as FAMILIES
from aiq.domains.registry import control_domain as control_domain
from aiq.domains.registry import load as load
