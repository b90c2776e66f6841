"""Keys that are gone are refused in one sentence that says what to do."""

import pytest

from aiq.config.load import parse, read
from aiq.errors import ConfigurationError


@pytest.mark.parametrize("place", ["training", "dissimilarity"])
def test_the_precision_of_products_is_refused(place: str):
    raw = read("config/quickstart.yaml")
    training = raw["training"] if place == "training" else raw["dissimilarity"]["training"]
    training["products"] = "bfloat16"
    with pytest.raises(ConfigurationError, match=r"training.* went in November 2026: all are of float32"):
        parse(raw)


def test_the_number_of_curves_to_be_hovered_over_is_refused():
    with pytest.raises(ConfigurationError, match=r"page: curves .* went in November 2026: .* leave the key out"):
        parse(read("config/quickstart.yaml") | {"page": {"curves": 5}})
