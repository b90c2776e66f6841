"""CartPole3D: a pole on a cart in a box of bouncing balls, with sixteen levels of novelty.

Importing this package makes ``gymnasium.make("aiq/CartPole3D-v0")`` work; neither Gymnasium nor PyBullet is
imported before it is needed.
"""

from aiq.domains.cartpole3d.levels import DIFFICULTIES as DIFFICULTIES
from aiq.domains.cartpole3d.levels import LEVELS as LEVELS
from aiq.domains.cartpole3d.levels import PRESETS as PRESETS
from aiq.domains.cartpole3d.levels import resolve as resolve
from aiq.domains.cartpole3d.registration import ENVIRONMENT_ID as ENVIRONMENT_ID
from aiq.domains.cartpole3d.registration import register as register
from aiq.domains.cartpole3d.registration import register_lazily

register_lazily()
