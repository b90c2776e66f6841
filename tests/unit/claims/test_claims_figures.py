"""Series of variants from made-up results."""

from dataclasses import replace
from itertools import pairwise

import pytest
from made_claims import f6, f10, f13, f15

from aiq.errors import InputError
from aiq.figures import variants
from papers.runs.drawing import series


def test_figures_of_variants_show_what_was_measured():
    for figure, made, setting in (("f06", f6, "classes"), ("f10", f10, "copies"), ("f13", f13, "classes")):
        evidence = made(True, 1.0)
        found = series(evidence, figure)
        assert setting in found.setting
        assert len(found.points) == len(evidence.domains)
        assert len(found.apart) == len(found.points)
        assert found.apart[0] is None
    with pytest.raises(InputError, match="figure of variants"):
        series(f6(True, 1.0), "f17")


def test_the_drawing_has_the_numbers_and_what_the_paper_reports():
    drawn = variants(series(f10(True, 1.0), "f10"))
    assert drawn.table.column("setting") == [1.0, 2.0, 4.0]
    assert "complexity constant" in drawn.caption
    assert "same policies" in drawn.caption


def test_complexities_are_drawn_against_the_areas_walked_to_them():
    evidence = f15(True, 1.0)
    found = series(evidence, "f15")
    names = [name for _, name in evidence.classes("cifar10", 10)]
    areas = [evidence.dissimilarity["+".join(sorted(pair))] for pair in pairwise(names)]
    assert [x for x, _ in found.points] == pytest.approx([0, *(sum(areas[: i + 1]) for i in range(len(areas)))])
    assert [y.value for _, y in found.points] == [evidence.complexity[name] for name in names]
    with pytest.raises(InputError, match="not in the run"):
        series(replace(evidence, complexity=f10(True, 1.0).complexity), "f15")
