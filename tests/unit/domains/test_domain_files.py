"""Archives and folders of pictures: what is read, and one sentence for everything that is wrong."""

import numpy as np
import pytest
from PIL import Image

from aiq import domains
from aiq.domains.labelled.image_folder import ImageFolder
from aiq.domains.labelled.npz import Npz
from aiq.errors import DomainError


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
