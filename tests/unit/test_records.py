"""Records refuse what cannot be, and tell themselves in JSON."""

import dataclasses
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq.records import Estimate
from aiq.records.interface import ControlInterface, Interface
from aiq.records.table import Table
from aiq.records.trial import AloneResult, Architecture, MixtureResult, Policy, Trial

NAN = math.nan
TRIAL = {
    "policy": Policy(Architecture("dense", (2,)), 0), "performance": 0.5, "parameters": 9, "compressed": 8,
    "epochs": 1, "seconds": 0.1, "status": "finished", "losses": (1.0,),
}  # fmt: skip
MIXTURE = {
    "proportion": 0.25, "repetition": 0, "first": 0.8, "second": 0.4, "parameters": 9, "seconds": 0.1,
    "status": "finished",
}  # fmt: skip


# ---- estimate -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"n": -1}, "cannot rest on -1 units"),
        ({"confidence": 0}, "outside"),
        ({"confidence": 1}, "outside"),
        ({"confidence": NAN}, "outside"),
        ({"interval": (2.0, 1.0)}, "not ordered"),
        ({"interval": (NAN, 1.0)}, "not ordered"),
        ({"interval": (1.0, NAN)}, "not ordered"),
    ],
)
def test_an_impossible_estimate_is_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        Estimate(**{"value": 1.0, "interval": (0.0, 2.0), "n": 3, "method": "by hand", **change})


def test_an_estimate_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Estimate(1.0, None, 3, "by hand").value = 2.0


numbers = st.floats(-1e9, 1e9)


@given(numbers, st.none() | st.tuples(numbers, numbers).map(sorted).map(tuple), st.integers(0, 99), st.text(max_size=5))
def test_an_estimate_tells_all_its_fields_in_json(value, interval, n, method):
    record = Estimate(value, interval, n, method, 7, 0.9)
    told = json.loads(json.dumps(record.as_dict()))
    assert set(told) == {field.name for field in dataclasses.fields(Estimate)}
    told["interval"] = None if told["interval"] is None else tuple(told["interval"])
    assert Estimate(**told) == record


def test_an_estimate_without_a_value_is_valid_json():
    told = json.dumps(Estimate(NAN, None, 0, "nothing").as_dict(), allow_nan=False)
    assert json.loads(told)["value"] is None


# ---- table --------------------------------------------------------------------------------------


def test_a_table_has_columns_by_name():
    table = Table.of(["a", "b"], [[1, "x"], [None, "y"]])
    assert table.column("b") == ["x", "y"]
    assert table.rows == ((1, "x"), (None, "y"))
    assert Table.of(["a"], []).column("a") == []


@pytest.mark.parametrize(
    ("columns", "rows", "sentence"),
    [(["a", "a"], [], "not unique"), (["a"], [[1, 2]], "does not fit"), (["a", "b"], [[1, 2], [1]], "does not fit")],
)
def test_a_ragged_table_is_refused(columns, rows, sentence):
    with pytest.raises(ValueError, match=sentence):
        Table.of(columns, rows)


def test_an_unknown_column_is_named():
    with pytest.raises(ValueError, match="no column 'c'"):
        Table.of(["a", "b"], []).column("c")


# ---- trials -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "widths", "nodes"),
    [("dense", (0,), 0), ("dense", (3, -1), 0), ("convolutional", (), 9), ("convolutional", (3,), 0)],
)
def test_an_impossible_architecture_is_refused(family, widths, nodes):
    with pytest.raises(ValueError, match=r"empty layer|convolution"):
        Architecture(family, widths, nodes)


def test_a_linear_classifier_has_no_hidden_layer():
    assert Architecture("dense", ()).widths == ()


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_out_of_range_is_refused(seed):
    with pytest.raises(ValueError, match="seed"):
        Policy(Architecture("dense", ()), seed)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"performance": NAN}, "does not go with status finished"),
        ({"status": "diverged"}, "does not go with status diverged"),
        ({"status": "failed"}, "does not go with status failed"),
        ({"status": "lost"}, "status"),
        ({"performance": 1.01}, "outside"),
        ({"performance": -0.01}, "outside"),
        ({"performance": math.inf}, "outside"),
        ({"parameters": 0}, "parameters"),
        ({"compressed": -1}, "compressed"),
        ({"epochs": -1}, "epochs"),
        ({"seconds": -1.0}, "seconds"),
        ({"seconds": NAN}, "seconds"),
    ],
)
def test_an_impossible_trial_is_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        Trial(**{**TRIAL, **change})


@pytest.mark.parametrize("status", ["diverged", "failed"])
def test_a_lost_trial_has_no_performance(status):
    assert math.isnan(Trial(**{**TRIAL, "status": status, "performance": NAN}).performance)


def test_a_trial_has_as_many_bytes_as_its_float32_weights():
    assert Trial(**TRIAL).bytes == 36


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"proportion": 1.1}, "proportion"),
        ({"proportion": NAN}, "proportion"),
        ({"repetition": -1}, "repetition"),
        ({"first": 1.1}, "outside"),
        ({"second": -0.1}, "outside"),
        ({"first": NAN}, "does not go with status finished"),
        ({"status": "diverged"}, "does not go with status diverged"),
        ({"status": "failed", "first": NAN}, "does not go with status failed"),
        ({"first_told": 1.1}, "outside"),
        ({"second_told": NAN}, "does not go with status finished"),
        ({"parameters": 0}, "parameters"),
        ({"seconds": -1.0}, "seconds"),
    ],
)
def test_an_impossible_mixture_is_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        MixtureResult(**{**MIXTURE, **change})


def test_the_performance_of_a_mixture_is_that_of_equation_8():
    assert MixtureResult(**MIXTURE).performance == pytest.approx(0.25 * 0.8 + 0.75 * 0.4)
    lost = MixtureResult(**{**MIXTURE, "status": "diverged", "first": NAN, "second": NAN})
    assert math.isnan(lost.performance)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_performance_of_a_mixture_lies_between_its_parts(proportion, first, second):
    found = MixtureResult(**{**MIXTURE, "proportion": proportion, "first": first, "second": second}).performance
    assert min(first, second) - 1e-12 <= found <= max(first, second) + 1e-12


def test_a_mixture_told_is_scored_by_equation_8_too():
    assert MixtureResult(**MIXTURE).told is None
    told = MixtureResult(**MIXTURE, first_told=1.0, second_told=0.5)
    assert told.told == pytest.approx(0.25 * 1.0 + 0.75 * 0.5)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"proportion": 0.0}, "proportion"),
        ({"samples": 0}, "samples"),
        ({"performance": NAN}, "does not go with status finished"),
        ({"told": 1.5}, "outside"),
        ({"status": "failed"}, "does not go with status failed"),
        ({"repetition": -1}, "repetition"),
    ],
)
def test_an_impossible_domain_alone_is_refused(change, sentence):
    values = {"proportion": 0.5, "repetition": 0, "samples": 9, "performance": 0.5, "told": None, "parameters": 3}
    with pytest.raises(ValueError, match=sentence):
        AloneResult(**(values | {"seconds": 0.1, "status": "finished"} | change))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (((), None, 3, 9), "no network has"),
        (((4,), None, 0, 9), "no network has"),
        (((4,), (1, 3, 3), 2, 9), "do not fit"),
        (((1, 4, 4), (1, 3, 3), 2, 9), "do not fit"),
    ],
)
def test_an_impossible_interface_is_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        Interface(*arguments)


def test_an_impossible_interface_of_control_domains_is_refused():
    with pytest.raises(ValueError, match="no agent has"):
        ControlInterface(4, 2, 0.0)
