"""Texts as bags of character n-grams: hashed, or counted over a vocabulary of the training split."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from aiq.domains.base import LabelledDomain, Request
from aiq.domains.family import Family
from aiq.domains.labelled.columns import Tabled, as_float32, described, read_splits
from aiq.domains.sizes import Sizes
from aiq.errors import DomainError


class Text(Tabled):
    """Texts in a column of a table."""

    source: Literal["text"] = Field(description="the source: text")
    text: str = Field("text", min_length=1, description="column of the texts")
    learn: str = Field("label", min_length=1, description="column that is learned")
    ngram: int = Field(3, ge=1, le=20, description="characters of an n-gram")
    features: int = Field(
        512, ge=2, le=65536, description="numbers of a sample: places of the hash, or n-grams counted (most frequent)"
    )
    bag: Literal["hashed", "counted"] = Field(
        "hashed", description="hash every n-gram to a place, or count those most frequent in the training split"
    )
    lowercase: bool = Field(True, description="whether capital letters count as small ones")

    @property
    def holds(self) -> Sizes:
        """Samples are known when they are read, inputs before."""
        return self.assumed(self.features)


def load_text(settings: Text, request: Request) -> LabelledDomain:
    """Load texts: each is the counts of its character n-grams, divided by their Euclidean length.

    ``hashed`` needs no vocabulary: an n-gram goes to a place (and a sign) by its hash, which is the same everywhere
    (``HashingVectorizer``). ``counted`` keeps the n-grams that are most frequent in the training split
    (``TfidfVectorizer`` without inverse document frequencies); others of the test split do not count.
    """
    splits = read_splits(settings, request, [settings.text])
    train, test = splits.train[settings.text], splits.test[settings.text]
    if all(len(words) < settings.ngram for words in train):
        raise DomainError(f"no text of the training split has {settings.ngram} characters: take a smaller ngram")
    vectoriser = _vectoriser(settings).fit(train)
    train_x, test_x = (as_float32(vectoriser.transform(part)) for part in (train, test))
    how = "hashed to" if settings.bag == "hashed" else "the most frequent of the training split:"
    note = (
        f"character {settings.ngram}-grams, {how} {train_x.shape[1]} numbers, counts divided by their Euclidean length"
    )
    description = f"Texts of {Path(settings.path).name}"
    return described(settings, request, splits, (train_x, test_x), description, (note,))


def _vectoriser(settings: Text) -> Any:
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

    size = settings.ngram, settings.ngram
    how = {"analyzer": "char", "ngram_range": size, "lowercase": settings.lowercase, "norm": "l2"}
    if settings.bag == "hashed":
        return HashingVectorizer(n_features=settings.features, **how)
    return TfidfVectorizer(max_features=settings.features, use_idf=False, **how)


FAMILY = Family(
    Text,
    load_text,
    "texts in a column of a CSV table, as bags of character n-grams",
    "vectors (features,)",
    ("sklearn",),
    {"source": "text", "path": "names.csv", "text": "name", "learn": "language", "ngram": 3},
)
