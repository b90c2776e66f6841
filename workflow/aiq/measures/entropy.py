"""Shannon entropy of a domain: images, plain vectors, observations of a control task.

Source: 2025 paper, Eq. 4 and sections 3.1.2 (local entropy), 3.1.4 (control), 3.1.5 (histogram). All
values are in bits. The paper adds 3.32 bits for the 100 classes of CIFAR100, which is log2 10; here the
labels count log2 C.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse

from aiq import seeding, stats
from aiq.errors import InputError
from aiq.measures import bootstrap_words
from aiq.records.domains import Entropy
from aiq.records.estimate import Estimate, Floats

Integers = npt.NDArray[np.int64]

Levels = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]

_CELLS = 4_000_000
_PIXELS = 2_000_000
_GREYS = 256
_HIGHEST = 65535


def local_image_entropy(
    images: npt.ArrayLike,
    classes: int = 1,
    *,
    label_bits: float | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Entropy:
    """Measure images (n, height, width) by the entropy of each pixel's neighbourhood (section 3.1.2).

    The neighbourhood is the disk of radius 1: the pixel and its four neighbours, fewer at the borders. An image counts
    the mean over its pixels plus log2 C for its label, of ``classes`` C, or ``label_bits`` where what is learned is a
    number and no class (see ``number_bits``). Images are grey: whole numbers, or real ones in [0, 1] that are rounded
    to 256 levels. Intervals are of 95 %; 0 ``resamples`` over images give none.

    Raises:
        InputError: where the images cannot be used.
    """
    parts = _local_bits(_grey_levels(images))
    bits = math.log2(classes) if label_bits is None else label_bits
    return _over_images(parts, bits, "local entropy in a disk of radius 1", resamples, seed)


def histogram_entropy(
    images: npt.ArrayLike,
    labels: npt.ArrayLike = (),
    *,
    label_bits: float | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Entropy:
    """Measure images by the entropy of their grey-level histograms (section 3.1.5, Fig. 9).

    An image counts the entropy of its own histogram plus that of the labels: the Shannon entropy of the frequencies of
    the classes, which is log2 C where all are equally frequent. The label part is held fixed in the bootstrap.
    ``labels`` has shape (n,); images and options are as for ``local_image_entropy``.

    Raises:
        InputError: where the images, the labels or an option cannot be used.
    """
    levels = _grey_levels(images)
    if label_bits is None:
        counts = np.unique(np.asarray(labels), return_counts=True)[1].astype(np.float64)
        label_bits = float(_entropy_of_counts(counts))
    return _over_images(_histogram_bits(levels), label_bits, "grey-level histogram entropy", resamples, seed)


def vector_entropy(
    vectors: npt.ArrayLike,
    classes: int,
    *,
    bins: int = 30,
    resamples: int = 1000,
    seed: int = 0,
) -> Entropy:
    """Measure plain vector data as the paper measures control observations, plus log2 C for the labels.

    The paper gives no entropy for labelled vectors. Each variable is cut into equal bins over its observed range and
    the entropies of the variables are summed, as if they were independent. Empty cells make the entropy of a sample
    smaller than that of its source, and resampled values smaller still. ``vectors`` has shape (n, variables); the
    bootstrap is over samples, and further options are as for ``local_image_entropy``.

    Raises:
        InputError: where the vectors cannot be used.
    """
    cells = _cells(_table("vectors", vectors), bins)
    every = np.arange(len(cells))
    return _over_units(cells, every, bins, math.log2(classes), "samples", resamples, seed)


def control_entropy(
    episodes: Sequence[npt.ArrayLike], *, bins: int = 30, resamples: int = 1000, seed: int = 0
) -> Entropy:
    """Measure the observations of a trained agent (section 3.1.4; the paper takes 100 episodes).

    Each observation variable is cut into equal bins over its observed range (all episodes together) and the entropies
    of the variables are summed. Whole episodes, of shape (steps, variables), are resampled; the bins stay. Further
    options are as for ``local_image_entropy``.

    Raises:
        InputError: where the episodes cannot be used.
    """
    tables = [_table(f"the observations of episode {k}", episode) for k, episode in enumerate(episodes)]
    unit = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    cells = _cells(np.concatenate(tables), bins)
    return _over_units(cells, unit, bins, 0.0, "episodes", resamples, seed)


def number_bits(numbers: npt.ArrayLike, bins: int = 30) -> float:
    """Return the entropy in bits of numbers (n,) that are learned, in equal bins over their observed range.

    Raises:
        InputError: there are none, or they are not finite.
    """
    cells = _cells(_table("the numbers to be learned", np.reshape(numbers, (-1, 1))), bins)
    return float(_entropy_of_counts(np.bincount(cells[:, 0], minlength=bins).astype(np.float64)))


def _entropy_of_counts(counts: Floats) -> Floats:
    """Return the Shannon entropy in bits of each row of counts, (..., cells) → (...,); 0 for a row of zeros."""
    total = counts.sum(axis=-1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    scale = np.where(total > 0, total, 1)
    bits = np.log2(scale) - (counts * logs).sum(axis=-1) / scale
    return np.asarray(np.maximum(bits, 0), dtype=np.float64)


def _table(what: str, values: npt.ArrayLike) -> Floats:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise InputError(f"{what} have shape {table.shape}; needed is (rows, variables) with at least one of each")
    if not np.isfinite(table).all():
        raise InputError(f"{what} hold {np.count_nonzero(~np.isfinite(table))} values that are not finite; remove them")
    return table


def _cells(table: Floats, bins: int) -> Integers:
    """Return the bin of every entry over its column's observed range, (rows, variables); a constant is one bin."""
    low = table.min(axis=0)
    width = table.max(axis=0) - low
    fraction = (table - low) / np.where(width > 0, width, 1)
    return np.asarray(np.minimum(fraction * bins, bins - 1), dtype=np.int64)


def _over_images(parts: Floats, label_bits: float, what: str, resamples: int, seed: int) -> Entropy:
    """Return mean and sum over images with the bootstrap over images."""
    rng = seeding.generator(seed, "entropy", "bootstrap")
    count = parts.size
    replicates = np.array([parts[rng.integers(count, size=count)].mean() for _ in range(resamples)]) + label_bits
    interval = stats.percentile_interval(replicates) if count > 1 else None
    method = f"{what} plus labels, {{}} over images; {bootstrap_words('images', count, resamples)}"
    value = float(parts.mean()) + label_bits
    scaled = None if interval is None else (interval[0] * count, interval[1] * count)
    mean = Estimate(value, interval, count, method.format("mean"), seed)
    total = Estimate(value * count, scaled, count, method.format("sum"), seed)
    return Entropy(mean, total, label_bits, parts, replicates)


def _over_units(
    cells: Integers,
    unit: Integers,
    bins: int,
    label_bits: float,
    units: str,
    resamples: int,
    seed: int,
) -> Entropy:
    """Return the summed entropies of the variables with the bootstrap over units (samples or episodes)."""
    variables, count = cells.shape[1], int(unit[-1]) + 1
    column = cells + np.arange(variables) * bins
    entries = (np.ones(cells.size), (np.repeat(unit, variables), column.ravel()))
    tally = scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=(count, variables * bins)))
    parts = _entropy_of_counts(np.asarray(tally.sum(axis=0)).reshape(variables, bins))
    rng, replicates = seeding.generator(seed, "entropy", "bootstrap"), np.empty(resamples)
    rows = max(1, _CELLS // count)
    for start in range(0, resamples, rows):
        block = min(rows, resamples - start)
        drawn = rng.integers(count, size=(block, count)) + np.arange(block)[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=block * count).reshape(block, count).astype(np.float64)
        resampled = np.asarray(tally.T @ times.T).T.reshape(-1, variables, bins)
        replicates[start : start + block] = _entropy_of_counts(resampled).sum(axis=-1)
    replicates += label_bits
    interval = stats.percentile_interval(replicates) if count > 1 else None
    labels = " plus labels" if label_bits else ""
    method = (
        f"entropies of {variables} variables summed{labels}, {bins} equal bins over the observed range; "
        f"{bootstrap_words(units, count, resamples)}"
    )
    estimate = Estimate(float(parts.sum()) + label_bits, interval, count, method, seed)
    return Entropy(estimate, estimate, label_bits, parts, replicates)


# ---- Entropies of single grey pictures ------------------------------------------------------------


def _grey_levels(images: npt.ArrayLike) -> Levels:
    """Return pictures as whole grey levels (n, height, width): real numbers in [0, 1] are rounded to 256 of them."""
    pictures = np.asarray(images)
    if pictures.ndim != 3 or pictures.size == 0:
        raise InputError(f"images have shape {pictures.shape}; needed are grey pictures (n, height, width), not empty")
    if pictures.dtype.kind in "biu":
        low, high = int(pictures.min()), int(pictures.max())
        if low < 0 or high > _HIGHEST:
            raise InputError(f"grey levels span {low} to {high}; whole grey levels must lie in 0 to {_HIGHEST}")
        if high < _GREYS:
            return pictures.astype(np.uint8, copy=False)
        return pictures.astype(np.uint16, copy=False)
    if pictures.dtype.kind != "f":
        raise InputError(f"images are of type {pictures.dtype}; needed are whole grey levels or real numbers in [0, 1]")
    if not (pictures.min() >= 0 and pictures.max() <= 1):
        raise InputError(f"real grey values span {pictures.min():g} to {pictures.max():g}; they must lie in [0, 1]")
    return np.asarray(np.rint(pictures * (_GREYS - 1)), dtype=np.uint8)


def _entropy_by_equal_pairs() -> Floats:
    """Return the table [n, e] of the entropy in bits of n values among which e pairs are equal.

    Up to five values e tells how they fall into groups: 5 = 3 + 2 has 3 + 1 equal pairs, 4 + 1 has 6, no two alike.
    """
    table = np.zeros((6, 11))
    for n in range(1, 6):
        for groups in _partitions(n, n):
            equal = sum(math.comb(g, 2) for g in groups)
            table[n, equal] = math.log2(n) - sum(g * math.log2(g) for g in groups) / n
    return table


def _partitions(n: int, largest: int) -> list[tuple[int, ...]]:
    """Return all ways to write n as a sum of whole numbers up to ``largest``, in falling order."""
    if n == 0:
        return [()]
    return [(g, *rest) for g in range(min(n, largest), 0, -1) for rest in _partitions(n - g, g)]


_TABLE = _entropy_by_equal_pairs()


def _local_bits(levels: Levels) -> Floats:
    """Return each picture's mean over pixels of the entropy of the pixel and its direct neighbours, (n,), in bits."""
    count, height, width = levels.shape
    sizes = np.full((height, width), 5)
    for border in (sizes[0], sizes[-1], sizes[:, 0], sizes[:, -1]):
        border -= 1
    table = _TABLE[sizes]
    rows, columns = np.indices((height, width))
    bits = np.empty(count)
    step = max(1, _PIXELS // (height * width))
    for start in range(0, count, step):
        equal = _equal_pairs(levels[start : start + step])
        bits[start : start + step] = table[rows, columns, equal].mean(axis=(1, 2))
    return bits


def _equal_pairs(x: Levels) -> npt.NDArray[np.uint8]:
    """Return, for each pixel, how many pairs of pixels in its disk have equal levels, (n, height, width)."""
    pairs = np.zeros(x.shape, dtype=np.uint8)
    beside, below = x[:, :, 1:] == x[:, :, :-1], x[:, 1:] == x[:, :-1]
    pairs[:, :, 1:] += beside  # pixel and left
    pairs[:, :, :-1] += beside  # pixel and right
    pairs[:, 1:] += below  # pixel and up
    pairs[:, :-1] += below  # pixel and down
    pairs[:, :, 1:-1] += x[:, :, 2:] == x[:, :, :-2]  # left and right
    pairs[:, 1:-1] += x[:, 2:] == x[:, :-2]  # up and down
    falling, rising = x[:, 1:, 1:] == x[:, :-1, :-1], x[:, :-1, 1:] == x[:, 1:, :-1]
    pairs[:, 1:, 1:] += rising  # up and left of the lower right pixel of the square
    pairs[:, :-1, :-1] += rising  # right and down of its upper left pixel
    pairs[:, 1:, :-1] += falling  # up and right of its lower left pixel
    pairs[:, :-1, 1:] += falling  # left and down of its upper right pixel
    return pairs


def _histogram_bits(levels: Levels) -> Floats:
    """Return the Shannon entropy of each picture's grey-level histogram, (n,), in bits."""
    flat = levels.reshape(levels.shape[0], -1)
    greys = int(flat.max()) + 1
    pixels = flat.shape[1]
    weights = np.arange(pixels + 1, dtype=np.float64)
    weights[1:] *= np.log2(weights[1:])
    bits = np.empty(flat.shape[0])
    step = max(1, _PIXELS // max(pixels, greys))
    for start in range(0, flat.shape[0], step):
        block = flat[start : start + step].astype(np.int64)
        offset = np.arange(block.shape[0])[:, None] * greys
        counts = np.bincount((block + offset).ravel(), minlength=block.shape[0] * greys).reshape(-1, greys)
        bits[start : start + step] = np.log2(pixels) - weights[counts].sum(axis=1) / pixels
    return np.maximum(bits, 0)
