"""The table of levels as numbers, and the sentences that refuse what is not in it."""

import math
from dataclasses import replace

import pytest

from aiq.domains.cartpole3d.levels import DIFFICULTIES, LEVELS, PRESETS, Pull, Rules, Spawning, resolve
from aiq.errors import InputError

GRADED = {
    1: ("cart_mass", (5, 10, 50)),
    6: ("gravity", (20, 30, 40)),
    7: ("pull", (Pull("origin", 15, 15), Pull("origin", 25, 25), Pull("origin", 35, 35))),
    8: ("spawning", (Spawning(50, False), Spawning(15, False), Spawning(7, False))),
    9: ("pole_length", (3, 5, 8)),
    10: ("line_distance", ((3, 4), (2, 3), (1.5, 2))),
    11: ("aimed", (0.25, 0.5, 0.75)),
    12: ("restitution", ((1.05, 1.15), (1.20, 1.30), (1.35, 1.45))),
    13: ("pull", (Pull("centroid", 1, 1), Pull("centroid", 3, 3), Pull("centroid", 5, 5))),
    14: ("wind_peak", (16, 18, 20)),
    15: ("pull", (Pull("tip", 10, 10), Pull("tip", 20, 20), Pull("tip", 30, 30))),
    16: ("spawning", (Spawning(3, True), Spawning(2, True), Spawning(1, True))),
}


@pytest.mark.parametrize("novelty", sorted(GRADED))
def test_graded_values_of_the_table(novelty: int) -> None:
    name, values = GRADED[novelty]
    assert tuple(getattr(resolve(novelty, difficulty), name) for difficulty in DIFFICULTIES) == values


@pytest.mark.parametrize("novelty", range(17))
def test_every_level_changes_at_most_two_rules_and_those_without_grades_are_alike(novelty: int) -> None:
    easy = resolve(novelty)
    changed = [name for name, value in vars(easy).items() if value != getattr(Rules(novelty), name)]
    assert min(novelty, 1) <= len(changed) <= 2
    if novelty not in GRADED:
        assert all(replace(resolve(novelty, other), difficulty="easy") == easy for other in DIFFICULTIES)
        assert LEVELS[novelty].values == ""


def test_the_presets_differ_where_the_authors_code_differs() -> None:
    for novelty in range(17):
        for difficulty in DIFFICULTIES:
            paper, wsu = (vars(resolve(novelty, difficulty, preset)) for preset in PRESETS)
            differing = {name for name in paper if paper[name] != wsu[name]} - {"preset"}
            extra = {5: {"pull"}, 6: {"gravity"}, 13: {"pull"}, 15: {"pull"}}.get(novelty, set())
            assert differing == {"fall_limit"} | extra
    assert sorted(LEVELS) == list(range(17))
    assert resolve(0).fall_limit == math.radians(12)
    assert resolve(0, "easy", "wsu").fall_limit == math.radians(10)
    assert resolve(13, "hard", "wsu").pull == Pull("centroid", -5, -5)
    assert (resolve(6, "hard", "wsu").gravity, resolve(6, "hard", "wsu").balls_fall) == (9.8, True)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"novelty": 17}, ["novelty is 17", "0 (no change) to 16"]),
        ({"novelty": -1}, ["novelty is -1", "0 (no change) to 16"]),
        ({"novelty": 2.5}, ["novelty is 2.5", "integers"]),
        ({"novelty": "two"}, ["novelty is 'two'", "integers"]),
        ({"novelty": True}, ["novelty is True", "integers"]),
        ({"difficulty": "heard"}, ["difficulty is 'heard'", "did you mean 'hard'", "easy, medium, hard"]),
        ({"difficulty": None}, ["difficulty is None", "easy, medium, hard"]),
        ({"preset": "papr"}, ["preset is 'papr'", "did you mean 'paper'", "paper, wsu"]),
    ],
)
def test_what_does_not_exist_is_refused_in_one_sentence(arguments: dict[str, object], parts: list[str]) -> None:
    with pytest.raises(InputError, match=r"^[^\n]+$") as refusal:
        resolve(**arguments)  # type: ignore[arg-type]
    assert all(part in str(refusal.value) for part in parts)
