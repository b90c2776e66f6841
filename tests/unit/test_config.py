"""Configurations: every rule, one sentence each; generated schema and key tables are up to date."""

import contextlib
import copy
import functools
import json
import math
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import changes
from aiq import config
from aiq.config import Configuration, fingerprint, parse, parse_any, read, schema
from aiq.config.load import load
from aiq.config.readme import classes, readme, title
from aiq.domains.control.settings import Control, Drawn, Measured
from aiq.domains.labelled.columns import Tabled
from aiq.domains.labelled.settings import Labelled
from aiq.domains.labelled.sklearn_sets import Sklearn
from aiq.errors import ConfigurationError, choice, did_you_mean
from aiq.wings.algorithmic.settings import Player
from aiq.wings.anytime.settings import Examined
from changes import MISSING

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "config").glob("*.yaml"))  # experiments: tests/contracts/test_experiments.py
QUICKSTART = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
NAN = math.nan
DIGITS = {"source": "sklearn", "name": "digits"}
changed = functools.partial(changes.changed_at, QUICKSTART)


def refusal(raw: object) -> str:
    with pytest.raises(ConfigurationError) as error:
        parse(raw)
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 440
    assert not text.endswith(".")
    assert "validation error" not in text
    assert "pydantic" not in text
    return text


# ---- files, schema, key tables --------------------------------------------------------------------


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    """What checks a configuration; the schema itself is checked below, once."""
    return jsonschema.Draft202012Validator(schema())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_parses_and_fits_the_schema(path: Path):
    parse_any(read(path), str(path))
    validator().validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def test_the_schema_is_valid_and_the_file_is_up_to_date():
    jsonschema.Draft202012Validator.check_schema(schema())
    kept = json.loads((ROOT / "workflow/schemas/configuration.schema.json").read_text(encoding="utf-8"))
    assert kept == schema(), "run: python -m aiq.config > workflow/schemas/configuration.schema.json"


def test_the_key_tables_are_up_to_date():
    kept = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    assert kept == readme(), "run: python -m aiq.config --readme > config/README.md"


def test_the_command_prints_both():
    for options, path in (([], "workflow/schemas/configuration.schema.json"), (["--readme"], "config/README.md")):
        command = [sys.executable, "-m", "aiq.config", *options]
        printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
        assert printed == (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("model", classes(), ids=lambda model: model.__name__)
def test_every_key_is_explained_under_its_heading(model):
    section = (ROOT / "config" / "README.md").read_text(encoding="utf-8").split(f"\n## {title(model)}\n", 1)[1]
    section = section.split("\n## ", 1)[0]
    for name, field in model.model_fields.items():
        assert field.description, f"{model.__name__}.{name} has no description"
        assert f"| `{name}` |" in section
        assert field.description.replace("|", "\\|") in section


def test_every_settings_class_is_reached():
    def below(model):
        return {model, *(inner for sub in model.__subclasses__() for inner in below(sub))}

    elsewhere = "papers.planned"  # files of several suites, not one; whoever reads none does not import it
    found = {
        model
        for model in below(config.Settings)
        if model.__module__.startswith("aiq.") and model.__module__ != elsewhere
    }
    assert found - set(classes()) == {
        config.Settings,
        Drawn,
        Measured,
        config.RunSettings,
        Labelled,
        Tabled,
        Control,
        Player,
        config.jobs.Keeping,
        config.measures.Headline,
        Examined,
    }


# ---- refusals -------------------------------------------------------------------------------------

CASES = [  # one row per kind of sentence; the bounds of single keys stand in the schema, which is kept and compared
    ("sed", 1, "configuration: unknown key 'sed' (did you mean 'seed'?); allowed are measure, name, seed,"),
    ("pool/sizes", 1, "at pool: unknown key 'sizes' (did you mean 'size'?)"),
    ("domains/digits/nme", 1, "at domains.digits: unknown key 'nme' (did you mean 'name'?)"),
    ("training/optimizer/lr", 1, "at training.optimizer: unknown key 'lr'; allowed are name, learning_rate,"),
    ("seed", MISSING, "configuration: the key 'seed' is missing"),
    ("pool/size", MISSING, "at pool: the key 'size' is missing"),
    ("domains/digits/name", MISSING, "at domains.digits: the key 'name' is missing"),
    ("domains/digits/source", "sklern", "at domains.digits: source is 'sklern' (did you mean 'sklearn'?); allowed are"),
    ("domains/digits/name", "digit", "at domains.digits.name: name is 'digit' (did you mean 'digits'?); allowed are"),
    ("seed", -1, "at seed: must be greater than or equal to 0 (given: -1)"),
    ("seed", 2**63, "at seed: must be less than or equal to 9223372036854775807"),
    ("seed", 1.5, "at seed: must be a whole number (given: 1.5)"),
    ("seed", True, "seed is True, it cannot be true or false"),
    ("seed", None, "at seed: must be a whole number (given: None)"),
    ("name", 7, "at name: must be text (given: 7)"),
    ("results", "", "at results: string should have at least 1 character"),
    ("results", "x{y}*", "results is 'x{y}*', but '{', '}', '*' and '?' stand for patterns; choose another folder"),
    ("pool", None, "at pool: must be a mapping of keys (given: None)"),
    ("domains", {}, "domains is empty, a suite needs at least one domain"),
    ("domains", [DIGITS], "at domains: must be a mapping of keys"),
    ("domains/digits", "digits", "at domains.digits: must be a mapping of keys (given: 'digits')"),
    ("domains/a b", DIGITS, "domain name 'a b' must be letters, digits, '_', '.', '-', a letter or digit first"),
    ("domains/DIGITS", DIGITS, "'digits' and 'DIGITS' differ in case only"),
    ("domains/digits/noise", NAN, "at domains.digits.noise: must be a finite number (given: nan)"),
    ("domains/digits/classes", 1, "classes is 1, a domain needs at least 2 classes"),
    ("domains/digits/classes", [3], "classes [3] names one class, a domain needs at least 2"),
    ("domains/digits/classes", [3, 3], "classes [3, 3] must be different label numbers from 0 up"),
    ("domains/digits/classes", [0, "x"], "at domains.digits.classes.1: must be a whole number (given: 'x')"),
    ("domains/digits/classes", "five", "must be a whole number or a list or a mapping of keys (given: 'five')"),
    ("domains/digits/classes", True, "classes is True, it cannot be true or false"),
    ("domains/digits/classes", {"randm": 3}, "classes: unknown key 'randm' (did you mean 'random'?)"),
    ("domains/digits/classes", 50, "classes asks for 50 classes, but the data set has 10 classes: ask for fewer"),
    ("domains/digits/classes", [0, 10], "classes names 10, which does not occur: the data set has 10 classes, 0 ... 9"),
    ("domains/x", {"source": "sklearn", "name": "diabetes", "classes": 2}, "but a number is learned"),
    ("domains/digits/grey", "maybe", "at domains.digits.grey: must be true or false (given: 'maybe')"),
    ("pool/size", 63, "size 63 is not a multiple of policies_per_chunk 8; take 56 or 64"),
    ("pool/layers", [3, 1], "layers [3, 1] must be two numbers, 1 or more, the smaller first"),
    ("pool/layers", [3], "at pool.layers: item 2 is missing"),
    ("pool/layers", [1, 2, 3], "at pool.layers: tuple should have at most 2 items"),
    ("training/optimizer/learning_rate", 0, "must be greater than 0 (given: 0)"),
    ("complexity/value_range", [0.5, 0.5], "value_range [0.5, 0.5] must lie in [0, 1], the smaller first"),
    ("complexity/value_range", "obs", "at complexity.value_range: must be a list or 'observed' (given: 'obs')"),
    (
        "complexity/k",
        129,
        "complexity.k is 129, but the pool has 128 policies; take a pool of at least 129, or a k of at",
    ),
    ("complexity/fill", "larges", "(did you mean 'largest'?); allowed are largest, linear"),
    ("complexity/confidence", 1, "at complexity.confidence: must be less than 1"),
    ("entropy/method", "locl", "method is 'locl' (did you mean 'local'?); allowed are local, histogram"),
    ("dissimilarity/proportions", [0, 1], "proportions [0.0, 1.0] must rise from 0 to 1 with at least 3 points"),
    ("dissimilarity/proportions", "x", "at dissimilarity.proportions: must be a whole number or a list (given: 'x')"),
    ("dissimilarity/repetitions", 7, "repetitions 7 is not a multiple of repetitions_per_chunk 5"),
    ("dissimilarity/network", MISSING, "at dissimilarity: the key 'network' is missing"),
    ("dissimilarity/ends", "suite", "ends is 'suite'; allowed are domain, pair"),
    ("dissimilarity/end_repetitions", 7, "end_repetitions 7 is not a multiple of end_repetitions_per_chunk 15"),
    ("dissimilarity/interface", {"shape": [2, 3], "outputs": 9}, "shape [2, 3] must be [numbers] or [channels,"),
    ("dissimilarity/interface", {"shape": [9], "picture": [1, 4, 4], "outputs": 9}, "picture [1, 4, 4] must fit"),
    ("dissimilarity/interface", {"shape": [9]}, "at dissimilarity.interface: the key 'outputs' is missing"),
    ("dissimilarity/landmarks", {}, "landmarks need either count or names"),
    ("dissimilarity/landmarks", {"names": ["wine", "wine"]}, "must be at least one domain, each named once"),
    ("dissimilarity/landmarks", {"count": 1, "residual": "none"}, "no intervals of completed pairs are known"),
    ("dissimilarity/landmarks", {"names": ["digit"]}, "'digit' is no domain of the suite (did you mean 'digits'?)"),
    ("space/dimensions", 0, "dimensions is 0, it must be 'share', 'noise', 'all' or 1 or more"),
    ("space/dimensions", 50, "space.dimensions is 50, but the suite has 6 domains, which span at most 6; take 'share'"),
    ("space/dimensions", "aut", "must be a whole number or 'share', 'noise' or 'all' (given: 'aut')"),
    ("agents/networks", [{"name": "a", "layers": 0, "width": 2}] * 2, "agent 'a' is named twice"),
    ("agents/networks", [{"name": "a/b", "layers": 0, "width": 2}], "agent name 'a/b' must be letters"),
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


leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
anything = st.recursive(leaf, lambda x: st.lists(x, max_size=2) | st.dictionaries(st.text(max_size=5), x, max_size=2))


def _places(node: object, place: str = "") -> list[str]:
    if not isinstance(node, dict):
        return []
    return [f"{place}{key}" for key in node] + [p for key in node for p in _places(node[key], f"{place}{key}/")]


@settings(max_examples=100, deadline=None)
@given(place=st.sampled_from(_places(QUICKSTART)), value=anything)
def test_whatever_is_put_anywhere_is_accepted_or_one_sentence(place, value):
    with contextlib.suppress(ConfigurationError):
        assert parse(changed(place, value)) is not None
        return
    refusal(changed(place, value))


# ---- YAML files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"- 1\n", "must be a mapping of keys, not list"),
        (b"a: [1\n", "is not valid YAML"),
        (b"a: \xff\n", "is not valid YAML"),
        (b"a: 2025-13-45\n", "is not valid YAML"),
        (b"seed: 1\nname: a\nseed: 2\n", "the key 'seed' occurs twice"),
        (b"domains: {a: 1, b: 2, a: 3}\n", "the key 'a' occurs twice"),
        (b"a: !!python/object/apply:os.getcwd []\n", "is not valid YAML"),
        (b"sed: 1\n", "unknown key 'sed'"),
        (b"a: " + b"[" * 3000 + b"]" * 3000, "is nested too deeply"),
        (b"a: " + b"{b: " * 3000 + b"}" * 3000, "is nested too deeply"),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path: Path, content: bytes, sentence: str):
    path = tmp_path / "c.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError) as error:
        load(path)
    assert sentence in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [[1], {"a": 1}, None, 3])
def test_a_measure_that_is_no_word_is_one_sentence(value: object):
    with pytest.raises(ConfigurationError, match=r"^c\.yaml: measure is .*; allowed are aiq, "):
        parse_any({"measure": value}, "c.yaml")


def test_a_missing_file_is_one_sentence(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"there is no configuration .*none.yaml; aiq init NAME writes"):
        load(tmp_path / "none.yaml")


def test_anchors_and_merges_work(tmp_path: Path):
    text = (ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8")
    text = text.replace("\ntraining:\n", "\ntraining: &how\n")
    start = text.index("  training:\n    epochs")
    text = text[:start] + "  training: {<<: *how, epochs: 5}\n\n" + text[text.index("agents:") :]
    (tmp_path / "c.yaml").write_text(text)
    found = load(tmp_path / "c.yaml")
    assert found.dissimilarity.training.epochs == 5
    assert found.dissimilarity.training.optimizer == found.training.optimizer


# ---- values ---------------------------------------------------------------------------------------


def test_numbers_that_yaml_reads_as_text_are_numbers():
    assert parse(changed("training/optimizer/learning_rate", "1e-3")).training.optimizer.learning_rate == 0.001
    assert parse(changed("training/epochs", "12")).training.epochs == 12


def test_a_dumped_configuration_is_the_same_configuration():
    found = parse(QUICKSTART)
    assert parse(found.model_dump(mode="json")) == found
    validator().validate(found.model_dump(mode="json"))


def test_proportions_by_number_and_by_list_are_the_same():
    tenths = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    assert (
        parse(changed("dissimilarity/proportions", tenths)).dissimilarity.points
        == parse(QUICKSTART).dissimilarity.points
    )


def test_agents_train_as_the_pool_unless_told_otherwise():
    assert parse(QUICKSTART).agent_training == parse(QUICKSTART).training
    other = {"epochs": 1, "batch_size": 2, "optimizer": {"name": "sgd", "learning_rate": 1}}
    assert parse(changed("agents/training", other)).agent_training.epochs == 1


# ---- fingerprints ---------------------------------------------------------------------------------


def test_a_fingerprint_ignores_order_defaults_and_spelling_of_numbers():
    def of(**keys):
        return fingerprint(Sklearn(source="sklearn", name="digits", **keys))

    assert of() == of(noise=0) == of(noise=0.0) == of(duplicate=1.0) == of(classes=None)
    assert len({of(), of(noise=1), of(classes=3), of(classes=[0, 1, 2]), of(limit=3), of(classes={"random": 3})}) == 6
    settings = parse(QUICKSTART)
    assert fingerprint(settings) == fingerprint(parse(dict(reversed(QUICKSTART.items()))))
    assert len(fingerprint(settings)) == 16


def test_a_fingerprint_tells_parts_apart():
    assert (
        len({fingerprint(*p) for p in [("a", "b"), ("ab",), (["a", "b"],), ("b", "a"), (1,), ("1",), (1.0,), (None,)]})
        == 8
    )
    with pytest.raises(ValueError, match="JSON"):
        fingerprint(NAN)


@settings(max_examples=40, deadline=None)
@given(place=st.sampled_from([p for p in _places(QUICKSTART) if p.count("/") <= 2]), value=anything)
def test_equal_configurations_have_equal_fingerprints_and_no_others(place, value):
    try:
        other = parse(changed(place, value))
    except ConfigurationError:
        return
    assert (fingerprint(other) == fingerprint(parse(QUICKSTART))) == (other == parse(QUICKSTART))


# ---- sentences ------------------------------------------------------------------------------------


def test_did_you_mean_names_close_words_only():
    assert did_you_mean("seet", ["seed", "size"]) == " (did you mean 'seed'?)"
    assert did_you_mean("xyz", ["seed", "size"]) == ""
    assert did_you_mean("seed", []) == ""


def test_choice_names_all_that_is_allowed():
    assert choice("source", "npy", ["npz", "sklearn"]) == (
        "source is 'npy' (did you mean 'npz'?); allowed are npz, sklearn"
    )
    assert choice("size", 3, iter(["a", "b"])) == "size is 3; allowed are a, b"
    assert Configuration.model_fields["seed"].is_required()


@pytest.mark.parametrize(
    ("key", "value"),
    [("end_repetitions", 15), ("end_repetitions_per_chunk", 3), ("interface", {"shape": [9], "outputs": 9})],
)
def test_what_goes_with_ends_of_domains_is_refused_with_ends_of_pairs(key, value):
    raw = changed("dissimilarity/ends", "pair")
    raw["dissimilarity"][key] = value
    assert f"{key} goes with ends: domain, but ends is pair; leave it out" in refusal(raw)
    raw["dissimilarity"].pop(key)
    raw["dissimilarity"]["controls"] = True
    assert "controls go with ends: domain, but ends is pair" in refusal(raw)


def of_domains(count: int, **dissimilarity) -> dict:
    """The quickstart with so many domains."""
    raw = copy.deepcopy(QUICKSTART)
    raw["domains"] = {f"d{k}": {"source": "sklearn", "name": "digits", "limit": 100 + k} for k in range(count)}
    raw["dissimilarity"] |= dissimilarity
    return raw


@pytest.mark.parametrize(
    ("repetitions", "together", "few", "many"),
    [(5, 5, (5, 5), (3, 3)), (10, 5, (10, 5), (6, 3)), (10, 10, (10, 10), (6, 6)), (3, 3, (3, 3), (2, 2)),
     (3, 1, (3, 1), (2, 1)), (2, 2, (2, 2), (2, 2)), (1, 1, (1, 1), (1, 1)), (4, 2, (4, 2), (3, 1))],
)  # fmt: skip
def test_from_eight_domains_on_controls_are_three_fifths_of_the_repetitions(repetitions, together, few, many):
    how = {"repetitions": repetitions, "repetitions_per_chunk": together}
    for count, expected in ((7, few), (8, many), (40, many)):
        c = parse(of_domains(count, **how))
        assert (c.control_repetitions, c.controls_together) == expected
        assert c.control_chunks * c.controls_together == c.control_repetitions
    without = parse(of_domains(8, **how, controls=False))
    assert (without.control_repetitions, without.controls_together) == few


@pytest.mark.parametrize(("number", "together"), [(2, 2), (4, 4), (5, 5), (7, 1), (10, 5), (15, 5)])
def test_a_stated_number_of_controls_holds_for_any_number_of_domains(number, together):
    for count in (2, 8):
        c = parse(of_domains(count, control_repetitions=number))
        assert (c.control_repetitions, c.controls_together) == (number, together)


@pytest.mark.parametrize("number", [1, 0, -3])
def test_a_control_that_is_not_repeated_is_refused(number):
    sentence = refusal(of_domains(3, control_repetitions=number))
    assert f"control_repetitions is {number}, but the intervals of starvation and transfer need 2 trainings" in sentence


def test_a_number_of_controls_goes_with_controls():
    for how in ({"controls": False}, {"ends": "pair"}):
        sentence = refusal(of_domains(3, control_repetitions=4, **how))
        assert "dissimilarity.control_repetitions is 4, but no controls are trained; leave it out" in sentence
    for wrong in ("many", 2.5, None):
        sentence = refusal(of_domains(3, control_repetitions=wrong))
        assert "dissimilarity.control_repetitions: must be a whole number or 'auto'" in sentence
    assert "control_repetitions is True, it cannot be" in refusal(of_domains(3, control_repetitions=True))


def test_ends_and_controls_by_default():
    found = parse(QUICKSTART).dissimilarity
    assert (found.ends, found.ends_together, found.ends_trained, found.end_chunks) == ("domain", 15, 15, 1)
    assert found.trained_points == found.points[1:-1]
    assert found.shares == tuple(k / 10 for k in range(1, 10))
    assert parse(QUICKSTART).controls
    uneven = parse(changed("dissimilarity/proportions", [0, 0.2, 0.5, 1])).dissimilarity
    assert uneven.shares == (0.2, 0.5, 0.8)
    pairs = parse(changed("dissimilarity/ends", "pair"))
    assert (pairs.controls, pairs.dissimilarity.ends_trained) == (False, 0)
    assert pairs.dissimilarity.trained_points == pairs.dissimilarity.points
    more = parse({**QUICKSTART, "dissimilarity": {**QUICKSTART["dissimilarity"], "end_repetitions_per_chunk": 4}})
    assert (more.dissimilarity.ends_trained, more.dissimilarity.end_chunks) == (16, 4)


def test_a_name_with_a_line_break_is_refused_in_one_line():
    raw = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
    raw["domains"] = {"a\nb": {"source": "sklearn"}}
    with pytest.raises(ConfigurationError, match="the key 'name' is missing") as refused:
        parse(raw)
    assert "\n" not in str(refused.value)


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


def test_distances_by_transfer_need_no_controls_where_they_cancel():
    raw = changed("space/distance", "transfer")
    assert parse(raw).space.distance == "transfer"
    for place, value in (("dissimilarity/controls", False), ("dissimilarity/labels", "told")):
        raw = changes.changed_at(raw, place, value)
    assert not parse(raw).controls
