"""The sixteen novelty levels of CartPole3D in three difficulties: words and presets become numbers.

Source: Table 1 and section 3.4.1 of the 2025 paper; where the paper gives no number, the values of the environment's
authors. All quantities in SI units.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from aiq.errors import InputError, choice

DIFFICULTIES = ("easy", "medium", "hard")
PRESETS = ("paper", "wsu")
TICKS = 200
TIME_STEP = 0.02
PUSH = 10.0
HALF_WIDTH = 5.0
HEIGHT = 10.0


@dataclass(frozen=True)
class Pull:
    """A force on every ball at every tick, along the line from the ball to a target.

    Attributes:
        target: ``centroid`` of the balls, ``origin`` (the floor's centre), ``tip`` of the pole or ``above``
            (0.5 m above the cart's top).
        low: smallest strength in N; negative strengths push away from the target.
        high: largest strength in N; drawn uniformly for each ball at each tick where it differs from ``low``.
    """

    target: str
    low: float
    high: float


@dataclass(frozen=True)
class Spawning:
    """Balls that appear during the episode.

    Attributes:
        interval: ticks between two new balls.
        moving: whether they start with a velocity and anywhere, or at rest ahead of the cart.
    """

    interval: int
    moving: bool


@dataclass(frozen=True)
class Rules:
    """Everything that tells one variant of the world from another.

    Attributes:
        novelty: level, 0 ... 16.
        difficulty: ``easy``, ``medium`` or ``hard``.
        preset: ``paper`` or ``wsu``.
        cart_mass: kg.
        pole_length: m; the pole's centre of mass stays 1 m above the joint.
        ball_radius: m.
        balls_fixed: whether the balls cannot move.
        balls_fall: whether gravity acts on the balls.
        gravity: m/s².
        restitution: range from which an episode draws the restitution of balls and walls.
        start: how the balls' first velocities are drawn: ``free``, ``rest``, ``to_point``, ``to_cart``, ``on_line``.
        aimed: probability with which a ball is pushed towards the cart (``to_cart``).
        line_distance: range of the distance of the balls' line from the cart's start in m (``on_line``).
        pull: force on the balls at every tick, or None.
        wind_peak: speed of the wind at half the height of the box in m/s; 0 for no wind.
        spawning: balls that appear during the episode, or None.
        fall_limit: roll or pitch of the pole in rad beyond which the episode ends.
    """

    novelty: int = 0
    difficulty: str = "easy"
    preset: str = "paper"
    cart_mass: float = 1.0
    pole_length: float = 1.0
    ball_radius: float = 0.5
    balls_fixed: bool = False
    balls_fall: bool = False
    gravity: float = 9.8
    restitution: tuple[float, float] = (1.0, 1.0)
    start: str = "free"
    aimed: float = 0.0
    line_distance: tuple[float, float] = (0.0, 0.0)
    pull: Pull | None = None
    wind_peak: float = 0.0
    spawning: Spawning | None = None
    fall_limit: float = math.radians(12)

    @property
    def tip_height(self) -> float:
        """Distance from the joint to the pole's upper end in m."""
        return 1.0 + self.pole_length / 2


@dataclass(frozen=True)
class Level:
    """One row of Table 1 and the numbers behind it.

    Attributes:
        effect: the change in words.
        values: the numbers of easy / medium / hard in words; empty where the sources grade nothing.
        constant: fields of ``Rules`` that change in every difficulty.
        graded: fields of ``Rules`` with one value a difficulty.
        wsu: fields of ``Rules`` that the preset ``wsu`` has instead, one value a difficulty.
    """

    effect: str
    values: str = ""
    constant: Mapping[str, Any] = field(default_factory=dict)
    graded: Mapping[str, tuple[Any, Any, Any]] = field(default_factory=dict)
    wsu: Mapping[str, tuple[Any, Any, Any]] = field(default_factory=dict)


def _pulls(target: str, *ranges: tuple[float, float]) -> tuple[Pull, Pull, Pull]:
    """Return one pull a difficulty; a single range stands for all three."""
    easy, medium, hard = (Pull(target, low, high) for low, high in (ranges if len(ranges) == 3 else ranges * 3))
    return easy, medium, hard


_ALL = (
    Level("no change"),
    Level("mass of the cart", "5 / 10 / 50 kg", graded={"cart_mass": (5.0, 10.0, 50.0)}),
    Level("balls unmovable", constant={"balls_fixed": True, "start": "rest"}),
    Level("balls first pushed towards one random point", constant={"start": "to_point"}),
    Level("size of the balls: radius 1 m", constant={"ball_radius": 1.0}),
    Level(
        "balls pushed away from each other, 0 to 6 N",
        graded={"pull": _pulls("centroid", (-6.0, 0.0))},
        wsu={"pull": _pulls("centroid", (0.0, 6.0))},
    ),
    Level(
        "gravity increased, and it acts on the balls",
        "20 / 30 / 40 m/s²",
        constant={"balls_fall": True},
        graded={"gravity": (20.0, 30.0, 40.0)},
        wsu={"gravity": (9.8, 9.8, 9.8)},
    ),
    Level(
        "balls attracted to the origin",
        "15 / 25 / 35 N",
        graded={"pull": _pulls("origin", (15.0, 15.0), (25.0, 25.0), (35.0, 35.0))},
    ),
    Level(
        "stopped balls spawned over time",
        "every 50 / 15 / 7 ticks",
        graded={"spawning": (Spawning(50, False), Spawning(15, False), Spawning(7, False))},
    ),
    Level("length of the pole", "3 / 5 / 8 m", graded={"pole_length": (3.0, 5.0, 8.0)}),
    Level(
        "balls on a fixed line in the plane of the cart",
        "line 3–4 / 2–3 / 1.5–2 m from the cart's start",
        constant={"start": "on_line"},
        graded={"line_distance": ((3.0, 4.0), (2.0, 3.0), (1.5, 2.0))},
    ),
    Level(
        "balls first pushed towards the cart",
        "each with probability .25 / .5 / .75",
        constant={"start": "to_cart"},
        graded={"aimed": (0.25, 0.5, 0.75)},
    ),
    Level(
        "bounciness of balls and walls",
        "restitution 1.05–1.15 / 1.20–1.30 / 1.35–1.45",
        graded={"restitution": ((1.05, 1.15), (1.20, 1.30), (1.35, 1.45))},
    ),
    Level(
        "balls attracted to each other",
        "1 / 3 / 5 N",
        graded={"pull": _pulls("centroid", (1.0, 1.0), (3.0, 3.0), (5.0, 5.0))},
        wsu={"pull": _pulls("centroid", (-1.0, -1.0), (-3.0, -3.0), (-5.0, -5.0))},
    ),
    Level("wind on balls, cart and pole", "16 / 18 / 20 m/s", graded={"wind_peak": (16.0, 18.0, 20.0)}),
    Level(
        "balls pushed towards the pole's tip",
        "10 / 20 / 30 N",
        graded={"pull": _pulls("tip", (10.0, 10.0), (20.0, 20.0), (30.0, 30.0))},
        wsu={"pull": _pulls("above", (10.0, 10.0), (20.0, 20.0), (30.0, 30.0))},
    ),
    Level(
        "moving balls spawned over time",
        "every 3 / 2 / 1 ticks",
        graded={"spawning": (Spawning(3, True), Spawning(2, True), Spawning(1, True))},
    ),
)
LEVELS: Mapping[int, Level] = MappingProxyType(dict(enumerate(_ALL)))


def resolve(novelty: int = 0, difficulty: str = "easy", preset: str = "paper") -> Rules:
    """Return the rules of a variant.

    Args:
        novelty: level of Table 1, 0 (no change) to 16.
        difficulty: ``easy``, ``medium`` or ``hard``; levels without graded values are the same in all three.
        preset: ``paper``, or ``wsu`` for the behaviour of the authors' code where it differs.

    Raises:
        InputError: a level, difficulty or preset that does not exist.
    """
    if difficulty not in DIFFICULTIES:
        raise InputError(choice("difficulty", difficulty, DIFFICULTIES))
    if preset not in PRESETS:
        raise InputError(choice("preset", preset, PRESETS))
    number = _level(novelty)
    level, grade = LEVELS[number], DIFFICULTIES.index(difficulty)
    changes = dict(level.constant) | {name: values[grade] for name, values in level.graded.items()}
    if preset == "wsu":
        changes |= {name: values[grade] for name, values in level.wsu.items()} | {"fall_limit": math.radians(10)}
    return replace(Rules(number, difficulty, preset), **changes)


def _level(novelty: object) -> int:
    allowed = f"allowed are the integers 0 (no change) to {len(_ALL) - 1}"
    if isinstance(novelty, bool):
        raise InputError(f"novelty is {novelty!r}; {allowed}")
    try:
        number = operator.index(novelty)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"novelty is {novelty!r}; {allowed}") from None
    if number not in LEVELS:
        raise InputError(f"novelty is {number}; {allowed}")
    return number
