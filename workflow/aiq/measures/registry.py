"""The measures by name: what each returns, in which unit and range, by which equation, and its options.

Options are those of the typed configuration. A contract test runs every measure with every option.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin

from aiq.config import dissimilarity as mixtures
from aiq.config import measures as settings
from aiq.measures import apti, complexity, dissimilarity, entropy, quotient, similarity, skills, space
from aiq.records.agents import Apti
from aiq.records.complexity import Complexity
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.domains import Entropy
from aiq.records.quotient import Scores
from aiq.records.similarity import Similarity
from aiq.records.skills import Skills, Weights
from aiq.records.space import Space
from aiq.settings import Settings


@dataclass(frozen=True)
class Measure:
    """One measure: arrays in, a record out.

    Attributes:
        function: the pure function.
        record: class of what it returns.
        equation: where Pereyda and Holder (2025, or the year that is named) define it.
        unit: of its value.
        options: keyword -> every value that a configuration may name, the default first.
        keys: JSON keys that its record has at least.
        seeded: whether its intervals are resampled, from a root seed.
    """

    function: Callable[..., Any]
    record: type
    equation: str
    unit: str
    options: Mapping[str, tuple[Any, ...]]
    keys: tuple[str, ...]
    seeded: bool = True


def _words(function: Callable[..., Any], chosen: type[Settings], *other: str) -> dict[str, tuple[Any, ...]]:
    """Return every option that is one of some words in the settings and a keyword of the function, its default first.

    ``other`` are settings that the jobs turn into something else before the function takes them.
    """
    taken = signature(function).parameters.values()
    keywords = {p.name for p in taken if p.kind is p.KEYWORD_ONLY} - set(other)
    fields = {key: field for key, field in chosen.model_fields.items() if key in keywords}
    words = {key: get_args(f.annotation) for key, f in fields.items() if get_origin(f.annotation) is Literal}
    return {key: tuple(sorted(found, key=lambda word: word != fields[key].default)) for key, found in words.items()}


_ALL = {
    "complexity": Measure(
        complexity.measure,
        Complexity,
        "Eq. 5, 2.4.3",
        "size x performance (bits for log2 of the parameters)",
        {
            **_words(complexity.measure, settings.Complexity, "start"),
            "value_range": ((0.0, 1.0), "observed"),
        },
        (
            "mccp",
            "mccp_k",
            "k",
            "interval",
            "base",
            "excess",
            "excess_interval",
            "relative_excess",
            "extrapolated_share",
            "bins",
            "n",
        ),
    ),
    "local entropy": Measure(
        entropy.local_image_entropy, Entropy, "Eq. 4, 3.1.2", "bits", {}, ("mean", "total", "label_bits")
    ),
    "histogram entropy": Measure(
        entropy.histogram_entropy, Entropy, "Eq. 4, 3.1.5", "bits", {}, ("mean", "total", "label_bits")
    ),
    "vector entropy": Measure(entropy.vector_entropy, Entropy, "Eq. 4", "bits", {}, ("mean", "total", "label_bits")),
    "control entropy": Measure(
        entropy.control_entropy, Entropy, "Eq. 4, 3.1.4", "bits", {}, ("mean", "total", "label_bits")
    ),
    "dissimilarity": Measure(
        dissimilarity.measure,
        Dissimilarity,
        "Eqs. 7-9, 2.5.3",
        "performance",
        {
            **_words(dissimilarity.measure, mixtures.Dissimilarity, "ends"),
            "chosen": ("unbiased", "plain", "corrected", "signed"),
        },
        ("dissimilarity", "signed", "se", "interval", "interval_plain", "crosses", "n"),
    ),
    "similarity": Measure(
        similarity.measure,
        Similarity,
        "Eqs. 2 and 3 of 2020",
        "none: share of the gap between both performances",
        {"paired": (False, True)},
        ("similarity", "absolute", "interval", "sufficient", "at", "v_a", "v_b", "v_ab"),
        seeded=False,
    ),
    "space": Measure(
        space.build,
        Space,
        "Eqs. 10-12",
        "normalised complexity or relative excess",
        {
            **_words(space.build, settings.Space),
            "length": space.LENGTHS,
            "dimensions": ("share", "noise", "all", 2),
            "merge": ("auto", True, False),
            "refine": (False, True),
        },
        ("domains", "coordinates", "dimensions", "spectrum", "stress", "negative_share"),
    ),
    "quotient": Measure(
        quotient.score,
        Scores,
        "Eqs. 13, 14",
        "that of the space to the power of the dimensions",
        {"facet_budget": (5_000_000, 1)},
        ("agents", "dimensions"),
    ),
    "weights": Measure(
        skills.weigh,
        Weights,
        "none: docs/methods/headline.md",
        "share of all weights",
        {},
        ("tests", "independent", "reason", "warnings"),
    ),
    "skills": Measure(
        skills.score,
        Skills,
        "none: docs/methods/headline.md",
        "performance",
        {},
        ("agents", "weights", "order_probabilities", "warnings"),
        seeded=False,
    ),
    "apti": Measure(apti.measure, Apti, "3.4.2", "ratio of performances", {}, ("mean", "domains")),
}
MEASURES: Mapping[str, Measure] = MappingProxyType(_ALL)
