"""Configurations that are refused: every rule, one sentence each."""

import contextlib
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from configurations import QUICKSTART, ROOT, anything, changed, of_domains, places, refusal
from hypothesis import given, settings
from hypothesis import strategies as st

import changes
from aiq.config import parse
from aiq.config.load import read
from aiq.errors import ConfigurationError
from changes import MISSING

NAN = math.nan
DIGITS = {"source": "sklearn", "name": "digits"}

# ---- refusals -------------------------------------------------------------------------------------

CASES = [  # one row per kind of sentence; the bounds of single keys stand in the schema, which is kept and compared
    ("sed", 1, "configuration: unknown key 'sed' (did you mean 'seed'?); allowed are measure, name, seed,"),
    ("domains/digits/nme", 1, "at domains.digits: unknown key 'nme' (did you mean 'name'?)"),
    ("seed", MISSING, "configuration: the key 'seed' is missing"),
    ("domains/digits/name", MISSING, "at domains.digits: the key 'name' is missing"),
    ("domains/digits/source", "sklern", "at domains.digits: source is 'sklern' (did you mean 'sklearn'?); allowed are"),
    ("domains/digits/name", "digit", "at domains.digits.name: name is 'digit' (did you mean 'digits'?); allowed are"),
    ("seed", -1, "at seed: must be greater than or equal to 0 (given: -1)"),
    ("seed", True, "seed is True, it cannot be true or false"),
    ("seed", None, "at seed: must be a whole number (given: nothing)"),
    ("name", 7, "at name: must be text (given: 7)"),
    ("results", "", "at results: string should have at least 1 character"),
    ("results", "x{y}*", "results is 'x{y}*', but '{', '}', '*' and '?' stand for patterns; choose another folder"),
    ("pool", None, "at pool: must be a mapping of keys (given: nothing)"),
    ("domains", {}, "domains is empty, a suite needs at least one domain"),
    (f"domains/{'n' * 30}", DIGITS, "has 30 letters; take 64 at most, none 20 times in a row"),
    ("domains/a b", DIGITS, "domain name 'a b' must be letters, digits, '_', '.', '-', a letter or digit first"),
    ("domains/DIGITS", DIGITS, "'digits' and 'DIGITS' differ in case only"),
    ("domains/digits/noise", NAN, "at domains.digits.noise: must be a finite number (given: nan)"),
    ("domains/digits/classes", 1, "classes is 1, a domain needs at least 2 classes"),
    ("domains/digits/classes", [3], "classes [3] names one class, a domain needs at least 2"),
    ("domains/digits/classes", [3, 3], "classes [3, 3] must be different label numbers from 0 up"),
    ("domains/digits/classes", [0, "x"], "at domains.digits.classes.1: must be a whole number (given: 'x')"),
    ("domains/digits/classes", "five", "must be a whole number or a list or a mapping of keys (given: 'five')"),
    ("domains/digits/classes", {"randm": 3}, "classes: unknown key 'randm' (did you mean 'random'?)"),
    ("domains/digits/classes", 50, "classes asks for 50 classes, but the data set has 10 classes: ask for fewer"),
    ("domains/x", {"source": "sklearn", "name": "diabetes", "classes": 2}, "but a number is learned"),
    ("domains/digits/grey", "maybe", "at domains.digits.grey: must be true or false (given: 'maybe')"),
    ("pool/size", 63, "size 63 is not a multiple of policies_per_chunk 8; take 56 or 64"),
    ("pool/layers", [3, 1], "layers [3, 1] must be two numbers from 1 to 100, the smaller first"),
    ("pool/layers", [3], "at pool.layers: item 2 is missing"),
    ("pool/layers", [1, 2, 3], "at pool.layers: must have at most 2 entries"),
    ("training/optimizer/learning_rate", 0, "must be greater than 0 (given: 0)"),
    ("complexity/value_range", [0.5, 0.5], "value_range [0.5, 0.5] must lie in [0, 1], the smaller first"),
    ("complexity/value_range", "obs", "at complexity.value_range: must be a list or 'observed' (given: 'obs')"),
    ("complexity/k", 129, "complexity.k is 129, but the pool has 128 policies; take a pool of at least 129, or a k"),
    ("dissimilarity/proportions", [0, 1], "proportions [0.0, 1.0] must rise from 0 to 1 with at least 3 points"),
    ("dissimilarity/repetitions", 7, "repetitions 7 is not a multiple of repetitions_per_chunk 5"),
    ("dissimilarity/end_repetitions", 7, "end_repetitions 7 is not a multiple of end_repetitions_per_chunk 15"),
    ("dissimilarity/landmarks", {}, "landmarks need either count or names"),
    ("dissimilarity/landmarks", {"names": ["wine", "wine"]}, "must be at least one domain, each named once"),
    ("dissimilarity/landmarks", {"count": 1, "residual": "none"}, "residual can be set no more: it is always orthog"),
    ("quotient", {"confidence": 0.9}, "configuration: quotient.confidence can be set no more: it is always 0.95"),
    ("known_baselines/when", "always", "when is 'always'; allowed are auto, never"),
    ("dissimilarity/landmarks", {"names": ["digit"]}, "'digit' is no domain of the suite (did you mean 'digits'?)"),
    ("space/dimensions", 0, "dimensions is 0, it must be 'share', 'noise', 'all' or 1 or more"),
    ("space/dimensions", 50, "space.dimensions is 50, but the suite has 6 domains, which span at most 6; take 'share'"),
    ("space/dimensions", "aut", "must be a whole number or 'share', 'noise' or 'all' (given: 'aut')"),
    ("agents/networks", [{"name": "a", "layers": 0, "width": 2}] * 2, "agent 'a' is named twice"),
    ("agents/networks", [{"name": "a", "layers": 0, "width": 2, "family": "convolutional"}], "needs at least 1 layer"),
]


@pytest.mark.parametrize(("place", "value", "sentence"), CASES)
def test_a_wrong_value_is_one_sentence(place: str, value: object, sentence: str):
    assert sentence in refusal(changed(place, value))


def test_further_problems_are_counted():
    raw = changed("seed", MISSING)
    del raw["pool"]
    raw["device"] = "gpu"
    assert refusal(raw).endswith("the key 'seed' is missing (and 2 more problems)")
    raw["device"] = "cpu"
    assert refusal(raw).endswith("(and 1 more problem)")


def test_keys_of_yaml_that_are_no_text_are_refused():
    raw = changed("domains/x", DIGITS)
    raw["domains"][1] = raw["domains"].pop("x")
    assert "at domains.1: the key 1 must be text, write it in quotes" in refusal(raw)
    raw = changed("seed", 1)
    raw[True] = 1
    assert "unknown key 'True'" in refusal(raw)


@pytest.mark.parametrize("raw", [{}, None])
def test_an_empty_configuration_is_refused(raw):
    assert refusal(raw) == "configuration is empty; see config/README.md for the keys"


@settings(max_examples=100, deadline=None)
@given(place=st.sampled_from(places(QUICKSTART)), value=anything)
def test_whatever_is_put_anywhere_is_accepted_or_one_sentence(place, value):
    with contextlib.suppress(ConfigurationError):
        assert parse(changed(place, value)) is not None
        return
    refusal(changed(place, value))


# ---- YAML files -----------------------------------------------------------------------------------


@pytest.fixture
def usual_recursion() -> Iterator[None]:
    """As deep as Python goes by itself; hypothesis may have raised it in this process."""
    raised = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(raised)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"- 1\n", "must be a mapping of keys, not list"),
        (b"a: [1\n", "is not valid YAML"),
        (b"a: \xff\n", "is no text in UTF-8"),
        (b"a: 2025-13-45\n", "is not valid YAML"),
        (b"seed: 1\nname: a\nseed: 2\n", "the key 'seed' occurs twice"),
        (b"a: !!python/object/apply:os.getcwd []\n", "is not valid YAML"),
        (b"a: " + b"[" * 3000 + b"]" * 3000, "is nested too deeply"),
    ],
)
@pytest.mark.usefixtures("usual_recursion")
def test_a_bad_file_is_one_sentence(tmp_path: Path, content: bytes, sentence: str):
    path = tmp_path / "c.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError) as error:
        parse(read(path), str(path))
    assert sentence in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [[1], {"a": 1}, None, 3])
def test_a_measure_that_is_no_word_is_one_sentence(value: object):
    with pytest.raises(ConfigurationError, match=r"^c\.yaml: measure is .*; allowed are aiq, "):
        parse({"measure": value}, "c.yaml")


def test_a_missing_file_is_one_sentence(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"there is no configuration .*none.yaml; aiq init NAME writes"):
        read(tmp_path / "none.yaml")


def test_anchors_and_merges_work(tmp_path: Path):
    text = (ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8")
    text = text.replace("\ntraining:\n", "\ntraining: &how\n")
    start = text.index("  training:\n    epochs")
    text = text[:start] + "  training: {<<: *how, epochs: 5}\n\n" + text[text.index("agents:") :]
    (tmp_path / "c.yaml").write_text(text)
    found = parse(read(tmp_path / "c.yaml"))
    assert found.dissimilarity.training.epochs == 5
    assert found.dissimilarity.training.optimizer == found.training.optimizer


# ---- what goes together ---------


@pytest.mark.parametrize(
    ("key", "value"),
    [("end_repetitions", 15), ("end_repetitions_per_chunk", 3)],
)
def test_what_goes_with_ends_of_domains_is_refused_with_ends_of_pairs(key, value):
    raw = changed("dissimilarity/ends", "pair")
    raw["dissimilarity"][key] = value
    assert f"{key} goes with ends: domain, but ends is pair; leave it out" in refusal(raw)
    raw["dissimilarity"].pop(key)
    raw["dissimilarity"]["controls"] = True
    assert "controls go with ends: domain, but ends is pair" in refusal(raw)


def test_a_number_of_controls_goes_with_controls_of_which_there_are_two_at_least():
    sentence = refusal(of_domains(3, control_repetitions=1))
    assert "control_repetitions is 1, but the intervals of starvation and transfer need 2 trainings" in sentence
    for how in ({"controls": False}, {"ends": "pair"}):
        sentence = refusal(of_domains(3, control_repetitions=4, **how))
        assert "dissimilarity.control_repetitions is 4, but no controls are trained; leave it out" in sentence
    sentence = refusal(of_domains(3, control_repetitions="many"))
    assert "dissimilarity.control_repetitions: must be a whole number or 'auto'" in sentence


def test_a_name_with_a_line_break_is_refused_in_one_line():
    assert "the key 'name' is missing" in refusal(changed("domains", {"a\nb": {"source": "sklearn"}}))


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"space/null": "identical"}, "null is identical, which needs dissimilarities of tests with themselves"),
        ({"space/merge": True}, "merge is true, which needs dissimilarities of tests with themselves"),
        ({"dissimilarity/landmarks": {"count": 2}}, "needs every pair; leave dissimilarity.landmarks out"),
        ({"dissimilarity/controls": False}, "set dissimilarity.controls to true"),
        (
            {"dissimilarity/controls": False, "dissimilarity/labels": "told", "dissimilarity/proportions": [0, 0.2, 1]},
            "needs proportions that lie evenly about 0.5",
        ),
    ],
)
def test_what_distances_by_transfer_need_is_said(keys, sentence):
    raw = changed("space/distance", "transfer")
    for place, value in keys.items():
        raw = changes.changed_at(raw, place, value)
    assert sentence in refusal(raw)
