import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq.wings.collectives.equations import bank, complexity


def test_the_bank_holds_what_it_says():
    patterns = bank(50, 3)
    assert patterns.levels.tolist() == list(range(2, 19))
    for level, segments, lengths in zip(patterns.levels, patterns.segments, patterns.lengths, strict=True):
        assert lengths.min() >= 1
        assert lengths.max() <= 25
        for index in range(0, lengths.size, 97):
            assert complexity(np.resize(segments[index, : lengths[index]].tolist(), 50).tolist()) == level


def test_proposals_have_uniform_lengths_and_moves():
    """Undoing the stratification by the shares of K gives the proposals back: mean length 13, moves uniform."""
    patterns = bank(50, 3)
    assert patterns.shares.sum() > 0.99
    mean = (patterns.lengths.mean(axis=1) * patterns.shares).sum() / patterns.shares.sum()
    assert mean == pytest.approx(13, abs=0.1)
    first = np.array([np.bincount(row, minlength=9) / row.size for row in patterns.segments[:, :, 0]])
    np.testing.assert_allclose(patterns.shares @ first, patterns.shares.sum() / 9, atol=0.02)


def test_the_bank_depends_on_the_seed_and_the_shortest_episode_has_one():
    assert not np.array_equal(bank(20, 1).segments, bank(20, 2).segments)
    patterns = bank(2, 0)
    assert (patterns.levels.tolist(), patterns.lengths.max()) == ([2], 1)


# ---- complexity by LZ76 -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("0001101001000101", 6),
        ("0" * 10, 2),
        ("01" * 5, 3),
        ("1001111011000010", 6),
        ("URRDL", 4),
        ("0", 1),
        ([(0, 1), (0, 1), (0, 1)], 2),
    ],
)
def test_published_values(sequence, expected):
    assert complexity(sequence) == expected


def plain(text):
    """Cut off the shortest prefix of the rest that does not occur in all but the last symbol of what it ends."""
    count, start = 0, 0
    while start < len(text):
        length = 1
        while start + length <= len(text) and text[start : start + length] in text[: start + length - 1]:
            length += 1
        count, start = count + 1, start + length
    return count


@given(st.text(alphabet="abc", min_size=1, max_size=60))
def test_equals_the_definition(text):
    assert complexity(text) == plain(text)
