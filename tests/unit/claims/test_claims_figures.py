"""Series of variants from made-up results."""

from dataclasses import replace
from itertools import pairwise

import pytest
from made_claims import MADE

from aiq.errors import InputError
from aiq.figures import variants
from papers.runs.drawing import SERIES


@pytest.mark.parametrize(("name", "setting"), [("f06", "classes"), ("f10", "copies"), ("f13", "classes")])
def test_figures_of_variants_show_what_was_measured(name, setting):
    evidence = MADE[f"F{int(name[1:])}"](True, 1.0)
    found = SERIES[name](evidence)
    assert setting in found.setting
    assert len(found.points) == len(found.apart) == len(evidence.domains)
    assert found.apart[0] is None


def test_the_drawing_has_the_numbers_and_what_the_paper_reports():
    drawn = variants(SERIES["f10"](MADE["F10"](True, 1.0)))
    assert drawn.table.column("setting") == [1.0, 2.0, 4.0]
    assert "complexity constant" in drawn.caption
    assert "same policies" in drawn.caption


def test_complexities_are_drawn_against_the_areas_walked_to_them():
    evidence = MADE["F15"](True, 1.0)
    found = SERIES["f15"](evidence)
    names = [name for _, name in evidence.classes("cifar10", 10)]
    areas = [evidence.dissimilarity["+".join(sorted(pair))] for pair in pairwise(names)]
    assert [x for x, _ in found.points] == pytest.approx([0, *(sum(areas[: i + 1]) for i in range(len(areas)))])
    assert [y.value for _, y in found.points] == [evidence.complexity[name] for name in names]
    with pytest.raises(InputError, match="not in the run"):
        SERIES["f15"](replace(evidence, complexity=MADE["F10"](True, 1.0).complexity))
