"""Spaces and scores from tables: standard errors, wide tables, warnings, what takes long."""

import io
import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from command_line import SPACE, Aiq, C, made, refused

from aiq.errors import InputError
from aiq.measures import quotient
from aiq.records.space import Space
from aiq.storage import read_result
from aiq.tables import scores as scored

CSE = "domain,complexity,se\nA,8,0.1\nB,7,0.1\nC,6,0.1\nD,7.5,0.1\n"
DSE = (
    "a,b,dissimilarity,se\nA,A,0.001,0.001\nA,B,0.02,0.001\nA,C,0.018,0.001\nA,D,0.012,0.001\n"
    "B,C,0.014,0.001\nB,D,0.011,0.001\nC,D,0.016,0.001\n"
)
WIDE = "agent,A,B,C,D,repetition\nx,.9,.8,.7,.9,0\nx,.92,.78,.7,.9,1\ny,.7,.9,.6,.7,0\ny,.74,.88,.63,.71,1\n"


def built_with_errors(aiq: Aiq, *more: str, c: str = CSE, d: str = DSE):
    return aiq(*SPACE, "-o", "s.h5", *more, c_csv=c, d_csv=d)


def test_space_takes_standard_errors_and_says_how_probable_its_dimensions_are(aiq: Aiq):
    found = json.loads(built_with_errors(aiq, "--length", "complexity", "--json")[1])
    assert sum(found["dimension_probabilities"].values()) == pytest.approx(1)
    assert found["dimensions"] == 3
    assert found["vanished"] == []
    assert found["warnings"] == []
    assert "probability" in built_with_errors(aiq)[1]
    exact = built_with_errors(aiq, c="\n".join(line.rsplit(",", 1)[0] for line in CSE.splitlines()))
    assert "warning: without standard errors of the complexities" in exact[1]


def test_a_signed_area_below_zero_needs_its_error(aiq: Aiq):
    below = DSE.replace("A,D,0.012", "A,D,-0.0002")
    assert built_with_errors(aiq, d=below)[0] == 0
    plain = "\n".join(line.rsplit(",", 1)[0] for line in below.splitlines())
    refused(built_with_errors(aiq, d=plain), "A and D", "-0.0002", "se")
    refused(built_with_errors(aiq, d=DSE.replace("0.012,0.001", "0.012,-1")), "line 5", "se is -1")


def test_scoring_imports_sixty_modules_at_most(aiq: Aiq):
    built_with_errors(aiq)
    Path("w.csv").write_text(WIDE, encoding="utf-8")
    code = (
        "import sys; from aiq.cli.main import main; main(['score', 's.h5', 'w.csv']); "
        "print(sum(name.split('.')[0] == 'aiq' for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert int(done.stdout.split()[-1]) <= 60


def test_a_wide_table_scores_as_the_long_one(aiq: Aiq):
    built_with_errors(aiq)
    long = pd.read_csv(io.StringIO(WIDE)).melt(["agent", "repetition"], var_name="domain", value_name="performance")
    wide = made(aiq("score", "s.h5", "w.csv", "--json", w_csv=WIDE))
    assert wide == made(aiq("score", "s.h5", "l.csv", "--json", l_csv=long.to_csv(index=False)))
    first, last = wide["agents"]
    assert first["interval"][0] < first["value"] < first["interval"][1]
    assert first["per_dimension_interval"][0] <= first["per_dimension"] <= first["per_dimension_interval"][1]
    assert first["relative"] == pytest.approx(first["per_dimension"] ** 3)
    assert first["by_dimensions"]["3"] == pytest.approx(first["relative"])
    assert 0.5 < first["order"] <= 1
    assert last["order"] is None
    assert first["geometric_mean"] < first["mean"]
    assert wide["simplex"] is False
    assert isinstance(wide["warnings"], list)


def test_a_wide_table_is_refused_like_a_long_one(aiq: Aiq):
    built_with_errors(aiq)
    refused(aiq("score", "s.h5", "-", stdin="agent,A,B,C\nx,1,1,1\n"), "performance on the test 'D'")
    refused(aiq("score", "s.h5", "-", stdin="agent,A,B,C,D\nx,1,1,1,2\n"), "line 2", "2")
    refused(aiq("score", "s.h5", "-", stdin="agent,A,B,C,D\nx,1,1,1,1\nx,1,1,1,1\n"), "twice")
    more = json.loads(aiq("score", "s.h5", "-", "--json", stdin="agent,A,B,C,D,E\nx,1,1,1,1,1\n")[1])
    assert "tests that the space does not have were left out: E" in more["warnings"]


def test_the_screen_says_what_the_numbers_do_not_show(aiq: Aiq):
    built_with_errors(aiq)
    shown = aiq("score", "s.h5", "-", stdin="agent,A,B,C,D\nx,.9,.8,.7,.9\ny,1,1,1,1\n")[1]
    assert "AIQ per dimension" in shown
    assert "given d = 3" in shown
    assert "geometric mean" in shown
    assert "warning: no agent has more than one repetition" in shown
    assert "is a point" in shown


def test_a_simplex_is_said_in_plain_words(aiq: Aiq):
    apart = "a,b,dissimilarity\nA,B,0.1\nC,A,0.1\nB,C,0.1\n"
    aiq(*SPACE, "-o", "s.h5", c_csv=C, d_csv=apart)
    given = "agent,A,B,C\nx,.9,.8,.7\n"
    found = json.loads(aiq("score", "s.h5", "-", "--json", stdin=given)[1])
    assert found["simplex"]
    assert found["agents"][0]["per_dimension"] == pytest.approx(found["agents"][0]["geometric_mean"])
    words = "here AIQ per dimension is the geometric mean of the performances"
    assert words in " ".join(aiq("score", "s.h5", "-", stdin=given)[1].split())


def test_relative_excess_may_be_zero_under_either_name(aiq: Aiq):
    zero = "domain,complexity,se\nA,0.8,0.1\nB,0.7,0.1\nC,0,0.01\nD,0.75,0.1\n"
    refused(built_with_errors(aiq, c=zero), "'C' is 0.0", "above 0")
    for text in (zero, zero.replace("complexity", "relative_excess")):
        found = json.loads(built_with_errors(aiq, "--json", "--length", "relative_excess", c=text)[1])
        assert found["length"] == "relative_excess"
        assert any("C: length 0" in sentence for sentence in found["warnings"])


@pytest.mark.parametrize("name", ["complexity", "relative_excess"])
@pytest.mark.parametrize("value", ["1.01", "-0.1"])
def test_a_relative_excess_lies_from_0_to_1(aiq: Aiq, name: str, value: str):
    text = f"domain,{name}\nA,0.5\nB,1\nC,{value}\nD,0\n"
    done = built_with_errors(aiq, "--length", "relative_excess", c=text)
    refused(done, "c.csv line 4", f"relative excess is {value}", "[0, 1]")
    assert built_with_errors(aiq, "--length", "relative_excess", c=text.replace(value, "0.2"))[0] == 0


# ---- scores that take long -----------------------------------------------------------------------


def many(count: int) -> dict[str, str]:
    """Tables of so many domains in general position, of two agents, and of two with repetitions or standard errors."""
    rng = np.random.default_rng(0)
    points = np.abs(rng.normal(size=(count, 12)))
    points /= np.linalg.norm(points, axis=1)[:, None]
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) / 2
    pairs = [f"D{i},D{j},{apart[i, j]}\n" for i in range(count) for j in range(i + 1, count)]
    rows = [f"{agent},D{i},{rng.uniform(0.5, 1)}" for agent in "xy" for i in range(count)]
    return {
        "c_csv": "domain,complexity\n" + "".join(f"D{i},{rng.uniform(5, 10)}\n" for i in range(count)),
        "d_csv": "a,b,dissimilarity\n" + "".join(pairs),
        "p_csv": "agent,domain,performance\n" + "".join(f"{row}\n" for row in rows),
        "r_csv": "agent,domain,performance,repetition\n" + "".join(f"{row},{k}\n" for row in rows for k in (1, 2)),
        "e_csv": "agent,domain,performance,se\n" + "".join(f"{row},0.01\n" for row in rows),
    }


@pytest.mark.parametrize(
    ("table", "words"),
    [("p.csv", "facets to list; this may"), ("r.csv", "in 168 replicates; this"), ("e.csv", "in 168 replicates; this")],
)
def test_scores_that_take_long_say_so_before_they_are_computed(aiq: Aiq, monkeypatch, table: str, words: str):
    space = (*SPACE, "--dimensions", "12", "-o", "s.h5")
    assert aiq(*space, **many(60))[0] == 0

    monkeypatch.setattr(quotient, "score", Mock(side_effect=InputError("enough")))
    status, out, err = aiq("score", "s.h5", table, "--json")
    told, refusal = err.splitlines()
    assert (status, out, refusal) == (2, "", "aiq: enough")
    assert told.startswith("scoring 2 agents: 3 hulls of 60 domains in 12 dimensions are sampled")
    assert words in told
    assert " min" in told


@pytest.mark.parametrize("repeated", [False, True])
def test_scores_that_are_computed_at_once_say_nothing(aiq: Aiq, repeated: bool):
    built_with_errors(aiq)
    assert aiq("score", "s.h5", "w.csv", "--json", w_csv=WIDE)[2] == ""
    assert scored.said(read_result("s.h5", "space", Space), 50, repeated) == ""
