"""A step of Adam, also along gradients of bfloat16 with the values left in bfloat16 beside those of float32."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.training.networks.loops.numbers import compiler, high, low

Floats = npt.NDArray[np.float32]
Bits = npt.NDArray[np.uint16]
Rule = tuple[np.float32, np.float32, np.float32, np.float32, np.float32, np.float32, np.float32]
"""What decay leaves of a value; 1 - beta1; 1 - beta2; beta2; learning rate over the bias correction of means; one over
the root of the bias correction of squares; what is added to the root."""


def _moved(
    value: np.float32, gradient: np.float32, mean: np.float32, square: np.float32, rule: Rule
) -> tuple[np.float32, np.float32, np.float32]:
    """Return a value and its moments after a step (Kingma and Ba 2015; Loshchilov and Hutter 2019)."""
    kept, fresh, new, old, rate, scale, epsilon = rule
    mean += fresh * (gradient - mean)
    square = old * square + new * (gradient * gradient)
    return kept * value - rate * mean / (np.sqrt(square) * scale + epsilon), mean, square


def _step(rule: Rule, values: Floats, gradients: Floats, means: Floats, squares: Floats) -> None:
    """Change values and moments in place, each (n,), along gradients (n,)."""
    for i in range(len(values)):
        values[i], means[i], squares[i] = moved(values[i], gradients[i], means[i], squares[i], rule)


def _rounded(rule: Rule, values: Floats, gradients: Bits, means: Floats, squares: Floats, rounded: Bits) -> None:
    """Do the same along gradients of bfloat16, and leave the values in bfloat16 in ``rounded`` (n,)."""
    for i in range(len(values)):
        value, means[i], squares[i] = moved(values[i], high(gradients[i]), means[i], squares[i], rule)
        values[i], rounded[i] = value, low(value)


moved = compiler(_moved)
step = compiler(_step)
rounded = compiler(_rounded)
