"""Where balls begin and how fast: pure numbers, drawn from the episode's own generator."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from aiq.domains.cartpole3d.levels import HALF_WIDTH, HEIGHT, Pull, Rules
from aiq.records.estimate import Floats

LOWEST = np.array([-4.0, -4.0, 1.0])
HIGHEST = np.array([4.0, 4.0, 9.0])
CLEARANCE = 1.0
SPAWN_CLEARANCE = 0.75
SPAWN_REACH = 3.0
LINE_HEIGHT = 0.6
_TRIES = 1000
_AHEAD_TRIES = 20
_SPAWN_TRIES = 100


@dataclass(frozen=True, eq=False)
class Balls:
    """Positions in m and velocities in m/s of n balls, each of shape (n, 3)."""

    positions: Floats
    velocities: Floats


def first_balls(rules: Rules, cart: Floats, rng: np.random.Generator) -> Balls:
    """Draw the 2 to 4 balls with which an episode begins; ``cart`` is its x and y at the start in m."""
    count = int(rng.integers(2, 5))
    if rules.start == "on_line":
        return _on_line(rules, cart, count, rng)
    positions = np.empty((0, 3))
    for _ in range(count):
        drawn = _clear_position(rules, (cart,), positions, rng)
        if drawn is not None:
            positions = np.vstack([positions, drawn])
    return Balls(positions, _first_velocities(rules, cart, positions, rng))


def _clear_position(
    rules: Rules, keep_from: tuple[Floats, ...], others: Floats, rng: np.random.Generator
) -> Floats | None:
    """Draw a position until it lies 1 m from some points in the plane and overlaps no other ball; None if crowded.

    Balls larger than usual keep 0.15 m more than their radius, lest they begin inside the cart.
    """
    clearance = max(CLEARANCE, rules.ball_radius + 0.15)
    for _ in range(_TRIES):
        drawn: Floats = LOWEST + (HIGHEST - LOWEST) * rng.random(3)
        x, y, _ = drawn.tolist()
        away = all(math.hypot(x - point[0], y - point[1]) >= clearance for point in keep_from)
        if away and _apart(drawn, others, 2 * rules.ball_radius):
            return drawn
    return None


def _apart(position: Floats, others: Floats, distance: float) -> bool:
    place = position.tolist()
    return all(math.dist(place, other) >= distance for other in others.tolist())


def _signed(rng: np.random.Generator, low: float, high: float, shape: tuple[int, ...]) -> Floats:
    """Draw numbers of magnitude U[low, high] with random signs."""
    drawn: Floats = rng.uniform(low, high, shape) * rng.choice([-1.0, 1.0], shape)
    return drawn


def towards(positions: Floats, target: Floats) -> Floats:
    """Return unit vectors from positions, shape (n, 3), to a target; zero where both coincide."""
    lines = target - positions
    lengths = np.linalg.norm(lines, axis=1, keepdims=True)
    directions: Floats = np.divide(lines, lengths, out=np.zeros_like(lines), where=lengths > 1e-9)
    return directions


def _first_velocities(rules: Rules, cart: Floats, positions: Floats, rng: np.random.Generator) -> Floats:
    """Draw first velocities as the variant's start says, shape (n, 3)."""
    if rules.start == "rest":
        return np.zeros_like(positions)
    if rules.start == "to_point":
        return towards(positions, rng.uniform(LOWEST, HIGHEST)) * rng.uniform(0, 10)
    velocities = _signed(rng, 6, 10, positions.shape)
    if rules.start == "to_cart":
        aimed = rng.random(len(positions)) < rules.aimed
        speeds = rng.uniform(0, 10, (len(positions), 1))
        pushed = towards(positions, np.array([cart[0], cart[1], 0.1])) * speeds
        return np.where(aimed[:, None], pushed, velocities)
    return velocities


def _on_line(rules: Rules, cart: Floats, count: int, rng: np.random.Generator) -> Balls:
    """Put balls on one line parallel to x or y at the cart's height, moving along it."""
    axis = int(rng.integers(2))
    across = 1 - axis
    limit = HALF_WIDTH - rules.ball_radius
    offsets = rng.uniform(*rules.line_distance) * rng.permutation([-1.0, 1.0])
    places = cart[across] + offsets
    place = places[0] if abs(places[0]) <= limit else places[1]
    positions = np.zeros((count, 3))
    positions[:, across] = place
    positions[:, 2] = LINE_HEIGHT
    while True:
        along = rng.uniform(-4, 4, count)
        if np.diff(np.sort(along)).min() >= 2 * rules.ball_radius:
            break
    positions[:, axis] = along
    velocities = np.zeros((count, 3))
    velocities[:, axis] = _signed(rng, 6, 10, (count,))
    return Balls(positions, velocities)


def moving_ball(
    rules: Rules, start: Floats, cart: Floats, others: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats] | None:
    """Draw position and velocity of a new moving ball (level 16), or None if the box is too crowded.

    ``start`` and ``cart`` are x and y of the cart at the start of the episode and now, shape (2,): the ball appears at
    least 1 m away from both, so that nothing appears inside the cart or pole. ``others`` are the balls' positions, (n,
    3).
    """
    position = _clear_position(rules, (start, cart), others, rng)
    return None if position is None else (position, _signed(rng, 3, 5, (3,)))


def stopped_ball(
    rules: Rules, motion: Floats, cart: Floats, others: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats] | None:
    """Draw position and velocity of a new ball at rest ahead of the cart (level 8), or None if there is no room.

    The ball appears at height 1 m, 0.75 to 3 m from the cart in the direction of its recent ``motion``, (2,), in m (a
    random one if it is zero); where that place lies outside the box or is taken, other distances and then other
    directions are tried.
    """
    length = np.hypot(*motion)
    angle = float(np.arctan2(motion[1], motion[0])) if length > 1e-9 else rng.uniform(-np.pi, np.pi)
    limit = HALF_WIDTH - rules.ball_radius
    for attempt in range(_SPAWN_TRIES):
        heading = angle if attempt < _AHEAD_TRIES else rng.uniform(-np.pi, np.pi)
        distance = rng.uniform(SPAWN_CLEARANCE, SPAWN_REACH)
        plane = cart + distance * np.array([np.cos(heading), np.sin(heading)])
        position = np.array([plane[0], plane[1], 1.0])
        if np.abs(plane).max() <= limit and _apart(position, others, max(SPAWN_CLEARANCE, 2 * rules.ball_radius)):
            return position, np.zeros(3)
    return None


# ---- Forces that act at every tick ---------------------------------------------------------------


AIR_DENSITY = 1.225
DRAG_COEFFICIENT = 0.5
ABOVE_CART = np.array([0.0, 0.0, 0.5])


def pull_forces(pull: Pull, positions: Floats, joint: Floats, tip: Floats, rng: np.random.Generator) -> Floats:
    """Return the force on every ball in N, shape (n, 3), in world axes.

    Positions of balls (n, 3), of the pole's joint on the cart and of its upper end are in m; where strengths are a
    range, one is drawn for each ball.
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
    """Return the velocity of the wind at some heights (m) in m/s, shape (n, 3).

    The profile is the laminar flow in a channel between floor and ceiling: 4 z (H - z) / H² of the peak at height z,
    nothing at floor and ceiling. ``angle`` is its direction in the plane in rad.
    """
    inside = np.clip(heights, 0, HEIGHT)
    speed = peak * 4 * inside * (HEIGHT - inside) / HEIGHT**2
    velocities: Floats = speed[:, None] * np.array([math.cos(angle), math.sin(angle), 0.0])
    return velocities


def drag(air: Floats, velocities: Floats, areas: Floats) -> Floats:
    """Return the drag ½ ρ C_d A |v| v in N, (n, 3), where v is the velocity (m/s) of the air past the body."""
    past = air - velocities
    speed = np.linalg.norm(past, axis=1, keepdims=True)
    force: Floats = 0.5 * AIR_DENSITY * DRAG_COEFFICIENT * areas[:, None] * speed * past
    return force
