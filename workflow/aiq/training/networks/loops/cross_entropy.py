"""What lies between the products of networks that each see samples of their own: biases, ReLU, and cross-entropy.

Arrays are (networks, nodes, samples) unless said otherwise, biases and their gradients (networks, nodes).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from aiq.training.networks.loops.numbers import compiler, high, low

Floats = npt.NDArray[np.float32]
Bits = npt.NDArray[np.uint16]

ZERO, HALF = np.float32(0), np.float32(0.5)
LEAST = np.float32(-87)
"""Where the exponential is nearly the least normal number."""

OVER_LOG_2, LOG_2_HIGH, LOG_2_LOW = np.float32(1.4426950408889634), np.float32(0.693359375), np.float32(-2.12194440e-4)
"""1 / log 2, and log 2 as the sum of a number with few bits and a small one (Cody and Waite 1980)."""

SERIES = tuple(np.float32(1 / math.factorial(n)) for n in (7, 6, 5, 4, 3, 2))
BIAS, MANTISSA = np.int32(127), np.int32(23)


def _exponential(x: np.float32) -> np.float32:
    """Return exp(x) of a number that is not positive, to 2 units in the last place; NaN of NaN.

    It is 2^n exp(r) with r between -log(2) / 2 and log(2) / 2; a call of the library's could not be made of many
    numbers at once.
    """
    x = LEAST if x < LEAST else x
    n = np.floor(x * OVER_LOG_2 + HALF)
    r = x - n * LOG_2_HIGH - n * LOG_2_LOW
    series = SERIES[0]
    for factor in SERIES[1:]:
        series = series * r + factor
    power = np.int32((np.int32(n) + BIAS) << MANTISSA).view(np.float32)
    return np.float32((series * r * r + r + np.float32(1)) * power)


def _total(numbers: Floats) -> np.float32:
    """Return the sum of some numbers (n,), in whatever order is fastest."""
    total = ZERO
    for i in range(len(numbers)):
        total += numbers[i]
    return total


def _enter(products: Bits, biases: Floats, active: Floats) -> None:
    """Fill the activations of first layers from their products in bfloat16."""
    for network in range(len(products)):
        for node in range(products.shape[1]):
            bias = biases[network, node]
            for sample in range(products.shape[2]):
                result = high(products[network, node, sample]) + bias
                active[network, node, sample] = ZERO if result <= 0 else result


def _rectify(active: Floats, biases: Floats) -> None:
    """Make activations of products, in place."""
    for network in range(len(active)):
        for node in range(active.shape[1]):
            bias = biases[network, node]
            for sample in range(active.shape[2]):
                result = active[network, node, sample] + bias
                active[network, node, sample] = ZERO if result <= 0 else result


def _lose(
    logits: Floats,
    biases: Floats,
    labels: npt.NDArray[np.int64],
    shares: Floats,
    losses: npt.NDArray[np.float64],
    of_biases: Floats,
) -> None:
    """Make the gradients of the mean cross-entropy of products, in place, and add each network's summed loss.

    Args:
        logits: without their biases.
        biases: of the outputs.
        labels: (networks, samples); the number of outputs stands for no sample.
        shares: one over the number of samples that each network has, (networks,).
        losses: of the networks, (networks,); the sum over samples is added.
        of_biases: is given the gradients of the biases.
    """
    outputs, samples = logits.shape[1:]
    largest = np.empty(samples, np.float32)
    sums, factors = np.empty_like(largest), np.empty_like(largest)
    powers = np.empty((outputs, samples), np.float32)
    for network in range(len(logits)):
        share, lost = shares[network], 0.0
        for output in range(outputs):
            bias = biases[network, output]
            for sample in range(samples):
                logit = logits[network, output, sample] + bias
                logits[network, output, sample] = logit
                largest[sample] = logit if output == 0 or logit > largest[sample] else largest[sample]
        for output in range(outputs):
            for sample in range(samples):
                power = exponential(logits[network, output, sample] - largest[sample])
                powers[output, sample] = power
                sums[sample] = power if output == 0 else sums[sample] + power
        for sample in range(samples):
            label = labels[network, sample]
            factors[sample] = ZERO
            if label < outputs:
                factors[sample] = share / sums[sample]
                lost += largest[sample] - logits[network, label, sample] + np.log(sums[sample])
        losses[network] += lost
        for output in range(outputs):
            for sample in range(samples):
                logits[network, output, sample] = powers[output, sample] * factors[sample]
        for sample in range(samples):
            if labels[network, sample] < outputs:
                logits[network, labels[network, sample], sample] -= share
        for output in range(outputs):
            of_biases[network, output] = total(logits[network, output])


def _back(slopes: Floats, active: Floats, of_biases: Floats) -> None:
    """Take the gradients of activations back through ReLU, in place."""
    for network in range(len(slopes)):
        for node in range(slopes.shape[1]):
            sum_ = ZERO
            for sample in range(slopes.shape[2]):
                slope = ZERO if active[network, node, sample] <= 0 else slopes[network, node, sample]
                slopes[network, node, sample] = slope
                sum_ += slope
            of_biases[network, node] = sum_


def _leave(slopes: Floats, active: Floats, of_biases: Floats, rounded: Bits) -> None:
    """Do the same for first layers, and leave the gradients in bfloat16 in ``rounded``."""
    back(slopes, active, of_biases)
    for network in range(len(slopes)):
        for node in range(slopes.shape[1]):
            for sample in range(slopes.shape[2]):
                rounded[network, node, sample] = low(slopes[network, node, sample])


exponential = compiler(_exponential, fastmath={"contract"})
total = compiler(_total, fastmath={"reassoc"})
enter = compiler(_enter)
rectify = compiler(_rectify)
lose = compiler(_lose)
back = compiler(_back, fastmath={"reassoc"})
leave = compiler(_leave)
