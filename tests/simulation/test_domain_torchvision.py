"""Every torchvision data set from tiny files in its original format, and the sentences for missing ones."""

import pickle
import struct

import numpy as np
import pytest
from scipy.io import savemat

from aiq import domains
from aiq.domains.labelled.library_sets import Torchvision
from aiq.errors import DomainError

datasets = pytest.importorskip("torchvision.datasets")

CIFAR = {
    "CIFAR10": ("cifar-10-batches-py", "labels", "label_names", [f"data_batch_{n}" for n in range(1, 6)], "test_batch"),
    "CIFAR100": ("cifar-100-python", "fine_labels", "fine_label_names", ["train"], "test"),
}


def load(name, root, download=False, **parameters):
    settings = Torchvision(source="torchvision", name=name, **parameters)
    return domains.load("mine", settings, root_seed=1, data_root=str(root), download=download)


def write_idx(path, array):
    path.parent.mkdir(parents=True, exist_ok=True)
    header = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    path.write_bytes(header + array.astype(np.uint8).tobytes())


def write_mnist(root, name="MNIST", prefixes=("train", "t10k")):
    """Write 40 training and 20 test pictures of 28x28; return both."""
    random = np.random.default_rng(1)
    written = []
    for prefix, n in zip(prefixes, (40, 20), strict=True):
        x = random.integers(0, 256, (n, 28, 28), np.uint8)
        y = np.arange(n) % 10
        write_idx(root / name / "raw" / f"{prefix}-images-idx3-ubyte", x)
        write_idx(root / name / "raw" / f"{prefix}-labels-idx1-ubyte", y)
        written.append((x, y))
    return written


def write_cifar(root, name, monkeypatch):
    """Write 10 pictures a batch with torchvision's checksums switched off; return the training pictures and labels."""
    folder, label_key, names_key, train, test = CIFAR[name]
    kind = getattr(datasets, name)
    (root / folder).mkdir(parents=True)
    random = np.random.default_rng(1)
    classes = 10 if name == "CIFAR10" else 100
    x = random.integers(0, 256, (len(train) + 1, 10, 3, 32, 32), np.uint8)
    for number, file in enumerate([*train, test]):
        content = {"data": x[number].reshape(10, -1), label_key: list(range(10))}
        (root / folder / file).write_bytes(pickle.dumps(content))
    meta = {names_key: [f"thing {n}" for n in range(classes)]}
    (root / folder / kind.meta["filename"]).write_bytes(pickle.dumps(meta))
    monkeypatch.setattr(kind, "train_list", [[file, None] for file in train])
    monkeypatch.setattr(kind, "test_list", [[test, None]])
    monkeypatch.setattr(kind, "meta", kind.meta | {"md5": None})
    return x[:-1].reshape(-1, 3, 32, 32), x[-1], classes


def check(domain, train_x, train_y=None, test_x=None, test_y=None):
    """Whether a domain holds these arrays, as far as they are given."""
    for name, array in (("train_x", train_x), ("train_y", train_y), ("test_x", test_x), ("test_y", test_y)):
        assert array is None or np.array_equal(getattr(domain, name), array)


@pytest.mark.parametrize("name", ["MNIST", "FashionMNIST", "KMNIST"])
def test_idx_files(tmp_path, name):
    (x, y), (test_x, test_y) = write_mnist(tmp_path, name)
    domain = load(name, tmp_path)
    check(domain, x[:, None], y, test_x[:, None], test_y)
    assert (domain.labels, len(domain.sheet.class_names)) == (10, 10)
    assert domain.label_space == f"torchvision:{name}"


def test_emnist_is_turned_upright_and_has_47_labels(tmp_path):
    (x, y), _ = write_mnist(tmp_path, "EMNIST", ("emnist-balanced-train", "emnist-balanced-test"))
    domain = load("EMNIST", tmp_path)
    check(domain, x.transpose(0, 2, 1)[:, None], y)
    assert (domain.labels, domain.label_space) == (47, "torchvision:EMNIST:balanced")


@pytest.mark.parametrize("name", CIFAR)
def test_cifar_batches(tmp_path, monkeypatch, name):
    x, test_x, classes = write_cifar(tmp_path, name, monkeypatch)
    domain = load(name, tmp_path)
    check(domain, x, test_x=test_x)
    assert (domain.labels, domain.sheet.class_names[1]) == (classes, "thing 1")
    assert load(name, tmp_path, grey=True, classes=[0, 3]).shape == (1, 32, 32)


def test_svhn_matrices(tmp_path, monkeypatch):
    random = np.random.default_rng(1)
    x = random.integers(0, 256, (32, 32, 3, 20), np.uint8)
    y = np.arange(20) % 10 + 1
    for split in ("train", "test"):
        savemat(tmp_path / f"{split}_32x32.mat", {"X": x, "y": y[:, None]})
    files = {split: ["", f"{split}_32x32.mat", None] for split in ("train", "test")}
    monkeypatch.setattr(datasets.SVHN, "split_list", files)
    domain = load("SVHN", tmp_path)
    check(domain, x.transpose(3, 2, 0, 1), y % 10)
    assert domain.labels == 10


@pytest.mark.parametrize("name", Torchvision.model_fields["name"].annotation.__args__)
def test_a_missing_data_set_is_one_sentence(tmp_path, name):
    begin = f"domain mine: {name} is missing or damaged at {tmp_path}/"
    with pytest.raises(DomainError, match=rf"^{begin}[^\n]*allow download[^\n]*data_root[^\n]*$"):
        load(name, tmp_path)


def test_a_damaged_file_and_a_data_root_that_is_a_file_are_one_sentence(tmp_path):
    write_mnist(tmp_path)
    path = tmp_path / "MNIST" / "raw" / "train-images-idx3-ubyte"
    path.write_bytes(path.read_bytes()[:1000])
    for root, download in ((tmp_path, False), (path, True)):
        with pytest.raises(DomainError, match="domain mine: MNIST is missing or damaged at"):
            load("MNIST", root, download=download)


def test_a_failed_download_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch):
    def fail(self):
        raise RuntimeError("Error downloading train-images-idx3-ubyte.gz:\nno route")

    monkeypatch.setattr(datasets.MNIST, "download", fail)
    with pytest.raises(DomainError, match=r"could not be downloaded \(Error downloading .*\): put") as caught:
        load("MNIST", tmp_path / "new", download=True)
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "new").iterdir()) == []


def test_a_download_is_made_once_and_moved_into_place(tmp_path, monkeypatch):
    calls = []

    def fetch(self):
        calls.append(self.root)
        if not self._check_exists():
            write_mnist(type(tmp_path)(self.root))

    monkeypatch.setattr(datasets.MNIST, "download", fetch)
    first = load("MNIST", tmp_path / "new", download=True)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["MNIST"]
    made = len(calls)
    assert made > 0
    again = load("MNIST", tmp_path / "new", download=True)
    assert len(calls) == made
    assert np.array_equal(first.train_x, again.train_x)
