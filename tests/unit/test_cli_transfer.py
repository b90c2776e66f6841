"""Distances by transfer from tables, and standard errors that only a domain with itself may lack."""

import re

import numpy as np
import pytest
from command_line import SPACE, Aiq, made, refused

from aiq.measures import dissimilarity

C = "domain,complexity,se\nA,1,0.01\nB,0.9,0.01\nC,0.8,0.01\n"
AREA = np.array([[-0.25, -0.05, -0.15], [-0.05, -0.17, -0.15], [-0.15, -0.15, -0.18]])


def table(area: np.ndarray = AREA, se: str | None = "0.001", name: str = "transfer") -> str:
    rows = [f"{a},{b},{area[i, j]}" for i, a in enumerate("ABC") for j, b in enumerate("ABC") if i <= j]
    if se is None:
        return "\n".join([f"a,b,{name}", *rows]) + "\n"
    return "\n".join([f"a,b,{name},se", *(f"{row},{se}" for row in rows)]) + "\n"


def test_a_table_of_transfer_areas_makes_a_space_that_says_so(aiq: Aiq):
    for name in ("transfer", "dissimilarity"):
        status, said, err = aiq(*SPACE, "--distance", "transfer", c_csv=C, d_csv=table(name=name))
        assert (status, err) == (0, "")
        assert "warning: distances are by transfer" in said
        assert "self-pair" not in said


def test_the_geometry_is_that_of_the_areas(aiq: Aiq):
    words = (*SPACE, "--distance", "transfer", "--json")
    found = made(aiq(*words, "--dimensions", "2", c_csv=C, d_csv=table()))
    assert found["distance"] == "transfer"
    expected = dissimilarity.transfer_geometry(AREA, np.full((3, 3), 0.001)).distances
    gram = 1 - (expected / expected.max()) ** 2  # the largest becomes a right angle
    np.testing.assert_allclose(found["spectrum"][:2], np.linalg.eigvalsh(gram)[::-1][:2], atol=1e-9)
    assert made(aiq(*words))["dimension_probabilities"]
    alone = made(aiq(*words, d_csv=table(se=None)))
    assert any("no interval carries their uncertainty" in s for s in alone["warnings"])


WHOLE = table()
LACKING = {
    "lacks the pair B, B; distances by transfer need every domain with itself": (re.sub("B,B.*\n", "", WHOLE), ()),
    "lacks the pair A, C; measure it": (re.sub("A,C.*\n", "", WHOLE), ()),
    "line 2: se of A and A is empty": (WHOLE.replace("A,A,-0.25,0.001", "A,A,-0.25,"), ()),
    "nothing to complete": (WHOLE, ("--landmarks",)),
    "lacks the column 'dissimilarity'": (WHOLE, ("--distance", "departure")),
    "se is -0.001": (table(se="-0.001"), ()),
}


@pytest.mark.parametrize("words", LACKING)
def test_what_transfer_lacks_is_one_sentence(aiq: Aiq, words: str):
    given, more = LACKING[words]
    refused(aiq(*SPACE, "--distance", "transfer", *more, c_csv=C, d_csv=given), words)


DEPARTURES = "a,b,dissimilarity,se\nA,A,0.001,\nA,B,0.02,0.001\nA,C,0.018,0.001\nB,C,0.014,0.001\nC,C,0.001,0.002\n"


def test_a_domain_with_itself_may_be_without_standard_error(aiq: Aiq):
    assert "dimension" in aiq(*SPACE, c_csv=C, d_csv=DEPARTURES)[1]
    words = "d.csv line 4: se of A and C is empty; only a domain with itself may be without one"
    refused(aiq(*SPACE, d_csv=DEPARTURES.replace("A,C,0.018,0.001", "A,C,0.018,")), words)
    refused(aiq(*SPACE, d_csv=DEPARTURES.replace("0.02,0.001", "0.02,x")), "se is 'x', it must be a finite number")
    c = "domain,complexity,se\nA,1,\nB,1,0.1\nC,1,0.1\n"
    refused(aiq(*SPACE, c_csv=c, d_csv=DEPARTURES), "c.csv line 2: se is empty")
