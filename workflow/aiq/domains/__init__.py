"""Domains: what is learned. A source and its parameters become arrays with labels, or worlds to act in, and a sheet.

A configuration is checked with the settings that stand here, so nothing here imports torch, torchvision, gymnasium,
scikit-learn or Pillow before a domain needs it.
"""

import aiq.domains.answered  # gymnasium.make("aiq/Answered-v0", data=...)
import aiq.domains.cartpole3d  # noqa: F401  makes gymnasium.make("aiq/CartPole3D-v0") work
from aiq import wing
from aiq.domains.base import DataSheet as DataSheet
from aiq.domains.base import LabelledDomain as LabelledDomain
from aiq.domains.base import describe as describe
from aiq.domains.family import ControlFamily as ControlFamily
from aiq.domains.family import Family as Family
from aiq.domains.registration import register_lazily
from aiq.domains.registry import CONTROL_FAMILIES as CONTROL_FAMILIES
from aiq.domains.registry import FAMILIES as FAMILIES
from aiq.domains.registry import control_domain as control_domain
from aiq.domains.registry import load as load

for _measure in wing.measures().values():  # gymnasium.make of the measures' environments, such as "aiq/BF-v0"
    for _environment in _measure.environments:
        register_lazily(_environment)
