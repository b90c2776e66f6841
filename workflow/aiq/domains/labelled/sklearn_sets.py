"""Data sets that ship with scikit-learn: no network, no files."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from aiq.domains.base import DataSheet, LabelledDomain, Request
from aiq.domains.family import Family
from aiq.domains.labelled.settings import Labelled
from aiq.domains.labelled.splits import Learned, plain_split, split, standardise, standardised
from aiq.domains.sizes import Sizes
from aiq.settings import fixed

SKLEARN = {
    "digits": Sizes(1797, 0, 10, (1, 8, 8)),
    "wine": Sizes(178, 0, 3, (13,)),
    "breast_cancer": Sizes(569, 0, 2, (30,)),
    "diabetes": Sizes(442, 0, 1, (10,)),
}
"""All samples; the test split is taken from them."""


class Sklearn(Labelled):
    """Data sets that ship with scikit-learn."""

    source: Literal["sklearn"] = Field(description="the source: sklearn")
    name: Literal["digits", "wine", "breast_cancer", "diabetes"] = Field(
        description="data set; in diabetes a number is learned (regression)"
    )
    test_fraction: ClassVar = fixed(0.25)  # share of samples held out as test split, stratified

    @property
    def numeric(self) -> bool:
        """Diabetes: the progression of the disease."""
        return self.name == "diabetes"

    @property
    def label_space(self) -> str:
        """One space a data set."""
        return f"sklearn:{self.name}"

    @property
    def holds(self) -> Sizes:
        """All samples, split."""
        whole = SKLEARN[self.name]
        test = round(whole.train * self.test_fraction)
        return replace(whole, train=whole.train - test, test=test)


_DESCRIPTIONS = {
    "digits": "Handwritten digits, 8x8 grey levels (test part of the UCI set Optical Recognition of Digits)",
    "wine": "Chemical analysis of wines of three cultivars, 13 quantities (UCI Wine)",
    "breast_cancer": "Features of cell nuclei, benign or malignant, 30 quantities (UCI Breast Cancer Wisconsin)",
    "diabetes": "Progression of diabetes a year after 10 quantities were measured (Efron and others 2004)",
}
_UCI = "CC BY 4.0 (UCI Machine Learning Repository)"
_LARS = "not stated; published with Least Angle Regression (Annals of Statistics 32, 2004)"
_DIGITS_MAXIMUM = 16


def load_sklearn(settings: Sklearn, request: Request) -> LabelledDomain:
    """Load digits as pictures (1, 8, 8) of 0 ... 255, the others as standardised vectors.

    The grey levels of digits, 0 ... 16, are multiplied by 255 / 16 and rounded. The split is stratified where classes
    are learned and depends on the root seed and the data set alone.
    """
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{settings.name}")(**({"scaled": False} if settings.numeric else {}))
    share, root, key = settings.test_fraction, request.root_seed, (*request.key, "split")
    if settings.numeric:
        train, test = plain_split(len(bunch.target), share, root, *key)
        y, how = standardised(bunch.target[train], bunch.target[test]), "seeded split at random"
    else:
        labels, names = bunch.target.astype(np.int64), tuple(str(name) for name in bunch.target_names)
        train, test = split(labels, share, root, *key)
        y, how = Learned(labels[train], labels[test], len(names), names, (), "classes"), "seeded stratified split"
    if settings.name == "digits":
        x = np.rint(bunch.images * (255 / _DIGITS_MAXIMUM)).astype(np.uint8)[:, np.newaxis]
        train_x, test_x, note = x[train], x[test], "grey levels 0 ... 16 multiplied by 255 / 16"
    else:
        train_x, test_x = standardise(bunch.data[train], bunch.data[test])
        note = "features standardised by the training split"
    sheet = DataSheet(
        description=_DESCRIPTIONS[settings.name],
        source=f"scikit-learn, sklearn.datasets.load_{settings.name}",
        licence=_LARS if settings.numeric else _UCI,
        class_names=y.names,
        notes=(note, f"{how}, {share:g} of the samples are the test split", *y.notes),
    )
    space = settings.label_space
    return LabelledDomain(request.name, train_x, y.train, test_x, y.test, space, y.labels, sheet, y.target)


FAMILY = Family(
    Sklearn,
    load_sklearn,
    "data sets that ship with scikit-learn: digits as pictures, wine, breast_cancer and diabetes as vectors",
    "digits: images (1, 8, 8); wine: vectors (13,); breast_cancer: vectors (30,); diabetes: vectors (10,)",
    ("sklearn",),
    {"source": "sklearn", "name": "digits"},
)
