"""What every registered family of labelled domains keeps, and every variant of it."""

import functools
import json
import os

import numpy as np
import pytest

from aiq import domains
from aiq.config import validate
from aiq.domains.labelled.settings import Labelled
from aiq.errors import DomainError

VARIANTS = {
    "classes": [{"classes": 2}, {"classes": [0, 1]}, {"classes": {"random": 2}}],
    "limit": [{"limit": 12}],
    "limit_test": [{"limit_test": 11}],
    "noise": [{"noise": 0.25}],
    "gaussian": [{"gaussian": 0.1}],
    "duplicate": [{"duplicate": 2}],
    "twin": [{"twin": 1}],
    "twin_moves": [{"twin_moves": "picture", "twin": 1}],
    "grey": [{"grey": True}],
    "size": [{"size": 5}, {"size": 40}],
}
OF_PICTURES = ("grey", "size", "twin_moves")


@pytest.fixture(scope="module")
def data_root(tmp_path_factory):
    """A folder with an archive of colour pictures, a folder of pictures and MNIST in miniature."""
    image = pytest.importorskip("PIL.Image")
    root = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(1)
    x = random.integers(0, 256, (60, 3, 9, 7), np.uint8)
    y = np.arange(60) % 3
    np.savez(root / "colour.npz", x_train=x, y_train=y, x_test=x[:30], y_test=y[:30])
    np.savez(
        root / "vectors.npz", x_train=x[:, 0, 0, :4] * 1.0, y_train=y, x_test=x[:30, 1, 0, :4] * 1.0, y_test=y[:30]
    )
    for number, (pixels, label) in enumerate(zip(x, y, strict=True)):
        place = root / "pictures" / f"class {label}"
        place.mkdir(parents=True, exist_ok=True)
        image.fromarray(pixels.transpose(1, 2, 0)).save(place / f"{number:02}.png")
    words = ["ant", "bee", "cat", "dog"]
    rows = [f"{a},{words[b % 4] if b % 7 else ''},{'' if b % 5 == 0 else b},{'xyz'[label]}" for (a, b, label) in
            zip(random.normal(size=120), random.integers(0, 99, 120), np.arange(120) % 3, strict=True)]  # fmt: skip
    (root / "mixed.csv").write_text("\n".join(["a,animal,b,kind", *rows]) + "\n")
    texts = [
        f"{words[label]} {words[random.integers(4)]} {random.integers(99)},{words[label]}"
        for label in np.arange(120) % 3
    ]
    (root / "texts.csv").write_text("\n".join(["text,label", *texts]) + "\n")
    raw = root / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for prefix, n in (("train", 60), ("t10k", 30)):
        pixels = random.integers(0, 256, (n, 28, 28), np.uint8)
        sides = b"".join(number.to_bytes(4, "big") for number in (n, 28, 28))
        (raw / f"{prefix}-images-idx3-ubyte").write_bytes(bytes([0, 0, 8, 3]) + sides + pixels.tobytes())
        labels = (np.arange(n) % 10).astype(np.uint8)
        (raw / f"{prefix}-labels-idx1-ubyte").write_bytes(bytes([0, 0, 8, 1]) + n.to_bytes(4, "big") + labels.tobytes())
    return root


def of_family(source: str) -> dict[str, object]:
    """The parameters that a family gives as its example."""
    return {key: value for key, value in domains.FAMILIES[source].example.items() if key != "source"}


EXAMPLES = {source: [of_family(source)] for source in domains.FAMILIES} | {
    "sklearn": [{"name": "digits"}, {"name": "wine"}, {"name": "breast_cancer"}],
    "torchvision": [{"name": "MNIST"}],
    "npz": [{"path": "colour.npz"}, {"path": "vectors.npz"}],
    "image_folder": [{"path": "pictures"}],
    "table": [{"path": "mixed.csv", "learn": "kind"}],
    "text": [{"path": "texts.csv"}],
    "recorded": [
        {"view": view, "train_samples": 300, "test_samples": 150, "exploration": 0.5} for view in ("vector", "image")
    ]
    + [
        {"environment": "cartpole3d", "view": view, "train_samples": 300, "test_samples": 60}
        for view in ("vector", "image")
    ],
}
CASES = [
    pytest.param({"source": source, **parameters}, id="-".join(str(v) for v in [source, *parameters.values()]))
    for source, examples in EXAMPLES.items()
    for parameters in examples
]
ONE_OF_EACH = [{"source": source, **examples[0]} for source, examples in EXAMPLES.items()]
"""For what is done to the samples of any source alike."""


def load(raw, data_root, root_seed=5, **variant):
    settings = validate(domains.FAMILIES[raw["source"]].settings, {**raw, **variant})
    return domains.load("d", settings, root_seed=root_seed, data_root=str(data_root), download=False)


@functools.cache
def _as_it_is(told, data_root):
    return load(json.loads(told), data_root)


def as_it_is(raw, data_root):
    """The data set without a variant, loaded once for all tests that compare something with it."""
    return _as_it_is(json.dumps(raw), data_root)


def arrays(domain):
    return [domain.train_x, domain.train_y, domain.test_x, domain.test_y]


def equal(one, other):
    return all(np.array_equal(a, b) for a, b in zip(arrays(one), arrays(other), strict=True))


def check_sound(domain):
    """Shapes, types and ranges that the rest of the library relies on, and a complete sheet."""
    for x, y in ((domain.train_x, domain.train_y), (domain.test_x, domain.test_y)):
        assert x.flags.c_contiguous
        assert y.flags.c_contiguous
        assert (y.dtype, y.shape) == (np.int64, (len(x),))
        assert x.shape[1:] == domain.shape
        assert (x.dtype, x.ndim) == ((np.uint8, 4) if domain.is_image else (np.float32, 2))
        assert y.min() >= 0
        assert y.max() < domain.labels
    sheet = domain.sheet
    assert sheet.description
    assert sheet.source
    assert sheet.licence
    assert sheet.class_names == () or len(sheet.class_names) == domain.labels
    assert sheet.value_range[0] <= domain.train_x.min()
    assert sheet.value_range[1] >= domain.train_x.max()
    assert set(sheet.checksums) == {"train_x", "train_y", "test_x", "test_y"}
    assert all(len(digits) == 64 for digits in sheet.checksums.values())


# ---- the registry


def test_every_source_of_the_configuration_is_registered_and_tested_here():
    assert set(domains.FAMILIES) == set(EXAMPLES)


def test_every_variant_parameter_is_tested_here():
    assert set(VARIANTS) == set(Labelled.model_fields)


@pytest.mark.parametrize("family", domains.FAMILIES.values(), ids=lambda family: family.source)
def test_families_are_described_and_their_examples_are_valid(family):
    assert family.kind == "labelled"
    assert family.description
    assert "\n" not in family.description
    assert "\n" not in family.samples
    told = json.loads(json.dumps(family.describe(), allow_nan=False))
    assert set(told["parameters"]) == set(family.settings.model_fields)
    assert all(parameter["description"] or name == "source" for name, parameter in told["parameters"].items())
    assert told["parameters"]["noise"]["default"] == 0.0
    settings = validate(family.settings, family.example)
    assert settings.label_space.startswith(family.source)


def test_a_missing_package_is_one_sentence(monkeypatch):
    monkeypatch.setattr("aiq.domains.family.find_spec", lambda name: None)
    with pytest.raises(DomainError, match="source 'sklearn' needs the Python package that provides 'sklearn'"):
        domains.load("d", domains.FAMILIES["sklearn"].settings(source="sklearn", name="wine"), root_seed=1)


# ---- every source


@pytest.mark.parametrize("raw", CASES)
def test_sound_and_deterministic(raw, data_root):
    domain = load(raw, data_root)
    check_sound(domain)
    assert equal(domain, load(raw, data_root))
    assert domain.name == "d"
    assert domain.label_space == validate(domains.FAMILIES[raw["source"]].settings, raw).label_space


@pytest.mark.parametrize("raw", CASES)
def test_the_root_seed_matters_exactly_where_chance_does(raw, data_root):
    """Sources with a split or a record of their own change with the seed; given splits do not."""
    given = raw["source"] in ("torchvision", "npz")
    one, other = as_it_is(raw, data_root), load(raw, data_root, root_seed=6)
    assert np.array_equal(one.train_x, other.train_x) == np.array_equal(one.test_x, other.test_x) == given


@pytest.mark.parametrize("raw", CASES)
def test_the_description_is_json_and_complete(raw, data_root):
    domain = as_it_is(raw, data_root)
    told = json.loads(json.dumps(domains.describe(domain), allow_nan=False))
    assert told["train_samples"] == sum(told["train_counts"].values()) == len(domain.train_y)
    assert told["test_samples"] == sum(told["test_counts"].values()) == len(domain.test_y)
    assert told["shape"] == list(domain.shape)
    assert told["sheet"]["checksums"] == domain.sheet.checksums
    assert set(told["sheet"]) == set(domains.DataSheet.__dataclass_fields__)


# ---- every variant of every source


@pytest.mark.parametrize("variant", [v for vs in VARIANTS.values() for v in vs], ids=str)
@pytest.mark.parametrize("raw", ONE_OF_EACH, ids=lambda raw: raw["source"])
def test_variants_are_sound_and_share_split_and_labels(raw, variant, data_root):
    base = as_it_is(raw, data_root)
    what = next(iter(variant))
    if what in OF_PICTURES and not base.is_image:
        with pytest.raises(DomainError, match=f"^domain d: {what} is (set|picture), but the samples are vectors"):
            load(raw, data_root, **variant)
        return
    domain = load(raw, data_root, **variant)
    check_sound(domain)
    assert (domain.labels, domain.label_space) == (base.labels, base.label_space)
    assert len(domain.sheet.notes) > len(base.sheet.notes) or what in OF_PICTURES
    for x, y, base_x, base_y in (
        (domain.train_x, domain.train_y, base.train_x, base.train_y),
        (domain.test_x, domain.test_y, base.test_x, base.test_y),
    ):
        check_relation(what, variant[what], x, y, base_x, base_y)


def check_relation(what, value, x, y, base_x, base_y):
    """How a variant's split follows from the whole data set's."""
    if what in ("classes", "limit", "limit_test"):
        known = {(sample.tobytes(), int(label)) for sample, label in zip(base_x, base_y, strict=True)}
        assert all((sample.tobytes(), int(label)) in known for sample, label in zip(x, y, strict=True))
        assert what != "classes" or len(np.unique(y)) <= 2
    elif what == "duplicate":
        assert np.array_equal(x, np.concatenate([base_x, base_x]))
        assert np.array_equal(y, np.tile(base_y, 2))
    elif what in ("twin", "twin_moves"):
        assert not (y == base_y).any()
        assert (x != base_x).any()
        assert np.array_equal(np.sort(x.reshape(len(x), -1)), np.sort(base_x.reshape(len(x), -1)))
    else:
        assert np.array_equal(y, base_y)
        if what == "grey":
            assert x.shape == (len(base_x), 1, *base_x.shape[2:])
        elif what == "size":
            assert x.shape == (len(base_x), base_x.shape[1], value, value)
        else:
            assert (x != base_x).any()


# ---- the real data sets


@pytest.fixture(scope="module")
def real_root():
    root = os.environ.get("AIQ_DATA_ROOT")
    if not root:
        pytest.skip("AIQ_DATA_ROOT is not set: no folder of real image data sets")
    return root


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "counts", "mean"),
    [
        ("MNIST", [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949], 0.1307),
        ("FashionMNIST", [6000] * 10, 0.2860),
    ],
)
def test_real_torchvision_data(real_root, name, counts, mean):
    """Class counts and mean grey level as published."""
    domain = load({"source": "torchvision", "name": name}, real_root)
    check_sound(domain)
    assert (len(domain.train_y), len(domain.test_y), domain.shape) == (60000, 10000, (1, 28, 28))
    assert np.bincount(domain.train_y).tolist() == counts
    assert domain.train_x.mean() / 255 == pytest.approx(mean, abs=5e-5)
    small = load({"source": "torchvision", "name": name}, real_root, size=32, limit=1000, noise=0.2)
    check_sound(small)
    assert small.train_x.shape == (1000, 1, 32, 32)


@pytest.mark.data
def test_real_archive(real_root):
    domain = load({"source": "npz", "path": "cifar10_grey32.npz", "labels": "cifar10"}, real_root)
    check_sound(domain)
    assert (len(domain.train_y), len(domain.test_y), domain.shape) == (50000, 10000, (1, 32, 32))
    assert np.bincount(domain.train_y).tolist() == [5000] * 10
