"""Input that tells little or nothing: one sentence, or an honest number; never an interval that is a point."""

import json

import pytest
from command_line import SPACE, Aiq, refused

C = "domain,complexity,se\nA,1,0.1\nB,0.9,0.1\nC,0.8,0.1\n"
D = "a,b,dissimilarity,se\nA,A,0.001,\nA,B,0.02,0.001\nA,C,0.018,0.001\nB,C,0.014,0.001\n"


def no_points(found: object) -> None:
    """No interval anywhere in a result has the same two ends."""
    if isinstance(found, dict):
        for key, value in found.items():
            if "interval" in key and isinstance(value, list) and len(value) == 2 and not isinstance(value[0], list):
                assert value[0] != value[1], (key, value)
            no_points(value)
    elif isinstance(found, list):
        for value in found:
            no_points(value)


def trials(performance: list[float], size: int = 10) -> str:
    rows = "".join(f"{size * (k + 1)},{v}\n" for k, v in enumerate(performance))
    return f"size,performance\n{rows}"


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_all_performances_alike(aiq: Aiq, level: float):
    status, out, err = aiq("complexity", "t.csv", "--json", t_csv=trials([level] * 8))
    assert (status, err) == (0, "")
    found = json.loads(out)
    no_points(found)
    expected = 0.0 if level else 29 / 30  # the lowest of 30 bins is reached by a performance of 0
    assert found["relative_excess"] == pytest.approx(expected)
    assert aiq("complexity", "t.csv")[0] == 0


def test_no_self_pairs(aiq: Aiq):
    without = "".join(line for line in D.splitlines(keepends=True) if not line.startswith("A,A"))
    status, out, _ = aiq(*SPACE, c_csv=C, d_csv=without)
    assert status == 0
    assert "no self-pair is given" in out


def test_standard_errors_of_zero_and_below(aiq: Aiq):
    status, out, _ = aiq(*SPACE, c_csv=C, d_csv=D.replace("0.02,0.001", "0.02,0"))
    assert status == 0
    assert "1 dissimilarity has a standard error of 0 and counts as known exactly" in out
    refused(aiq(*SPACE, c_csv=C, d_csv=D.replace("0.02,0.001", "0.02,-1")), "se is -1")
    refused(aiq(*SPACE, c_csv=C.replace("0.9,0.1", "0.9,-0.1"), d_csv=D), "se is -0.1")
    refused(aiq(*SPACE, c_csv=C, d_csv=D.replace("0.02,0.001", "0.02,nan")), "'nan'")
    refused(aiq(*SPACE, c_csv=C.replace("B,0.9", "B,nan"), d_csv=D), "'nan'")


@pytest.mark.parametrize("value", ["0", "0.02"])
def test_all_domains_alike_and_all_performances_1_or_0(aiq: Aiq, value: str):
    d = f"a,b,dissimilarity,se\nA,B,{value},0.001\nA,C,{value},0.001\nB,C,{value},0.001\n"
    status, out, err = aiq(*SPACE, "-o", "s.h5", "--json", c_csv=C, d_csv=d)
    assert status == 0, err
    for level in ("0", "1"):
        rows = "".join(f"me,{n},{level}\nyou,{n},{level}\n" for n in "ABC")
        status, out, err = aiq("score", "s.h5", "p.csv", "--json", p_csv=f"agent,domain,performance\n{rows}")
        assert status == 0, err
        for agent in json.loads(out)["agents"]:
            assert agent["per_dimension"] == pytest.approx(float(level), abs=1e-9)
        assert "the interval of me, you is a point" in aiq("score", "s.h5", "p.csv")[1]
