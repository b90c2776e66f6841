"""Distances by transfer from tables, and standard errors that only a domain with itself may lack."""

from pathlib import Path

import numpy as np
import pytest

from aiq.cli.main import main
from aiq.measures import dissimilarity

C = "domain,complexity,se\nA,1,0.01\nB,0.9,0.01\nC,0.8,0.01\n"
AREA = np.array([[-0.25, -0.05, -0.15], [-0.05, -0.17, -0.15], [-0.15, -0.15, -0.18]])


def table(area: np.ndarray = AREA, se: str | None = "0.001", name: str = "transfer") -> str:
    rows = [f"{a},{b},{area[i, j]}" for i, a in enumerate("ABC") for j, b in enumerate("ABC") if i <= j]
    if se is None:
        return "\n".join([f"a,b,{name}", *rows]) + "\n"
    return "\n".join([f"a,b,{name},se", *(f"{row},{se}" for row in rows)]) + "\n"


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(tmp_path)
    Path("c.csv").write_text(C)

    def run(d: str, *more: str, ok: bool = True) -> str:
        Path("d.csv").write_text(d)
        arguments = ["space", "--complexity", "c.csv", "--dissimilarity", "d.csv", *more]
        status = main(arguments)
        out, err = capsys.readouterr()
        assert status == (0 if ok else 2), err
        assert (err.count("\n"), out == "") == ((0, False) if ok else (1, True))
        return out if ok else err

    return run


def test_a_table_of_transfer_areas_makes_a_space_that_says_so(space):
    said = space(table(), "--distance", "transfer")
    assert "warning: distances are by transfer" in said
    assert "self-pair" not in said
    assert "warning: distances are by transfer" in space(table(name="dissimilarity"), "--distance", "transfer")


def test_the_geometry_is_that_of_the_areas(space):
    import json

    found = json.loads(space(table(), "--distance", "transfer", "--dimensions", "2", "--json"))
    assert found["distance"] == "transfer"
    expected = dissimilarity.transfer_geometry(AREA, np.full((3, 3), 0.001)).distances
    gram = 1 - (expected / expected.max()) ** 2  # the largest becomes a right angle
    np.testing.assert_allclose(found["spectrum"][:2], np.linalg.eigvalsh(gram)[::-1][:2], atol=1e-9)
    assert json.loads(space(table(), "--distance", "transfer", "--json"))["dimension_probabilities"]
    alone = json.loads(space(table(se=None), "--distance", "transfer", "--json"))
    assert any("no interval carries their uncertainty" in s for s in alone["warnings"])


def test_what_transfer_lacks_is_one_sentence(space):
    whole = table()
    without_self = "\n".join(line for line in whole.splitlines() if not line.startswith("B,B"))
    assert "lacks the pair B, B; distances by transfer need every domain with itself" in space(
        without_self, "--distance", "transfer", ok=False
    )
    without_pair = "\n".join(line for line in whole.splitlines() if not line.startswith("A,C"))
    assert "lacks the pair A, C; measure it" in space(without_pair, "--distance", "transfer", ok=False)
    assert "line 2: se of A and A is empty" in space(
        whole.replace("A,A,-0.25,0.001", "A,A,-0.25,"), "--distance", "transfer", ok=False
    )
    assert "nothing to complete" in space(whole, "--distance", "transfer", "--landmarks", ok=False)
    assert "lacks the column 'dissimilarity'" in space(whole, ok=False)  # departure is the default
    assert "departure" in space(whole, "--distance", "flight", ok=False)
    assert "se is -0.001" in space(table(se="-0.001"), "--distance", "transfer", ok=False)


DEPARTURES = "a,b,dissimilarity,se\nA,A,0.001,\nA,B,0.02,0.001\nA,C,0.018,0.001\nB,C,0.014,0.001\nC,C,0.001,0.002\n"


def test_a_domain_with_itself_may_be_without_standard_error(space):
    assert "dimension" in space(DEPARTURES)
    without = DEPARTURES.replace("A,C,0.018,0.001", "A,C,0.018,")
    assert "d.csv line 4: se of A and C is empty; only a domain with itself may be without one" in space(
        without, ok=False
    )
    assert "se is 'x', it must be a finite number" in space(DEPARTURES.replace("0.02,0.001", "0.02,x"), ok=False)
    Path("c.csv").write_text("domain,complexity,se\nA,1,\nB,1,0.1\nC,1,0.1\n")
    assert "c.csv line 2: se is empty" in space(DEPARTURES, ok=False)
