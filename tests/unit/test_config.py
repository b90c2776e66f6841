"""Configurations: values and their fingerprints; generated schema and key tables are up to date."""

import functools
import math
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from configurations import QUICKSTART, ROOT, anything, changed, of_domains, places
from hypothesis import given, settings
from hypothesis import strategies as st

import changes
from aiq import config
from aiq.config import fingerprint, parse, read, schema
from aiq.config.__main__ import classes, main
from aiq.config.training import Adam, AdamW, Sgd
from aiq.domains.control.settings import Control, Drawn, Measured
from aiq.domains.family import Twinned
from aiq.domains.labelled.library_sets import Sklearn
from aiq.domains.labelled.settings import Labelled, OwnFiles
from aiq.domains.labelled.table import Tabled
from aiq.errors import ConfigurationError
from aiq.settings import validate
from aiq.wings.algorithmic.settings import Player
from aiq.wings.anytime.plan import Examined

FILES = sorted((ROOT / "config").glob("*.yaml"))  # experiments: tests/contracts/test_experiments.py
NAN = math.nan


# ---- files, schema, key tables --------------------------------------------------------------------


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    """What checks a configuration; the schema itself is checked below, once."""
    return jsonschema.Draft202012Validator(schema())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_parses_and_fits_the_schema(path: Path):
    parse(read(path), str(path))
    validator().validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def test_schema_and_key_tables_are_up_to_date_and_printed_by_the_command(capsys, monkeypatch):
    jsonschema.Draft202012Validator.check_schema(schema())
    for options, path in (([], "workflow/schemas/configuration.schema.json"), (["--readme"], "config/README.md")):
        monkeypatch.setattr(sys, "argv", ["aiq.config", *options])
        main()
        assert capsys.readouterr().out == (ROOT / path).read_text(encoding="utf-8"), f"make schema writes {path}"


def test_every_key_is_explained():
    for model in classes():
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name} has no description"


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
        config.base.Keeping,
        config.base.Calibration,  # of a file of its own
        config.base.Factors,
        config.training.Layered,
        OwnFiles,
        Twinned,
        config.measures.Curves,
        config.measures.OfSuites,
        config.measures.OfTables,
        config.measures.Quotient,
        Examined,
    }


# ---- values ---------------------------------------------------------------------------------------


def test_numbers_that_yaml_reads_as_text_are_numbers():
    assert parse(changed("training/optimizer/learning_rate", "1e-3")).training.optimizer.learning_rate == 0.001
    assert parse(changed("training/epochs", "12")).training.epochs == 12


def test_a_dumped_configuration_is_the_same_configuration():
    found = parse(QUICKSTART)
    assert parse(found.model_dump(mode="json")) == found
    validator().validate(found.model_dump(mode="json", exclude_computed_fields=True))


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
@given(place=st.sampled_from([p for p in places(QUICKSTART) if p.count("/") <= 2]), value=anything)
def test_equal_configurations_have_equal_fingerprints_and_no_others(place, value):
    try:
        other = parse(changed(place, value))
    except ConfigurationError:
        return
    assert (fingerprint(other) == fingerprint(parse(QUICKSTART))) == (other == parse(QUICKSTART))


# ---- sentences ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("repetitions", "together", "few", "many"),
    [(5, 5, (5, 5), (3, 3)), (10, 5, (10, 5), (6, 3)), (3, 1, (3, 1), (2, 1)), (1, 1, (1, 1), (1, 1))],
)
def test_from_eight_domains_on_controls_are_three_fifths_of_the_repetitions(repetitions, together, few, many):
    how = {"repetitions": repetitions, "repetitions_per_chunk": together}
    for count, expected in ((7, few), (8, many), (40, many)):
        c = parse(of_domains(count, **how))
        assert (c.control_repetitions, c.controls_together) == expected
        assert c.control_chunks * c.controls_together == c.control_repetitions
    without = parse(of_domains(8, **how, controls=False))
    assert (without.control_repetitions, without.controls_together) == few


def test_a_stated_number_of_controls_holds_for_any_number_of_domains():
    for number, together in ((2, 2), (7, 1), (10, 5)):
        c = parse(of_domains(8, control_repetitions=number))
        assert (c.control_repetitions, c.controls_together) == (number, together)


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


def test_distances_by_transfer_need_no_controls_where_they_cancel():
    raw = changed("space/distance", "transfer")
    assert parse(raw).space.distance == "transfer"
    for place, value in (("dissimilarity/controls", False), ("dissimilarity/labels", "told")):
        raw = changes.changed_at(raw, place, value)
    assert not parse(raw).controls


# ---- keys that are gone ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "words"),
    [
        (
            {"training": QUICKSTART["training"] | {"products": "bfloat16"}},
            r"training.* went in November 2026: all",
        ),
        ({"page": {"curves": 5}}, r"page: curves .* went in November 2026: .* leave the key out"),
        ({"quotient": {"prior_df": 2}}, r"quotient\.prior_df can be set no more: it is always 4\.0; leave"),
    ],
)
def test_a_key_that_is_gone_is_refused(section: dict, words: str):
    with pytest.raises(ConfigurationError, match=words):
        parse(QUICKSTART | section)


def test_a_dump_of_before_is_read_and_has_the_fingerprint_it_had():
    written = {"name": "adam", "learning_rate": 0.1, "betas": [0.9, 0.999], "epsilon": 1e-8}
    assert validate(Adam, written) == Adam(name="adam", learning_rate=0.1)
    assert fingerprint(validate(Adam, written)) == fingerprint(written)
    assert AdamW(name="adamw", learning_rate=0.1).model_dump(mode="json")["weight_decay"] == 0.01
    with pytest.raises(ConfigurationError, match=r"momentum can be set no more: it is always 0\.0"):
        validate(Sgd, {"name": "sgd", "learning_rate": 0.1, "momentum": 0.9})
    whole = parse(QUICKSTART)
    assert parse(whole.model_dump(mode="json")) == whole
