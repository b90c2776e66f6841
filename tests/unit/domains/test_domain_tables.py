"""Texts, tables with words and gaps, and numbers as what is learned."""

import numpy as np
import pytest

from aiq import domains, storage
from aiq.config import validate
from aiq.domains.registry import check_presence
from aiq.errors import AiqError, DomainError

LINES = """height,colour,count,kind
1.0,red,3,a
2.0,,4,b
NA,blue,5,a
4.0,red,6,b
5.0,blue,?,a
6.0,red,8,b
7.0,blue,9,a
8.0,red,10,b
"""
UNSEEN = """height,colour,count,kind
2.5,green,3,a
NA,red,?,b
"""


def load(folder, source, **parameters):
    settings = validate(domains.FAMILIES[source].settings, {"source": source, **parameters})
    return domains.load("d", settings, root_seed=3, data_root=str(folder))


@pytest.fixture
def table(tmp_path):
    (tmp_path / "train.csv").write_text(LINES)
    (tmp_path / "test.csv").write_text(UNSEEN)
    return tmp_path


# ---- tables


def test_a_table_by_hand(table):
    """Columns: height and count standardised with median for gaps, two indicators of gaps, words '', blue, red."""
    found = load(table, "table", path="train.csv", test_path="test.csv", learn="kind")
    height = np.array([1, 2, 5, 4, 5, 6, 7, 8.0])  # the median of 1 2 4 5 6 7 8 is 5
    count = np.array([3, 4, 5, 6, 6, 8, 9, 10.0])  # the median of 3 4 5 6 8 9 10 is 6
    assert found.train_x.shape == (8, 7)
    assert found.train_x[:, 0] == pytest.approx((height - height.mean()) / height.std())
    assert found.train_x[:, 1] == pytest.approx((count - count.mean()) / count.std())
    assert found.train_x[:, 2].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    assert found.train_x[:, 3].tolist() == [0, 0, 0, 0, 1, 0, 0, 0]
    assert found.train_x[:, 4:].tolist()[:3] == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    assert found.sheet.class_names == ("a", "b")
    assert found.train_y.tolist() == [0, 1, 0, 1, 0, 1, 0, 1]
    # the test split: an unseen word gives no indicator, a gap the training split's median
    assert found.test_x[0, 0] == pytest.approx((2.5 - height.mean()) / height.std())
    assert found.test_x[:, 4:].tolist() == [[0, 0, 0], [0, 0, 1]]
    assert found.test_x[1, 0] == pytest.approx((5 - height.mean()) / height.std())
    assert found.test_x[1, 2:4].tolist() == [1, 1]
    # numbers that are names become indicators
    named = load(table, "table", path="train.csv", test_path="test.csv", learn="kind", words=["count"])
    assert named.train_x.shape == (8, 2 + 3 + 8)


def test_the_test_split_changes_nothing_in_how_the_training_split_is_encoded(table):
    one = load(table, "table", path="train.csv", test_path="test.csv", learn="kind")
    (table / "test.csv").write_text(UNSEEN.replace("2.5,green", "9e5,violet"))
    other = load(table, "table", path="train.csv", test_path="test.csv", learn="kind")
    assert np.array_equal(one.train_x, other.train_x)
    assert not np.array_equal(one.test_x, other.test_x)


def test_a_number_of_a_table_is_learned_standardised(table):
    (table / "test.csv").write_text(UNSEEN.replace("?", "5"))
    (table / "train.csv").write_text(LINES.replace("?", "7"))
    found = load(table, "table", path="train.csv", test_path="test.csv", learn="count", target="number")
    count = np.array([3, 4, 5, 6, 7, 8, 9, 10.0])
    assert found.numeric
    assert (found.labels, found.classes, found.train_y.dtype) == (1, (), np.float32)
    assert found.train_y == pytest.approx((count - count.mean()) / count.std())
    assert found.test_y == pytest.approx((np.array([3, 5]) - count.mean()) / count.std())
    assert any("R²" in note for note in found.sheet.notes)


@pytest.mark.parametrize(
    ("change", "parameters", "words"),
    [
        ("", {"learn": "kin"}, "did you mean 'kind'"),
        ("", {"learn": "kind", "columns": ["colour", "heigt"]}, "did you mean 'height'"),
        ("", {"learn": "kind", "columns": ["colour", "kind"]}, "is learned: a sample may not hold it"),
        ("", {"learn": "kind", "target": "number"}, "no number; take target: classes"),
        ("", {"learn": "colour"}, "column 'colour' has no entry in row 2"),
        ("2.5", {"learn": "kind"}, "'x2.5' in row 1 of the test split"),
        ("green,", {"learn": "kind"}, "has 3 entries in line 2, the header has 4"),
    ],
)
def test_an_unfit_table_is_one_sentence(table, change, parameters, words):
    """What is changed in the test split, and what is then said."""
    text = UNSEEN.replace("2.5", "x2.5") if change == "2.5" else UNSEEN.replace(change, "") if change else UNSEEN
    (table / "test.csv").write_text(text)
    with pytest.raises(DomainError, match=r"^[^\n]+$") as caught:
        load(table, "table", path="train.csv", test_path="test.csv", **parameters)
    assert words in str(caught.value)


def test_a_missing_column_is_refused_before_anything_is_read(table):
    settings = validate(domains.FAMILIES["text"].settings, {"source": "text", "path": "train.csv", "learn": "kind"})
    with pytest.raises(DomainError, match="column 'text'"):
        check_presence("d", settings, data_root=str(table))


# ---- texts


def test_hashed_texts_are_bags_of_n_grams_of_one_size(tmp_path):
    (tmp_path / "t.csv").write_text("text,label\naaba,x\nabab,y\nAABA,x\nbaab,y\naabb,x\nbaba,y\nabba,x\nbbab,y\n")
    found = load(tmp_path, "text", path="t.csv")
    whole = np.concatenate([found.train_x, found.test_x])
    assert whole.shape == (8, 512)
    assert np.square(whole).sum(axis=1) == pytest.approx(np.ones(8))  # Euclidean length 1
    assert all(np.count_nonzero(row) in (1, 2) for row in whole)  # four letters hold two runs of three


# ---- numbers


def test_the_diabetes_of_scikit_learn_is_a_number(tmp_path):
    found = load(tmp_path, "sklearn", name="diabetes", limit=100)
    assert (found.target, found.labels, len(found.train_y), len(found.test_y)) == ("number", 1, 100, 110)
    whole = load(tmp_path, "sklearn", name="diabetes")
    assert abs(float(whole.train_y.mean())) < 1e-6
    assert float(whole.train_y.std()) == pytest.approx(1, abs=1e-6)
    told = domains.describe(found)
    assert told["performance"].startswith("R²")
    assert told["train_counts"] == {}
    storage.write_domain(tmp_path / "d.h5", found, "print", 3)
    back = storage.read_domain(tmp_path / "d.h5", "print")
    assert back.numeric
    assert np.array_equal(back.train_y, found.train_y)


def test_an_archive_of_numbers(tmp_path):
    y = np.arange(40.0)
    np.savez(tmp_path / "n.npz", x_train=y[:30, None], y_train=y[:30], x_test=y[30:, None], y_test=y[30:])
    found = load(tmp_path, "npz", path="n.npz", target="number")
    assert found.test_y == pytest.approx((y[30:] - 14.5) / y[:30].std())
    settings = validate(domains.FAMILIES["npz"].settings, {"source": "npz", "path": "n.npz"})
    assert "target" not in settings.model_dump()  # fingerprints of archives of classes stay what they were


@pytest.mark.parametrize(
    ("y", "words"), [(np.ones(10), "nothing to tell apart"), (np.full(10, np.nan), "NaN or infinity in y_train")]
)
def test_what_cannot_be_learned_of_numbers_is_refused(tmp_path, y, words):
    np.savez(tmp_path / "n.npz", x_train=np.eye(10), y_train=y, x_test=np.eye(10), y_test=np.arange(10.0))
    with pytest.raises(DomainError, match=words):
        load(tmp_path, "npz", path="n.npz", target="number")
    with pytest.raises(AiqError, match="a number is learned, which has no classes"):
        load(tmp_path, "sklearn", name="diabetes", classes=2)
