"""Domains: what is learned. A source and its parameters become arrays with labels, or worlds to act in, and a sheet.

A configuration is checked with the settings that stand here, so nothing here imports torch, torchvision, gymnasium,
scikit-learn or Pillow before a domain needs it.
"""

from aiq import wing
from aiq.domains.base import DataSheet as DataSheet
from aiq.domains.base import LabelledDomain as LabelledDomain
from aiq.domains.base import describe as describe
from aiq.domains.family import ControlFamily as ControlFamily
from aiq.domains.family import Family as Family
from aiq.domains.registry import CONTROL_FAMILIES as CONTROL_FAMILIES
from aiq.domains.registry import FAMILIES as FAMILIES
from aiq.domains.registry import control_domain as control_domain
from aiq.domains.registry import load as load
from aiq.domains.registry import register_lazily

_OWN = (
    wing.Environment("aiq/CartPole3D-v0", "aiq.domains.cartpole3d.environment:CartPole3DEnv", 200),
    wing.Environment("aiq/Answered-v0", "aiq.domains.control.answered_environment:AnsweredEnv", None),
)
for _environment in (*_OWN, *(each for measure in wing.measures().values() for each in measure.environments)):
    register_lazily(_environment)
