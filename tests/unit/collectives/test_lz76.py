import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq.errors import InputError
from aiq.wings.collectives.equations import complexity


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


@given(st.text(alphabet="ab", min_size=1, max_size=30))
def test_depends_on_equality_of_symbols_only(text):
    assert complexity(text) == complexity(text.translate(str.maketrans("ab", "xy")))
    assert complexity(text) <= complexity(text + "c")


def test_an_empty_pattern_is_refused_in_one_sentence():
    with pytest.raises(InputError, match="length 0"):
        complexity("")
