"""Grey 32x32 pictures of a cart-pole, drawn from its observations."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SIDE = 32
TRACK = 2.4
_CART_WIDTH, _CART_TOP, _CART_BOTTOM = 6.0, 25.0, 29.0
_POLE_LENGTH, _POLE_HALF_WIDTH = 21.0, 0.75
_FLOOR, _CART, _POLE = 64.0, 150.0, 255.0
_CHUNK = 1024


def _covered(low: npt.NDArray[np.float32], high: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the share of each of the 32 pixels of a line that the interval [low, high] covers, shape (n, 32)."""
    edge = np.arange(SIDE, dtype=np.float32)
    shares: npt.NDArray[np.float32] = np.clip(
        np.minimum(high[:, None], edge + 1) - np.maximum(low[:, None], edge), 0, 1
    )
    return shares


def _pole(column: npt.NDArray[np.float32], angle: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return how much of each pixel the pole covers, shape (n, 32, 32), from the distance to its axis."""
    centre = np.arange(SIDE, dtype=np.float32) + 0.5
    right = centre[None, None, :] - column[:, None, None]
    up = _CART_TOP - centre[None, :, None]
    sine, cosine = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    along = np.clip(right * sine + up * cosine, 0, _POLE_LENGTH)
    distance = np.hypot(right - along * sine, up - along * cosine)
    shares: npt.NDArray[np.float32] = np.clip(_POLE_HALF_WIDTH + 0.5 - distance, 0, 1)
    return shares


def draw(observations: npt.NDArray[np.generic]) -> npt.NDArray[np.uint8]:
    """Draw one picture for each observation, with soft edges, so that shifts below a pixel change grey levels.

    The track of -2.4 m ... 2.4 m spans the columns that keep the cart inside the picture. The pole is drawn
    21 pixels long, longer than to scale (1 m would be 5 pixels), at its true angle, so that one degree moves
    its tip by a third of a pixel. Velocities are not in the picture.

    Args:
        observations: position (m), velocity, angle (rad, positive to the right), angular velocity, shape (n, 4).

    Returns:
        Pictures of shape (n, 1, 32, 32): floor 64, cart 150, pole 255 on black.
    """
    pictures = np.empty((len(observations), 1, SIDE, SIDE), np.uint8)
    room = (SIDE - _CART_WIDTH) / 2
    for start in range(0, len(observations), _CHUNK):
        part = observations[start : start + _CHUNK].astype(np.float32)
        column = SIDE / 2 + np.clip(part[:, 0] / TRACK, -1, 1) * room
        cart = _covered(column - _CART_WIDTH / 2, column + _CART_WIDTH / 2)
        canvas = np.zeros((len(part), SIDE, SIDE), np.float32)
        canvas[:, int(_CART_BOTTOM)] = _FLOOR
        canvas[:, int(_CART_TOP) : int(_CART_BOTTOM)] = _CART * cart[:, None, :]
        pole = _pole(column, part[:, 2])
        canvas = canvas * (1 - pole) + _POLE * pole
        pictures[start : start + len(part), 0] = np.rint(canvas).astype(np.uint8)
    return pictures
