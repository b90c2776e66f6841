"""From landmarks alone to scores, on tables: aiq landmarks, aiq space --landmarks, aiq score."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from command_line import SPACE, Aiq, record, refused

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
