"""A 3x3 convolution over pictures of one channel, the largest of two by two and ReLU in one pass; and its gradients.

A picture comes with a border of one zero, its columns parted into even and odd ones (``part``), so that the four
windows of sixteen neighbouring results are whole vectors. Of a result is kept which of its four windows was the
largest (0 to 3, row by row), or 4 where ReLU gives 0: no other window has a gradient.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.training.networks.loops.numbers import compiler, high, low

Floats = npt.NDArray[np.float32]
Bits = npt.NDArray[np.uint16]
Places = npt.NDArray[np.uint8]
Shape = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
Sides = tuple[np.uint64, np.uint64]
LANES = 16
"""Results of a row computed at once; buffers of results are so many numbers longer than results are."""
ZERO, ONE, TWO, STEP = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(LANES)
NOTHING = np.float32(0)


def _part(pictures: Floats, parted: Floats) -> None:
    """Write pictures (n, height, width) into zeros (n, height + 2, 2, at least LANES more than width / 2 + 1)."""
    count, height, width = pictures.shape
    for n in range(count):
        for h in range(height):
            for w in range(width):
                parted[n, h + 1, (w + 1) & 1, (w + 1) >> 1] = pictures[n, h, w]


def _forward(x: Floats, rows: Sides, k: Floats, b: Floats, shape: Shape, out: Bits, of: Places) -> None:
    """Fill ``out`` with results in bfloat16 and ``of`` with windows.

    Args:
        x: parted pictures, flat.
        rows: rows of a parted picture, and numbers of half a row.
        k: weights (filters, 9).
        b: biases (filters,).
        shape: (n, filters, height, width) of the results.
        out: results, flat, and LANES more.
        of: the same for windows.
    """
    count, filters, height, width = shape
    tall, half = rows
    line, row = TWO * half, ZERO
    for n in range(count):
        for f in range(filters):
            k0, k1, k2, k3, k4 = k[f, 0], k[f, 1], k[f, 2], k[f, 3], k[f, 4]
            k5, k6, k7, k8, bias = k[f, 5], k[f, 6], k[f, 7], k[f, 8], b[f]
            for h in range(height):
                for s in range(ZERO, width, STEP):
                    p = (n * tall + TWO * h) * line + s
                    q, r, t = p + line, p + TWO * line, p + TWO * line + line
                    for w in range(STEP):
                        x00, x01, x02, x03 = x[p + w], x[p + half + w], x[p + ONE + w], x[p + half + ONE + w]
                        x10, x11, x12, x13 = x[q + w], x[q + half + w], x[q + ONE + w], x[q + half + ONE + w]
                        x20, x21, x22, x23 = x[r + w], x[r + half + w], x[r + ONE + w], x[r + half + ONE + w]
                        x30, x31, x32, x33 = x[t + w], x[t + half + w], x[t + ONE + w], x[t + half + ONE + w]
                        v0 = bias + k0 * x00 + k1 * x01 + k2 * x02 + k3 * x10 + k4 * x11
                        v0 += k5 * x12 + k6 * x20 + k7 * x21 + k8 * x22
                        v1 = bias + k0 * x01 + k1 * x02 + k2 * x03 + k3 * x11 + k4 * x12
                        v1 += k5 * x13 + k6 * x21 + k7 * x22 + k8 * x23
                        v2 = bias + k0 * x10 + k1 * x11 + k2 * x12 + k3 * x20 + k4 * x21
                        v2 += k5 * x22 + k6 * x30 + k7 * x31 + k8 * x32
                        v3 = bias + k0 * x11 + k1 * x12 + k2 * x13 + k3 * x21 + k4 * x22
                        v3 += k5 * x23 + k6 * x31 + k7 * x32 + k8 * x33
                        most, place = v0, np.uint8(0)
                        most, place = v1 if v1 > most else most, np.uint8(1) if v1 > most else place
                        most, place = v2 if v2 > most else most, np.uint8(2) if v2 > most else place
                        most, place = v3 if v3 > most else most, np.uint8(3) if v3 > most else place
                        out[row + s + w] = low(NOTHING if most <= 0 else most)
                        of[row + s + w] = np.uint8(4) if most <= 0 else place
                row += width


def _backward(x: Floats, rows: Sides, slopes: Bits, shape: Shape, of: Places) -> Floats:
    """Return the gradients of nine weights and a bias, each in LANES parts to be added up: (filters, 10, LANES).

    ``slopes`` are gradients of the results in bfloat16, flat, and LANES more; all else is as it is for ``_forward``.
    """
    count, filters, height, width = shape
    sums = np.zeros((filters, np.uint64(10), STEP), dtype=np.float32)  # made here: it overlaps nothing, says LLVM
    tall, half = rows
    line, row = TWO * half, ZERO
    for n in range(count):
        for f in range(filters):
            g0, g1, g2, g3, g4 = sums[f, 0], sums[f, 1], sums[f, 2], sums[f, 3], sums[f, 4]
            g5, g6, g7, g8, bias = sums[f, 5], sums[f, 6], sums[f, 7], sums[f, 8], sums[f, 9]
            for h in range(height):
                for s in range(ZERO, width, STEP):
                    p = (n * tall + TWO * h) * line + s
                    q, r, t = p + line, p + TWO * line, p + TWO * line + line
                    left = width - s
                    for w in range(STEP):
                        place = of[row + s + w]
                        g = high(slopes[row + s + w])
                        g = g if (place < 4) & (w < left) else NOTHING
                        x00, x01, x02, x03 = x[p + w], x[p + half + w], x[p + ONE + w], x[p + half + ONE + w]
                        x10, x11, x12, x13 = x[q + w], x[q + half + w], x[q + ONE + w], x[q + half + ONE + w]
                        x20, x21, x22, x23 = x[r + w], x[r + half + w], x[r + ONE + w], x[r + half + ONE + w]
                        x30, x31, x32, x33 = x[t + w], x[t + half + w], x[t + ONE + w], x[t + half + ONE + w]
                        right, below = (place & 1) == 1, place >= 2
                        z00, z01, z02 = x01 if right else x00, x02 if right else x01, x03 if right else x02
                        z10, z11, z12 = x11 if right else x10, x12 if right else x11, x13 if right else x12
                        z20, z21, z22 = x21 if right else x20, x22 if right else x21, x23 if right else x22
                        z30, z31, z32 = x31 if right else x30, x32 if right else x31, x33 if right else x32
                        g0[w] += g * (z10 if below else z00)
                        g1[w] += g * (z11 if below else z01)
                        g2[w] += g * (z12 if below else z02)
                        g3[w] += g * (z20 if below else z10)
                        g4[w] += g * (z21 if below else z11)
                        g5[w] += g * (z22 if below else z12)
                        g6[w] += g * (z30 if below else z20)
                        g7[w] += g * (z31 if below else z21)
                        g8[w] += g * (z32 if below else z22)
                        bias[w] += g
                row += width
    return sums


part = compiler(_part)
forward = compiler(_forward, fastmath={"contract"})
backward = compiler(_backward, fastmath={"contract"})
