"""Forces that act at every tick: pulls on the balls and the wind. Pure numbers."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from aiq.domains.cartpole3d.levels import HEIGHT, Pull
from aiq.domains.cartpole3d.starts import towards

Floats = npt.NDArray[np.float64]

AIR_DENSITY = 1.225
DRAG_COEFFICIENT = 0.5
ABOVE_CART = np.array([0.0, 0.0, 0.5])


def pull_forces(pull: Pull, positions: Floats, joint: Floats, tip: Floats, rng: np.random.Generator) -> Floats:
    """Return the force on every ball in N, shape (n, 3), in world axes.

    Args:
        pull: target and strength; a negative strength pushes away.
        positions: the balls' positions in m, shape (n, 3).
        joint: position of the pole's joint on top of the cart in m, shape (3,).
        tip: position of the pole's upper end in m, shape (3,).
        rng: the episode's generator; draws one strength a ball where strengths are a range.
    """
    if pull.target == "centroid":
        target = positions.mean(axis=0)
    elif pull.target == "origin":
        target = np.zeros(3)
    else:
        target = tip if pull.target == "tip" else joint + ABOVE_CART
    if pull.low < pull.high:
        strength: Floats | float = rng.uniform(pull.low, pull.high, (len(positions), 1))
    else:
        strength = pull.low
    return towards(positions, target) * strength


def wind_velocity(peak: float, angle: float, heights: Floats) -> Floats:
    """Return the velocity of the wind at some heights in m/s, shape (n, 3).

    The profile is the laminar flow in a channel between floor and ceiling: 4 z (H - z) / H² of the peak at
    height z, nothing at floor and ceiling.

    Args:
        peak: speed at half the height in m/s.
        angle: direction in the plane in rad.
        heights: m, shape (n,).
    """
    inside = np.clip(heights, 0, HEIGHT)
    speed = peak * 4 * inside * (HEIGHT - inside) / HEIGHT**2
    velocities: Floats = speed[:, None] * np.array([math.cos(angle), math.sin(angle), 0.0])
    return velocities


def drag(air: Floats, velocities: Floats, areas: Floats) -> Floats:
    """Return the drag ½ ρ C_d A |v| v in N, shape (n, 3), where v is the velocity of the air past the body.

    Args:
        air: velocity of the air at each body in m/s, shape (n, 3).
        velocities: the bodies' velocities in m/s, shape (n, 3).
        areas: their cross sections in m², shape (n,).
    """
    past = air - velocities
    speed = np.linalg.norm(past, axis=1, keepdims=True)
    force: Floats = 0.5 * AIR_DENSITY * DRAG_COEFFICIENT * areas[:, None] * speed * past
    return force
