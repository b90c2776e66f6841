"""Records refuse what cannot be, and tell themselves in JSON."""

import dataclasses
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq.records.domains import ControlInterface, Interface
from aiq.records.estimate import Estimate
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
ALONE = {
    "proportion": 0.5, "repetition": 0, "samples": 9, "performance": 0.5, "told": None, "parameters": 3, "seconds": 0.1,
    "status": "finished",
}  # fmt: skip
ESTIMATE = {"value": 1.0, "interval": (0.0, 2.0), "n": 3, "method": "by hand"}
BAD_ESTIMATES = [
    ({"n": -1}, "cannot rest on -1 units"),
    ({"confidence": 0}, "outside"),
    ({"interval": (2.0, 1.0)}, "not ordered"),
    ({"interval": (1.0, NAN)}, "not ordered"),
]


# ---- estimate -----------------------------------------------------------------------------------


numbers = st.floats(-1e9, 1e9)


@given(numbers, st.none() | st.tuples(numbers, numbers).map(sorted).map(tuple), st.integers(0, 99), st.text(max_size=5))
def test_an_estimate_tells_all_its_fields_in_json(value, interval, n, method):
    record = Estimate(value, interval, n, method, 7, 0.9)
    told = json.loads(json.dumps(record.as_dict()))
    assert set(told) == {field.name for field in dataclasses.fields(Estimate)}
    told["interval"] = None if told["interval"] is None else tuple(told["interval"])
    assert Estimate(**told) == record
    assert Estimate(NAN, None, 0, "nothing").as_dict()["value"] is None  # JSON has no NaN


# ---- table --------------------------------------------------------------------------------------


def test_a_table_has_columns_by_name():
    table = Table.of(["a", "b"], [[1, "x"], [None, "y"]])
    assert table.column("b") == ["x", "y"]
    assert table.rows == ((1, "x"), (None, "y"))
    assert Table.of(["a"], []).column("a") == []
    with pytest.raises(ValueError, match="no column 'c'"):
        table.column("c")


@pytest.mark.parametrize(
    ("columns", "rows", "sentence"),
    [(["a", "a"], [], "not unique"), (["a"], [[1, 2]], "does not fit"), (["a", "b"], [[1, 2], [1]], "does not fit")],
)
def test_a_ragged_table_is_refused(columns, rows, sentence):
    with pytest.raises(ValueError, match=sentence):
        Table.of(columns, rows)


# ---- what cannot be -----------------------------------------------------------------------------


BAD_TRIALS = [
    ({"performance": NAN}, "does not go with status finished"),
    ({"status": "diverged"}, "does not go with status diverged"),
    ({"status": "lost"}, "status"),
    ({"performance": 1.01}, "outside"),
    ({"parameters": 0}, "parameters"),
    ({"compressed": -1}, "compressed"),
    ({"epochs": -1}, "epochs"),
    ({"seconds": -1.0}, "seconds"),
]
BAD_MIXTURES = [
    ({"proportion": 1.1}, "proportion"),
    ({"repetition": -1}, "repetition"),
    ({"first": 1.1}, "outside"),
    ({"status": "failed", "first": NAN}, "does not go with status failed"),
    ({"first_told": 1.1}, "outside"),
    ({"parameters": 0}, "parameters"),
]
BAD_ALONE = [
    ({"proportion": 0.0}, "proportion"),
    ({"samples": 0}, "samples"),
    ({"performance": NAN}, "does not go with status finished"),
    ({"told": 1.5}, "outside"),
    ({"repetition": -1}, "repetition"),
]
BAD_ARCHITECTURES = [
    ({"widths": (0,)}, "empty layer"),
    ({"family": "convolutional", "dense_nodes": 9}, "convolution"),
    ({"family": "convolutional", "widths": (3,)}, "convolution"),
]
BAD_INTERFACES = [
    ({"shape": ()}, "no network has"),
    ({"outputs": 0}, "no network has"),
    ({"picture": (1, 3, 3)}, "do not fit"),
    ({"shape": (1, 4, 4), "picture": (1, 3, 3)}, "do not fit"),
]
BAD = {
    Estimate: (ESTIMATE, BAD_ESTIMATES),
    Trial: (TRIAL, BAD_TRIALS),
    MixtureResult: (MIXTURE, BAD_MIXTURES),
    AloneResult: (ALONE, BAD_ALONE),
    Architecture: ({"family": "dense", "widths": ()}, BAD_ARCHITECTURES),
    Policy: ({"architecture": Architecture("dense", ())}, [({"seed": -1}, "seed"), ({"seed": 2**63}, "seed")]),
    Interface: ({"shape": (4,), "picture": None, "outputs": 3, "samples": 9}, BAD_INTERFACES),
    ControlInterface: ({"observations": 4, "actions": 2}, [({"spread": 0.0}, "no agent has")]),
}
"""Record -> fields of a good one, and what makes it impossible, with words of the refusal."""


@pytest.mark.parametrize(
    ("kind", "good", "change", "sentence"), [(kind, good, *bad) for kind, (good, cases) in BAD.items() for bad in cases]
)
def test_what_cannot_be_is_refused(kind, good, change, sentence):
    with pytest.raises(ValueError, match=sentence):
        kind(**{**good, **change})


# ---- trials and mixtures ------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["diverged", "failed"])
def test_a_lost_trial_has_no_performance_and_as_many_bytes_as_its_float32_weights(status):
    lost = Trial(**{**TRIAL, "status": status, "performance": NAN})
    assert math.isnan(lost.performance)
    assert lost.bytes == 36


def test_the_performance_of_a_mixture_is_that_of_equation_8():
    told = MixtureResult(**MIXTURE, first_told=1.0, second_told=0.5)
    assert told.told == pytest.approx(0.25 * 1.0 + 0.75 * 0.5)
    assert MixtureResult(**MIXTURE).told is None
    assert MixtureResult(**MIXTURE).performance == pytest.approx(0.25 * 0.8 + 0.75 * 0.4)
    lost = MixtureResult(**{**MIXTURE, "status": "diverged", "first": NAN, "second": NAN})
    assert math.isnan(lost.performance)
