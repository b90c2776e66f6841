"""Keys that are gone are refused in one sentence that says what to do; those that dumps hold keep their one value."""

import pytest

from aiq.config import fingerprint, parse
from aiq.config.load import read
from aiq.config.training import Adam, AdamW, Sgd
from aiq.errors import ConfigurationError
from aiq.settings import validate

SUITE = read("config/quickstart.yaml")


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"training": SUITE["training"] | {"products": "bfloat16"}}, r"training.* went in November 2026: all are of"),
        ({"page": {"curves": 5}}, r"page: curves .* went in November 2026: .* leave the key out"),
        ({"quotient": {"prior_df": 2}}, r"quotient: prior_df can be set no more: it is always 4.0; leave the key out"),
    ],
)
def test_a_key_that_is_gone_is_refused(section: dict, words: str):
    with pytest.raises(ConfigurationError, match=words):
        parse(SUITE | section)


def test_a_dump_of_before_is_read_and_has_the_fingerprint_it_had():
    written = {"name": "adam", "learning_rate": 0.1, "betas": [0.9, 0.999], "epsilon": 1e-8}
    assert validate(Adam, written) == Adam(name="adam", learning_rate=0.1)
    assert fingerprint(validate(Adam, written)) == fingerprint(written)
    assert AdamW(name="adamw", learning_rate=0.1).model_dump(mode="json")["weight_decay"] == 0.01
    with pytest.raises(ConfigurationError, match=r"momentum can be set no more: it is always 0\.0"):
        validate(Sgd, {"name": "sgd", "learning_rate": 0.1, "momentum": 0.9})
    whole = parse(SUITE)
    assert parse(whole.model_dump(mode="json")) == whole
