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
from aiq.measures.arguments import bootstrap_words, check_resampling
from aiq.measures.pictures import grey_levels, histogram_bits, local_bits
from aiq.records.domains import Entropy
from aiq.records.estimate import Estimate, Floats

Integers = npt.NDArray[np.int64]

_CELLS = 4_000_000


def local_image_entropy(
    images: npt.ArrayLike,
    classes: int = 1,
    *,
    label_bits: float | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Entropy:
    """Measure images by the entropy of each pixel's neighbourhood (section 3.1.2).

    The neighbourhood is the disk of radius 1: the pixel and its four neighbours, fewer at the borders.
    An image counts the mean over its pixels plus log2 C for its label.

    Args:
        images: grey pictures, shape (n, height, width); whole numbers, or real numbers in [0, 1] that are
            rounded to 256 levels.
        classes: number of classes C of the domain, at least 1.
        label_bits: bits of what is learned, where that is a number and no class (see ``number_bits``).
        resamples: bootstrap resamples over images; 0 gives no interval.
        confidence: of the interval.
        seed: root seed of the resampling.

    Raises:
        InputError: where the images or an option cannot be used.
    """
    parts = local_bits(grey_levels(images))
    bits = _label_bits(classes) if label_bits is None else label_bits
    return _over_images(parts, bits, "local entropy in a disk of radius 1", resamples, confidence, seed)


def histogram_entropy(
    images: npt.ArrayLike,
    labels: npt.ArrayLike = (),
    *,
    label_bits: float | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Entropy:
    """Measure images by the entropy of their grey-level histograms (section 3.1.5, Fig. 9).

    An image counts the entropy of its own histogram plus that of the labels: the Shannon entropy of the
    frequencies of the classes, which is log2 C where all are equally frequent. The label part is held
    fixed in the bootstrap. ``labels`` has shape (n,); images and options are as for ``local_image_entropy``.

    Raises:
        InputError: where the images, the labels or an option cannot be used.
    """
    levels = grey_levels(images)
    if label_bits is None:
        names = np.asarray(labels)
        if names.shape != levels.shape[:1]:
            raise InputError(
                f"there are {levels.shape[0]} images and labels of shape {names.shape}; needed is one an image"
            )
        counts = np.unique(names, return_counts=True)[1].astype(np.float64)
        label_bits = float(entropy_of_counts(counts))
    return _over_images(histogram_bits(levels), label_bits, "grey-level histogram entropy", resamples, confidence, seed)


def vector_entropy(
    vectors: npt.ArrayLike,
    classes: int,
    *,
    bins: int = 30,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Entropy:
    """Measure plain vector data as the paper measures control observations, plus log2 C for the labels.

    The paper gives no entropy for labelled vectors. Each variable is cut into equal bins over its
    observed range and the entropies of the variables are summed, as if they were independent. Empty
    cells make the entropy of a sample smaller than that of its source, and resampled values smaller still. ``vectors``
    has shape (n, variables); the bootstrap is over samples, and further options are as for ``local_image_entropy``.

    Raises:
        InputError: where the vectors or an option cannot be used.
    """
    table = _table("vectors", vectors)
    label_bits = _label_bits(classes)
    cells = _cells(table, bins)
    return _over_units(cells, np.arange(len(table)), bins, label_bits, "samples", resamples, confidence, seed)


def control_entropy(
    episodes: Sequence[npt.ArrayLike], *, bins: int = 30, resamples: int = 1000, confidence: float = 0.95, seed: int = 0
) -> Entropy:
    """Measure the observations of a trained agent (section 3.1.4; the paper takes 100 episodes).

    Each observation variable is cut into equal bins over its observed range (all episodes together) and
    the entropies of the variables are summed. Whole episodes, of shape (steps, variables), are resampled; the bins
    stay. Further options are as for ``local_image_entropy``.

    Raises:
        InputError: where the episodes or an option cannot be used.
    """
    tables = [_table(f"the observations of episode {k}", episode) for k, episode in enumerate(episodes)]
    if not tables:
        raise InputError("there are no episodes; control entropy needs at least one")
    widths = {table.shape[1] for table in tables}
    if len(widths) > 1:
        raise InputError(f"the episodes observe {sorted(widths)} variables; all must observe the same number")
    unit = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    cells = _cells(np.concatenate(tables), bins)
    return _over_units(cells, unit, bins, 0.0, "episodes", resamples, confidence, seed)


def number_bits(numbers: npt.ArrayLike, bins: int = 30) -> float:
    """Return the entropy in bits of numbers (n,) that are learned, in equal bins over their observed range.

    Raises:
        InputError: there are none, or they are not finite.
    """
    cells = _cells(_table("the numbers to be learned", np.reshape(numbers, (-1, 1))), bins)
    return float(entropy_of_counts(np.bincount(cells[:, 0], minlength=bins).astype(np.float64)))


def entropy_of_counts(counts: Floats) -> Floats:
    """Return the Shannon entropy in bits of each row of counts, (..., cells) → (...,); 0 for a row of zeros."""
    total = counts.sum(axis=-1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    scale = np.where(total > 0, total, 1)
    bits = np.log2(scale) - (counts * logs).sum(axis=-1) / scale
    return np.asarray(np.maximum(bits, 0), dtype=np.float64)


def _label_bits(classes: int) -> float:
    if classes != int(classes) or classes < 1:
        raise InputError(f"the number of classes is {classes}; it must be a whole number of at least 1")
    return math.log2(classes)


def _table(what: str, values: npt.ArrayLike) -> Floats:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise InputError(f"{what} have shape {table.shape}; needed is (rows, variables) with at least one of each")
    if not np.isfinite(table).all():
        raise InputError(f"{what} hold {np.count_nonzero(~np.isfinite(table))} values that are not finite; remove them")
    return table


def _cells(table: Floats, bins: int) -> Integers:
    """Return the bin of every entry over its column's observed range, (rows, variables); a constant is one bin."""
    if bins != int(bins) or bins < 1:
        raise InputError(f"the number of bins is {bins}; it must be a whole number of at least 1")
    low = table.min(axis=0)
    width = table.max(axis=0) - low
    fraction = (table - low) / np.where(width > 0, width, 1)
    return np.asarray(np.minimum(fraction * bins, bins - 1), dtype=np.int64)


def _over_images(parts: Floats, label_bits: float, what: str, resamples: int, confidence: float, seed: int) -> Entropy:
    """Return mean and sum over images with the bootstrap over images."""
    check_resampling(resamples, confidence)
    rng = seeding.generator(seed, "entropy", "bootstrap")
    count = parts.size
    replicates = np.array([parts[rng.integers(count, size=count)].mean() for _ in range(resamples)]) + label_bits
    interval = stats.percentile_interval(replicates, confidence) if count > 1 else None
    method = f"{what} plus labels, {{}} over images; {bootstrap_words('images', count, resamples)}"
    value = float(parts.mean()) + label_bits
    scaled = None if interval is None else (interval[0] * count, interval[1] * count)
    mean = Estimate(value, interval, count, method.format("mean"), seed, confidence)
    total = Estimate(value * count, scaled, count, method.format("sum"), seed, confidence)
    return Entropy(mean, total, label_bits, parts, replicates)


def _over_units(
    cells: Integers,
    unit: Integers,
    bins: int,
    label_bits: float,
    units: str,
    resamples: int,
    confidence: float,
    seed: int,
) -> Entropy:
    """Return the summed entropies of the variables with the bootstrap over units (samples or episodes)."""
    check_resampling(resamples, confidence)
    variables, count = cells.shape[1], int(unit[-1]) + 1
    column = cells + np.arange(variables) * bins
    entries = (np.ones(cells.size), (np.repeat(unit, variables), column.ravel()))
    tally = scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=(count, variables * bins)))
    parts = entropy_of_counts(np.asarray(tally.sum(axis=0)).reshape(variables, bins))
    rng, replicates = seeding.generator(seed, "entropy", "bootstrap"), np.empty(resamples)
    rows = max(1, _CELLS // count)
    for start in range(0, resamples, rows):
        block = min(rows, resamples - start)
        drawn = rng.integers(count, size=(block, count)) + np.arange(block)[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=block * count).reshape(block, count).astype(np.float64)
        resampled = np.asarray(tally.T @ times.T).T.reshape(-1, variables, bins)
        replicates[start : start + block] = entropy_of_counts(resampled).sum(axis=-1)
    replicates += label_bits
    interval = stats.percentile_interval(replicates, confidence) if count > 1 else None
    labels = " plus labels" if label_bits else ""
    method = (
        f"entropies of {variables} variables summed{labels}, {bins} equal bins over the observed range; "
        f"{bootstrap_words(units, count, resamples)}"
    )
    estimate = Estimate(float(parts.sum()) + label_bits, interval, count, method, seed, confidence)
    return Entropy(estimate, estimate, label_bits, parts, replicates)
