"""Archives, folders of pictures, tables and texts: what is read, and one sentence for everything that is wrong."""

import numpy as np
import pytest
from PIL import Image

from aiq import domains, storage
from aiq.config import validate
from aiq.domains.labelled.image_folder import ImageFolder
from aiq.domains.labelled.npz import Npz
from aiq.domains.registry import check_presence
from aiq.errors import AiqError, DomainError


def arrays(**change):
    x = np.arange(40 * 4 * 4, dtype=np.uint8).reshape(40, 4, 4)
    y = np.arange(40) % 4
    return {"x_train": x, "y_train": y, "x_test": x[:20], "y_test": y[:20]} | change


def save(folder, **change):
    content = {key: value for key, value in arrays(**change).items() if value is not None}
    np.savez(folder / "a.npz", **content)
    return folder


def load_npz(folder, path="a.npz", **parameters):
    return domains.load("mine", Npz(source="npz", path=path, **parameters), root_seed=1, data_root=str(folder))


def test_grey_pictures_get_a_channel(tmp_path):
    domain = load_npz(save(tmp_path), licence="CC0")
    assert domain.shape == (1, 4, 4)
    assert np.array_equal(domain.train_x[:, 0], arrays()["x_train"])
    assert np.array_equal(domain.test_y, arrays()["y_test"])
    assert domain.sheet.licence == "CC0"


@pytest.mark.parametrize("last", [False, True])
def test_colour_with_channels_first_or_last(tmp_path, last):
    x = np.random.default_rng(1).integers(0, 256, (40, 3, 5, 4), np.uint8)
    given = x.transpose(0, 2, 3, 1) if last else x
    domain = load_npz(save(tmp_path, x_train=given, x_test=given[:20]))
    assert np.array_equal(domain.train_x, x)
    assert domain.train_x.flags.c_contiguous


def test_vectors_are_standardised(tmp_path):
    x = np.random.default_rng(1).normal(5, 2, (40, 3))
    domain = load_npz(save(tmp_path, x_train=x, x_test=x[:20]))
    assert domain.train_x.dtype == np.float32
    assert domain.train_x.mean(axis=0) == pytest.approx(0, abs=1e-6)
    assert domain.train_x.std(axis=0) == pytest.approx(1, abs=1e-6)
    assert np.array_equal(domain.test_x, domain.train_x[:20])


def test_label_column_and_small_types_and_archives_that_name_one_label_space(tmp_path):
    y = (np.arange(40) % 4).astype(np.uint8)
    domain = load_npz(save(tmp_path, y_train=y[:, None], y_test=y[:20]))
    assert (domain.train_y.dtype, domain.train_y.tolist()) == (np.int64, y.tolist())
    assert domain.label_space == "npz:a.npz"
    assert load_npz(tmp_path, labels="letters").label_space == "npz:letters"


VECTORS = np.zeros((40, 3))
WITH_NAN = VECTORS.copy()
WITH_NAN[7, 1] = np.nan


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y_test": None}, "lacks y_test: it holds x_train, y_train, x_test"),
        ({"x_train": WITH_NAN, "x_test": VECTORS[:20]}, "NaN or infinity in x_train, first in sample 7"),
        ({"x_train": arrays()["x_train"] / 255}, "type float64 and shape .* pictures are uint8"),
        ({"x_train": np.zeros((40, 2, 5, 5), np.uint8)}, r"x_train of shape \(40, 2, 5, 5\)"),
        ({"x_train": np.full((40, 3), "a")}, "vectors are real numbers"),
        (
            {"x_train": np.full((40, 3), -1e300), "x_test": np.zeros((20, 3))},
            r"a number of .*e\+30\d in x_train: bring all within 1e\+18",
        ),
        ({"x_train": arrays()["x_train"][:30]}, "30 samples in x_train and 40 labels in y_train"),
        ({"x_test": arrays()["x_test"][:0], "y_test": arrays()["y_test"][:0]}, "has no samples in x_test"),
        ({"x_test": np.zeros((20, 5, 4), np.uint8)}, "training samples of shape"),
        ({"y_train": np.zeros((40, 4), int)}, "labels are one number per sample"),
        ({"y_train": np.arange(40) / 4}, "labels are whole numbers"),
        ({"y_train": np.arange(40) % 4 - 1}, "the label -1 in y_train"),
        ({"y_train": np.arange(40) + 10**6}, "the label 1000039 in y_train"),
        ({"y_train": np.zeros(40, int), "y_test": np.zeros(20, int)}, "one class only"),
        ({"x_train": np.array([{}] * 40)}, "no NumPy archive of plain arrays"),
    ],
)
def test_unfit_archives_are_refused_by_name(tmp_path, change, words):
    with pytest.raises(DomainError, match=rf"^domain mine.*{words}") as caught:
        load_npz(save(tmp_path, **change))
    assert "\n" not in str(caught.value)


def test_unreadable_archives_are_refused_by_name_and_a_missing_one_names_both_places(tmp_path):
    np.save(tmp_path / "one.npy", np.zeros(3))
    for content in (b"", b"no archive", b"PK\x03\x04 broken", (tmp_path / "one.npy").read_bytes()):
        (tmp_path / "a.npz").write_bytes(content)
        with pytest.raises(DomainError, match=r"domain mine: the archive .*a\.npz is cut short or no NumPy archive"):
            load_npz(tmp_path)
    with pytest.raises(DomainError, match=rf"domain mine: there is no NumPy archive at .* and {tmp_path}/b\.npz"):
        load_npz(tmp_path, path="b.npz")


# ---- folders of pictures


def paint(path, value, shape=(6, 6), mode="L"):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, shape[::-1], value).save(path)


def folder_of_pictures(folder, counts=(8, 4), names=("cat", "dog")):
    for label, (name, count) in enumerate(zip(names, counts, strict=True)):
        for number in range(count):
            paint(folder / name / f"{number:02}.png", 100 * label + number)
    return folder


def load_folder(root, path="pictures", **parameters):
    settings = ImageFolder(source="image_folder", path=path, **parameters)
    return domains.load("mine", settings, root_seed=1, data_root=str(root))


def test_a_folder_is_split_by_class(tmp_path):
    folder_of_pictures(tmp_path / "pictures")
    domain = load_folder(tmp_path)
    assert domain.sheet.class_names == ("cat", "dog")
    assert domain.shape == (1, 6, 6)
    assert np.bincount(domain.train_y).tolist() == [6, 3]
    assert np.bincount(domain.test_y).tolist() == [2, 1]
    shown = np.concatenate([domain.train_x[:, 0, 0, 0], domain.test_x[:, 0, 0, 0]])
    assert sorted(shown.tolist()) == [*range(8), *range(100, 104)]
    assert ((domain.train_x[:, 0, 0, 0] >= 100) == domain.train_y).all()


def test_train_and_test_folders_are_kept(tmp_path):
    folder_of_pictures(tmp_path / "pictures" / "train")
    folder_of_pictures(tmp_path / "pictures" / "test", (2, 1))
    domain = load_folder(tmp_path)
    assert np.bincount(domain.train_y).tolist() == [8, 4]
    assert domain.test_x[:, 0, 0, 0].tolist() == [0, 1, 100]
    assert "split given by the folders train and test" in domain.sheet.notes


def test_the_split_does_not_depend_on_where_the_folder_lies(tmp_path):
    for place in ("here", "there"):
        folder_of_pictures(tmp_path / place / "pictures")
    here, there = load_folder(tmp_path / "here"), load_folder("/nowhere", path=str(tmp_path / "there" / "pictures"))
    assert np.array_equal(here.test_x, there.test_x)


def test_one_colour_picture_makes_all_colour_unless_grey(tmp_path):
    folder = folder_of_pictures(tmp_path / "pictures")
    paint(folder / "cat" / "00.png", (255, 0, 0), mode="RGB")
    assert load_folder(tmp_path).shape == (3, 6, 6)
    grey = load_folder(tmp_path, grey=True)
    assert grey.shape == (1, 6, 6)
    assert 76 in np.concatenate([grey.train_x, grey.test_x])


def test_size_brings_different_pictures_together(tmp_path):
    folder = folder_of_pictures(tmp_path / "pictures")
    paint(folder / "dog" / "big.jpg", 200, shape=(40, 20))
    with pytest.raises(DomainError, match=r"big\.jpg has 20x40 pixels .* set size"):
        load_folder(tmp_path)
    assert load_folder(tmp_path, size=8).shape == (1, 8, 8)


def test_other_files_are_counted(tmp_path):
    folder = folder_of_pictures(tmp_path / "pictures")
    (folder / "cat" / "notes.txt").write_text("no picture")
    (folder / "cat" / ".hidden.png").write_text("no picture")
    assert "1 files that are no pictures by their names were not read" in load_folder(tmp_path).sheet.notes


def test_a_picture_that_cannot_be_read_is_named(tmp_path):
    """No picture, one that is cut short, one of sixteen bits, which are not clipped."""
    bad = folder_of_pictures(tmp_path / "pictures") / "dog" / "bad.png"
    bad.write_bytes(b"this is no picture")
    with pytest.raises(DomainError, match=r"^domain mine: the picture .*dog/bad\.png cannot be read"):
        load_folder(tmp_path)
    Image.fromarray(np.random.default_rng(1).integers(0, 256, (50, 50), np.uint8)).save(bad)
    bad.write_bytes(bad.read_bytes()[: bad.stat().st_size // 2])
    with pytest.raises(DomainError, match=r"dog/bad\.png cannot be read"):
        load_folder(tmp_path, size=6)
    Image.fromarray(np.full((6, 6), 40000, np.uint16)).save(bad)
    with pytest.raises(DomainError, match=r"bad\.png has mode I;16: convert it to 8 bits"):
        load_folder(tmp_path)


def test_empty_and_missing_folders(tmp_path):
    with pytest.raises(DomainError, match="domain mine: there is no folder of pictures at"):
        load_folder(tmp_path)
    (tmp_path / "pictures").mkdir()
    with pytest.raises(DomainError, match="holds 0 class folders, at least 2"):
        load_folder(tmp_path)
    folder_of_pictures(tmp_path / "pictures", (3,), ("cat",))
    with pytest.raises(DomainError, match="holds 1 class folders, at least 2"):
        load_folder(tmp_path)
    (tmp_path / "pictures" / "dog").mkdir()
    with pytest.raises(DomainError, match="pictures/dog holds no pictures"):
        load_folder(tmp_path)
    paint(tmp_path / "pictures" / "dog" / "only.png", 9)
    with pytest.raises(DomainError, match="class 1 has one sample"):
        load_folder(tmp_path)
    with pytest.raises(DomainError, match=r"only\.png is no folder"):
        load_folder(tmp_path, path="pictures/dog/only.png")


def test_an_empty_test_folder_and_a_class_without_training_counterpart_are_named(tmp_path):
    folder_of_pictures(tmp_path / "pictures" / "train")
    (tmp_path / "pictures" / "test").mkdir()
    with pytest.raises(DomainError, match="pictures/test holds no pictures"):
        load_folder(tmp_path)
    folder_of_pictures(tmp_path / "pictures" / "test", (1, 1), ("cat", "emu"))
    with pytest.raises(DomainError, match="test/emu has no counterpart below train"):
        load_folder(tmp_path)


# ---- tables, texts, and numbers as what is learned -----------------------------------------------


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
    (tmp_path / "t.csv").write_text("text,label\naab,x\naba,y\nAAB,x\nbaa,y\naab,x\nbab,y\nabb,x\nbba,y\n")
    found = load(tmp_path, "text", path="t.csv", ngram=2, features=64)
    whole = np.concatenate([found.train_x, found.test_x])
    assert whole.shape == (8, 64)
    assert np.square(whole).sum(axis=1) == pytest.approx(np.ones(8))  # Euclidean length 1
    assert all(np.count_nonzero(row) in (1, 2) for row in whole)  # three letters hold two pairs of letters


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
