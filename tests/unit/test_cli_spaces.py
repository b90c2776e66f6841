"""Spaces and scores from tables: standard errors, transfer, wide tables, landmarks, what tells little or takes long."""

import io
import json
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from command_line import SPACE, Aiq, record, refused

from aiq.errors import InputError
from aiq.measures import dissimilarity, quotient
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
    space = record(built_with_errors(aiq, "--length", "complexity", "--json"))
    assert sum(space["dimension_probabilities"].values()) == pytest.approx(1)
    assert (space["dimensions"], space["vanished"], space["warnings"]) == (3, [], [])
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
    wide = record(aiq("score", "s.h5", "w.csv", "--json", w_csv=WIDE))
    assert wide == record(aiq("score", "s.h5", "l.csv", "--json", l_csv=long.to_csv(index=False)))
    first, last = wide["agents"]
    assert first["interval"][0] < first["value"] < first["interval"][1]
    assert first["per_dimension_interval"][0] <= first["per_dimension"] <= first["per_dimension_interval"][1]
    assert first["relative"] == pytest.approx(first["per_dimension"] ** 3)
    assert first["by_dimensions"]["3"] == pytest.approx(first["relative"])
    assert 0.5 < first["order"] <= 1
    assert last["order"] is None
    assert first["geometric_mean"] < first["mean"]
    assert wide["simplex"] is False


def test_the_screen_says_what_the_numbers_do_not_show(aiq: Aiq):
    built_with_errors(aiq)
    out = aiq("score", "s.h5", "-", stdin="agent,A,B,C,D\nx,.9,.8,.7,.9\ny,1,1,1,1\n")[1]
    for words in ("AIQ per dimension", "given d = 3", "geometric mean", "one repetition", "is a point"):
        assert words in out


def test_relative_excess_may_be_zero_under_either_name(aiq: Aiq):
    zero = "domain,complexity,se\nA,0.8,0.1\nB,0.7,0.1\nC,0,0.01\nD,0.75,0.1\n"
    refused(built_with_errors(aiq, c=zero), "'C' is 0.0", "above 0")
    for text in (zero, zero.replace("complexity", "relative_excess")):
        space = json.loads(built_with_errors(aiq, "--json", "--length", "relative_excess", c=text)[1])
        assert space["length"] == "relative_excess"
        assert any("C: length 0" in sentence for sentence in space["warnings"])


@pytest.mark.parametrize("name", ["complexity", "relative_excess"])
@pytest.mark.parametrize("value", ["1.01", "-0.1"])
def test_a_relative_excess_lies_from_0_to_1(aiq: Aiq, name: str, value: str):
    text = f"domain,{name}\nA,0.5\nB,1\nC,{value}\nD,0\n"
    done = built_with_errors(aiq, "--length", "relative_excess", c=text)
    refused(done, "c.csv line 4", f"relative excess is {value}", "[0, 1]")
    assert built_with_errors(aiq, "--length", "relative_excess", c=text.replace(value, "0.2"))[0] == 0


# ---- distances by transfer -----------------------------------------------------------------------

LENGTHS = "domain,complexity,se\nA,1,0.01\nB,0.9,0.01\nC,0.8,0.01\n"
AREA = np.array([[-0.25, -0.05, -0.15], [-0.05, -0.17, -0.15], [-0.15, -0.15, -0.18]])


def table(se: str = ",0.001", name: str = "transfer") -> str:
    rows = [f"{a},{b},{AREA[i, j]}{se}" for i, a in enumerate("ABC") for j, b in enumerate("ABC") if i <= j]
    return "\n".join([f"a,b,{name}{',se' if se else ''}", *rows]) + "\n"


def test_a_table_of_transfer_areas_makes_a_space_that_says_so(aiq: Aiq):
    for name in ("transfer", "dissimilarity"):
        status, said, err = aiq(*SPACE, "--distance", "transfer", c_csv=LENGTHS, d_csv=table(name=name))
        assert (status, err) == (0, "")
        assert "warning: distances are by transfer" in said
        assert "self-pair" not in said


def test_the_geometry_is_that_of_the_areas(aiq: Aiq):
    words = (*SPACE, "--distance", "transfer", "--json")
    space = record(aiq(*words, "--dimensions", "2", c_csv=LENGTHS, d_csv=table()))
    assert space["distance"] == "transfer"
    expected = dissimilarity.transfer_geometry(AREA, np.full((3, 3), 0.001)).distances
    gram = 1 - (expected / expected.max()) ** 2  # the largest becomes a right angle
    np.testing.assert_allclose(space["spectrum"][:2], np.linalg.eigvalsh(gram)[::-1][:2], atol=1e-9)
    assert record(aiq(*words))["dimension_probabilities"]
    alone = record(aiq(*words, d_csv=table(se="")))
    assert any("no interval carries their uncertainty" in s for s in alone["warnings"])


WHOLE = table()
LACKING = {
    "lacks the pair B, B; distances by transfer need every domain with itself": (re.sub("B,B.*\n", "", WHOLE), ()),
    "lacks the pair A, C; measure it": (re.sub("A,C.*\n", "", WHOLE), ()),
    "line 2: se of A and A is empty": (WHOLE.replace("A,A,-0.25,0.001", "A,A,-0.25,"), ()),
    "nothing to complete": (WHOLE, ("--landmarks",)),
    "lacks the column 'dissimilarity'": (WHOLE, ("--distance", "departure")),
    "se is -0.001": (table(se=",-0.001"), ()),
}


@pytest.mark.parametrize("words", LACKING)
def test_what_transfer_lacks_is_one_sentence(aiq: Aiq, words: str):
    given, more = LACKING[words]
    refused(aiq(*SPACE, "--distance", "transfer", *more, c_csv=LENGTHS, d_csv=given), words)


# ---- input that tells little or nothing: one sentence, or an honest number -----------------------

DEPARTURES = "a,b,dissimilarity,se\nA,A,0.001,\nA,B,0.02,0.001\nA,C,0.018,0.001\nB,C,0.014,0.001\nC,C,0.001,0.002\n"


def test_a_domain_with_itself_may_be_without_standard_error(aiq: Aiq):
    assert "dimension" in aiq(*SPACE, c_csv=LENGTHS, d_csv=DEPARTURES)[1]
    words = "d.csv line 4: se of A and C is empty; only a domain with itself may be without one"
    refused(aiq(*SPACE, d_csv=DEPARTURES.replace("A,C,0.018,0.001", "A,C,0.018,")), words)
    refused(aiq(*SPACE, c_csv=LENGTHS.replace("A,1,0.01", "A,1,"), d_csv=DEPARTURES), "c.csv line 2: se is empty")


def test_without_self_pairs_the_space_says_so(aiq: Aiq):
    without = "".join(line for line in DEPARTURES.splitlines(keepends=True) if line[0] != line[2])
    status, out, _ = aiq(*SPACE, c_csv=LENGTHS, d_csv=without)
    assert status == 0
    assert "no self-pair is given" in out


def test_standard_errors_of_zero_and_below(aiq: Aiq):
    status, out, _ = aiq(*SPACE, c_csv=LENGTHS, d_csv=DEPARTURES.replace("0.02,0.001", "0.02,0"))
    assert status == 0
    assert "1 dissimilarity has a standard error of 0 and counts as known exactly" in out
    refused(aiq(*SPACE, d_csv=DEPARTURES.replace("0.02,0.001", "0.02,nan")), "'nan'")
    refused(aiq(*SPACE, c_csv=LENGTHS.replace("0.9,0.01", "0.9,-0.1"), d_csv=DEPARTURES), "se is -0.1")


@pytest.mark.parametrize("value", ["0", "0.02"])
def test_all_domains_alike_and_all_performances_1_or_0(aiq: Aiq, value: str):
    d = f"a,b,dissimilarity,se\nA,B,{value},0.001\nA,C,{value},0.001\nB,C,{value},0.001\n"
    assert aiq(*SPACE, "-o", "s.h5", c_csv=LENGTHS.replace("0.01", "0.1"), d_csv=d)[0] == 0
    for level in ("0", "1"):
        rows = "".join(f"me,{n},{level}\nyou,{n},{level}\n" for n in "ABC")
        status, out, err = aiq("score", "s.h5", "p.csv", "--json", p_csv=f"agent,domain,performance\n{rows}")
        assert status == 0, err
        for agent in json.loads(out)["agents"]:
            assert agent["per_dimension"] == pytest.approx(float(level), abs=1e-9)
        assert "the interval of me, you is a point" in aiq("score", "s.h5", "p.csv")[1]


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
    assert aiq(*SPACE, "--dimensions", "12", "-o", "s.h5", **many(60))[0] == 0
    monkeypatch.setattr(quotient, "score", Mock(side_effect=InputError("enough")))
    status, out, err = aiq("score", "s.h5", table, "--json")
    before, refusal = err.splitlines()
    assert (status, out, refusal) == (2, "", "aiq: enough")
    assert before.startswith("scoring 2 agents: 3 hulls of 60 domains in 12 dimensions are sampled")
    assert words in before
    assert " min" in before


@pytest.mark.parametrize("repeated", [False, True])
def test_scores_that_are_computed_at_once_say_nothing(aiq: Aiq, repeated: bool):
    built_with_errors(aiq)
    assert aiq("score", "s.h5", "w.csv", "--json", w_csv=WIDE)[2] == ""
    assert scored.said(read_result("s.h5", "space", Space), 50, repeated) == ""


# ---- from landmarks alone to scores --------------------------------------------------------------

TESTS = 12


@pytest.fixture
def tables(aiq: Aiq) -> np.ndarray:
    """Twelve tests in three dimensions, their complexities, and two agents; all pairs, returned as matrix."""
    rng = np.random.default_rng(3)
    points = np.abs(rng.normal(size=(TESTS, 3)))
    points[:3] = np.eye(3)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    matrix = 0.05 * np.sqrt(np.maximum(1 - points @ points.T, 0))
    lines = [f"t{i},{1 - 0.02 * i},0.02" for i in range(TESTS)]
    Path("c.csv").write_text("domain,complexity,se\n" + "\n".join(lines) + "\n", "utf-8")
    agents = [f"{a},t{i},{rng.uniform(low, 1):.3f}" for a, low in (("me", 0.5), ("you", 0.2)) for i in range(TESTS)]
    Path("p.csv").write_text("agent,domain,performance\n" + "\n".join(agents) + "\n", "utf-8")
    return matrix


def pairs(matrix: np.ndarray, at: list[int]) -> str:
    """The table of the pairs of some landmarks."""
    rows = [f"t{i},t{j},{matrix[i, j]:.6f},0.001" for i, j in combinations(range(TESTS), 2) if i in at or j in at]
    return "a,b,dissimilarity,se\n" + "\n".join(rows) + "\n"


def test_scores_from_landmarks_alone_are_those_of_all_pairs(tables, aiq: Aiq):
    at = [0]
    for _ in range(5):  # measured as they come: the answer is measured next
        found = record(aiq("landmarks", "d.csv", "--json", d_csv=pairs(tables, at)))
        assert found["landmarks"] == [f"t{i}" for i in sorted(at)]
        at = sorted([*at, int(found["domain"][1:])])

    def scores(*more: str, d: str) -> dict[str, dict]:
        assert aiq(*SPACE, "-o", "s.h5", "--dimensions", "3", *more, d_csv=d)[0] == 0
        return {one["agent"]: one for one in record(aiq("score", "s.h5", "p.csv", "--json"))["agents"]}

    part = scores("--landmarks", d=pairs(tables, at))
    whole = scores(d=pairs(tables, list(range(TESTS))))
    for name in whole:
        assert part[name]["per_dimension"] == pytest.approx(whole[name]["per_dimension"], abs=0.02)
        low, high = part[name]["per_dimension_interval"]
        assert low <= whole[name]["per_dimension"] <= high + 0.02
        assert part[name]["value"] == pytest.approx(whole[name]["value"], abs=0.02)
        assert part[name]["interval"][0] <= whole[name]["value"] <= part[name]["interval"][1]
    for interval in ("interval", "per_dimension_interval"):
        widths = [np.mean(np.ptp([one[interval] for one in found.values()], axis=1)) for found in (part, whole)]
        assert widths[0] > 0.9 * widths[1], interval  # what was not measured makes no interval narrow


def test_the_screen_says_how_far_completed_pairs_are_off(tables, aiq: Aiq):
    assert "at least three landmarks are needed" in aiq("landmarks", "d.csv", d_csv=pairs(tables, [0, 1]))[1]
    assert "completed pairs are off by about" in aiq("landmarks", "d.csv", d_csv=pairs(tables, [0, 1, 2, 3]))[1]


def test_a_table_without_landmarks_and_a_whole_one_are_refused(tables, aiq: Aiq):
    whole = pairs(tables, list(range(TESTS)))
    refused(aiq("landmarks", "d.csv", d_csv=whole), "holds every pair of its 12 domains; no landmark is needed")
    apart = "a,b,dissimilarity\nA,B,1\nC,D,1\n"
    refused(aiq("landmarks", "d.csv", d_csv=apart), "no domain is measured against all 3 others; measure one so first")


@pytest.mark.parametrize("row", ["B,A,.5", "A,B,.1", "A,A,.2"])
def test_a_pair_that_stands_twice_is_refused(aiq: Aiq, row):
    twice = f"a,b,dissimilarity\nA,A,.1\nA,B,.1\nA,C,.2\nA,D,.3\n{row}\n"
    refused(aiq("landmarks", "-", stdin=twice), "stands twice; keep one row of each pair")
