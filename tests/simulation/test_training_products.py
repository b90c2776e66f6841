"""Products of bfloat16: what is rounded and what is not, by every trainer; refused where there are none."""

from contextlib import contextmanager

import numpy as np
import pytest
import torch

from aiq.config.training import Pool, Training
from aiq.errors import InputError, TrainingError
from aiq.policies import networks, pool
from aiq.records.trial import Architecture, Policy
from aiq.tasks.running.checks import check_processor
from aiq.training import device, processor, supervised
from aiq.training.alone import train_alone
from aiq.training.data import LabelledData, mixed
from aiq.training.mixtures import train_mixtures
from aiq.training.networks.convolutional import ConvolutionalNet
from aiq.training.networks.convolutional_batch import ConvolutionalNets
from aiq.training.networks.dense import DenseNets
from aiq.training.networks.rounded_products import LOW, multiply
from tests.simulation.test_training_exactness import pictures

CPU = torch.device("cpu")
ULP = 2.0**-8  # largest relative error of one rounding to bfloat16, with room for a tie
here = pytest.mark.skipif(not processor.has_bfloat16(), reason="this processor does not multiply in bfloat16")


def training(**changes):
    values = {"epochs": 2, "batch_size": 32, "optimizer": {"name": "adam", "learning_rate": 0.01}}
    return Training.model_validate(values | {"products": "bfloat16"} | changes)


@pytest.mark.parametrize("count", [None, 3])
@pytest.mark.parametrize(("n", "k", "m"), [(1, 1, 1), (7, 13, 5), (40, 300, 33)])
def test_a_product_is_that_of_the_rounded_factors(count, n, k, m):
    torch.manual_seed(1)
    leading = () if count is None else (count,)
    a, b = torch.randn(*leading, n, k), torch.randn(*leading, k, m)
    low, high = a.to(LOW).double(), b.to(LOW).double()
    found = multiply(a, b, torch.empty(*leading, n, m)).double()
    allowed = ULP * (low @ high).abs() + 1e-6 * (low.abs() @ high.abs())
    assert bool(((found - low @ high).abs() <= allowed).all())


def test_factors_and_not_only_results_are_rounded():
    a = torch.tensor([[1 + 2.0**-9, 1.0]])  # rounds to 1
    assert float(multiply(a, torch.tensor([[1.0], [-1.0]]), torch.empty(1, 1))) == 0.0


def of_one_step(make, x, y):
    """Gradients of one step in single precision and with rounded products, of all networks."""
    found = []
    for rounded in (False, True):
        nets = make(rounded)
        nets.differentiate(x, y)
        found.append([g for index in range(len(getattr(nets, "architectures", (0,)))) for g in nets.gradients(index)])
    return found


def assert_near(plain, low):
    """Gradients differ, by some roundings (more where another node or place is now the one that counts)."""
    gaps = [float((a - b).norm() / a.norm()) for a, b in zip(plain, low, strict=True)]
    assert 1e-5 < max(gaps) < 0.2
    assert np.median(gaps) < 4 * ULP


@pytest.mark.parametrize("shared", [True, False])
def test_gradients_of_dense_networks_are_those_of_single_precision_up_to_rounding(shared):
    widths = [(9, 5), (4,), ()] if shared else [(9, 5)] * 3
    architectures = [Architecture("dense", w) for w in widths]
    weights = [networks.initial_weights(a, (1, 6, 6), 4, seed) for seed, a in enumerate(architectures)]
    torch.manual_seed(1)
    x = torch.rand(16, 36) if shared else torch.rand(3, 16, 36)
    y = torch.randint(0, 4, (16,) if shared else (3, 16))
    assert_near(*of_one_step(lambda low: DenseNets(architectures, weights, shared=shared, rounded=low), x, y))


@pytest.mark.parametrize("reduction", ["pooling", "stride"])
def test_gradients_of_convolutional_networks_are_those_of_single_precision_up_to_rounding(reduction):
    architecture = Architecture("convolutional", (5, 6), 12, reduction)
    weights = networks.initial_weights(architecture, (1, 12, 12), 4, 1)
    torch.manual_seed(1)
    side = (3, 3) if reduction == "pooling" else (2, 2)
    x, y = torch.rand(16, 1, 12, 12), torch.randint(0, 4, (16,))
    found = of_one_step(lambda low: ConvolutionalNet(architecture, weights, side=side, shared=True, rounded=low), x, y)
    assert_near(*found)


def test_a_step_of_convolutional_networks_in_batches_is_rounded_and_keeps_its_weights_in_single_precision():
    chunk = [Architecture("convolutional", widths, 12, "stride") for widths in ((5, 6), (3, 6))]
    weights = [networks.initial_weights(a, (1, 12, 12), 4, seed) for seed, a in enumerate(chunk)]
    torch.manual_seed(1)
    x, y = torch.rand(16, 1, 12, 12), torch.randint(0, 4, (16,))
    made = [ConvolutionalNets(chunk, weights, shared=True, rounded=low) for low in (False, True)]
    for nets in made:
        nets.optimize(training(optimizer={"name": "sgd", "learning_rate": 1.0}).optimizer)
        nets.step(x, y)
    moved = [[new - old for new, old in zip(nets.weights(0), weights[0], strict=True)] for nets in made]
    assert {tensor.dtype for tensor in made[1].weights(0)} == {torch.float32}
    assert_near(*moved)


def test_accuracies_are_measured_in_single_precision():
    chunk = pool.chunk(Pool(size=6, policies_per_chunk=6), 1, "one", 0)
    weights = [networks.initial_weights(p.architecture, (1, 6, 6), 4, p.seed) for p in chunk]
    x, y = torch.rand(400, 36), torch.randint(0, 4, (400,))
    plain, low = (
        DenseNets([p.architecture for p in chunk], weights, shared=True, rounded=rounded) for rounded in (False, True)
    )
    assert torch.equal(plain.right(x, y), low.right(x, y))


@here
def test_a_policy_learns_the_same_alone_and_among_others():
    data, settings = LabelledData.of(pictures(n=700)), training(optimizer={"name": "sgd", "learning_rate": 0.05})
    chunk = pool.chunk(Pool(size=8, policies_per_chunk=8), 3, "one", 0)
    among = supervised.train_chunk(data, chunk, settings, order_seed=1)
    for policy, trial in list(zip(chunk, among, strict=True))[:3]:
        alone = supervised.train_chunk(data, [policy], settings, order_seed=1)[0]
        assert trial.losses == pytest.approx(alone.losses, abs=0.01)


TRAININGS = {
    "a pool": lambda data, pair, rule: [
        t.performance
        for t in supervised.train_chunk(
            data, [Policy(Architecture("dense", (16, 8)), s) for s in range(3)], rule, order_seed=1
        )
    ],
    "convolutions": lambda data, pair, rule: [
        t.performance
        for t in supervised.train_chunk(
            data, [Policy(Architecture("convolutional", (4, 4), 16), s) for s in range(2)], rule, order_seed=1
        )
    ],
    "mixtures": lambda data, pair, rule: [
        r.performance
        for r in train_mixtures(
            pair, Architecture("dense", (16,)), rule, proportions=[0, 1], repetitions=[0, 1], samples=900, seed=1
        )
    ],
    "ends and controls": lambda data, pair, rule: [
        r.performance
        for r in train_alone(data, Architecture("dense", (16,)), rule, places=[(0.6, 0), (1.0, 0)], samples=900, seed=1)
    ],
}


@here
@pytest.mark.parametrize("trainer", ["population", "reference"])
@pytest.mark.parametrize("what", TRAININGS)
def test_every_training_learns_as_much_as_in_single_precision_and_repeats_to_the_bit(what, trainer):
    domain = pictures(n=2000)
    data, pair = LabelledData.of(domain), mixed(domain, pictures("two", n=2000, seed=1))
    train, told = TRAININGS[what], {"trainer": trainer, "epochs": 4}
    low = train(data, pair, training(**told))
    single = train(data, pair, training(products="float32", **told))
    assert np.abs(np.subtract(low, single)).max() < 0.06
    assert np.mean(low) > 0.4
    assert train(data, pair, training(**told)) == low


@pytest.fixture
def old_processor(monkeypatch, tmp_path):
    """A processor without bfloat16."""
    told = tmp_path / "cpuinfo"
    told.write_text("processor : 0\nflags\t\t: fpu avx2 avx512f\n")
    monkeypatch.setattr(processor, "TOLD", told)
    processor.has_bfloat16.cache_clear()
    yield
    processor.has_bfloat16.cache_clear()


@pytest.mark.parametrize(
    ("words", "has"),
    [
        ("flags : fpu avx512_bf16", True),
        ("flags : amx_bf16", True),
        ("Features : fp asimd bf16", True),
        ("flags : avx512f", False),
        ("", False),
    ],
)
def test_what_the_system_says_of_the_processor_is_read(words, has, monkeypatch, old_processor):
    processor.TOLD.write_text(f"model name : one with bf16 in its name\n{words}\n")
    assert processor.has_bfloat16() is has


def test_a_training_is_refused_where_the_processor_has_no_bfloat16(old_processor):
    data = LabelledData.of(pictures())
    chunk = [Policy(Architecture("dense", (4,)), 1)]
    with pytest.raises(TrainingError, match=r"does not multiply in bfloat16.*take float32"):
        supervised.train_chunk(data, chunk, training(), order_seed=1)
    supervised.train_chunk(data, chunk, training(products="float32"), order_seed=1)


def test_a_training_is_refused_where_the_gpu_has_no_bfloat16(monkeypatch):
    """The second of two GPUs is the old one; torch answers for the one in use."""
    used = [0]

    @contextmanager
    def using(where):
        before, used[0] = used[0], where.index
        yield
        used[0] = before

    monkeypatch.setattr(torch.cuda, "device", using)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: used[0] == 0)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda where: "an old GPU")
    device.check_products(training(), torch.device("cuda", 0))
    with pytest.raises(TrainingError, match="which an old GPU does not have"):
        device.check_products(training(), torch.device("cuda", 1))
    assert used == [0]


def test_a_run_on_this_machine_is_refused_before_it_starts(old_processor, low_run):
    with pytest.raises(InputError, match="does not multiply in bfloat16"):
        check_processor(low_run)


@pytest.fixture
def low_run(quickstart):
    """The quick start with products of bfloat16 in its mixtures."""
    from aiq.plans.run import Run

    quickstart["dissimilarity"]["training"]["products"] = "bfloat16"
    return Run.of(quickstart)


def test_fingerprints_tell_products_of_bfloat16_and_nothing_of_single_precision(quickstart):
    from aiq.plans.run import Run

    def fingerprint():
        return Run.of(quickstart).plan.trials(next(iter(quickstart["domains"])))

    before = fingerprint()
    quickstart["training"]["products"] = "float32"
    assert fingerprint() == before
    quickstart["training"]["products"] = "bfloat16"
    assert fingerprint() != before


@pytest.fixture
def quickstart():
    """The settings of the quick start."""
    from aiq.config.load import read

    return read("config/quickstart.yaml")
