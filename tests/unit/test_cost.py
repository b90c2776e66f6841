"""The cost model: what it knows before data are read, how jobs follow from it, and that it is near real timings."""

import copy
import json
import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.config.base import BUILT_IN, read_calibration, render_calibration
from aiq.config.load import parse, read
from aiq.config.training import Network, Pool, Reinforcement
from aiq.domains import load as load_domain
from aiq.errors import ConfigurationError
from aiq.plans.cost import MARGIN, NESTED, SAFETY, START, Costs, Work, of_network, of_pool, sizes
from aiq.plans.run import Run
from aiq.plans.sizing import OVERHEAD, together
from aiq.plans.suite import SuitePlan
from aiq.policies import networks
from aiq.policies.networks import parameters
from aiq.run.costing import Cost, StageCost, shard_bytes
from aiq.run.playing import REPEATS, extrapolated, shorter
from aiq.storage import shards
from aiq.training.data import LabelledData
from aiq.training.supervised import train_chunk
from aiq.wings.algorithmic import plan as algorithmic_cost
from aiq.wings.anytime import plan as anytime_cost
from aiq.wings.collectives import plan as collectives_cost
from aiq.wings.similarity2020 import plan as similarity_cost
from aiq.wings.similarity2020.work import _whole

ROOT = Path(__file__).parents[2]
BASE = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
MNIST = {"source": "torchvision", "name": "MNIST"}


def raw(jobs: dict | None = None, domain: dict | None = None, **pool: object) -> dict:
    made = copy.deepcopy(BASE)
    made["domains"] = {name: {**(domain or MNIST), "noise": k / 10} for k, name in enumerate("abcd")}
    made["pool"] |= pool
    made["jobs"] = jobs or {}
    return made


# ---- sizes ---------------------------------------------------------------------------------------


def test_sizes_are_those_of_the_data_where_data_ship_with_the_libraries():
    configuration = parse(read(ROOT / "config" / "quickstart.yaml"))
    for name, entry in configuration.domains.items():
        found = load_domain(name, entry, root_seed=1, data_root=None, download=False)
        told = sizes(entry)
        assert told.certain
        assert told.shape == found.shape
        assert told.classes == len(set(found.train_y.tolist()))
        assert told.train == pytest.approx(len(found.train_y), rel=0.01)
        assert told.test == pytest.approx(len(found.test_y), rel=0.02)
        assert told.item_bytes == found.train_x.itemsize


@pytest.mark.parametrize(
    ("changes", "train", "shape"),
    [
        ({}, 60_000, (1, 28, 28)),
        ({"limit": 500}, 500, (1, 28, 28)),
        ({"limit": 500, "duplicate": 3, "size": 32}, 1500, (1, 32, 32)),
        ({"classes": [0, 3], "limit": 10**6}, 12_000, (1, 28, 28)),
        ({"classes": {"random": 5}}, 30_000, (1, 28, 28)),
        ({"name": "CIFAR10", "grey": True}, 50_000, (1, 32, 32)),
    ],
)
def test_variants_change_sizes(changes, train, shape):
    found = sizes(parse(raw(domain={**MNIST, **changes})).domains["a"])
    assert (found.train, found.shape) == (train, shape)


def test_what_nobody_knows_before_it_is_read_is_told_as_an_assumption():
    found = parse(raw(domain={"source": "npz", "path": "x.npz", "limit": 100})).domains["a"]
    assert (sizes(found).certain, sizes(found).train) == (False, 100)


# ---- seconds -------------------------------------------------------------------------------------


def test_parameters_are_counted_as_the_networks_count_them():
    for layers, width in [(0, 1), (1, 8), (3, 64)]:
        agent = Network(layers=layers, width=width)
        found = of_network(agent, 2, (4, 4, 4), 7)
        assert found.parameters == 2 * parameters(networks.from_network(agent), (4, 4, 4), 7)
    one = Pool(size=8, policies_per_chunk=8, layers=(2, 2), width=(5, 5))
    assert of_pool(one, (12,), 3).parameters == 8 * (12 * 5 + 5 + 25 + 5 + 15 + 3)


@settings(max_examples=40, deadline=None)
@given(factor=st.integers(2, 10))
def test_work_grows_with_what_there_is_to_do(factor):
    small, large = (Costs(parse(r), BUILT_IN) for r in (raw(), raw(policies_per_chunk=64)))
    assert large.chunk("a").seconds > small.chunk("a").seconds
    longer = raw()
    longer["training"]["epochs"] *= factor
    ratio = Costs(parse(longer), BUILT_IN).chunk("a").seconds / small.chunk("a").seconds
    assert ratio == pytest.approx(factor, rel=0.15)
    less = Costs(parse(raw(domain={**MNIST, "limit": 60_000 // factor})), BUILT_IN)
    assert less.chunk("a").seconds == pytest.approx(small.chunk("a").seconds / factor, rel=0.15)
    assert less.chunk("a").megabytes < small.chunk("a").megabytes


def test_the_model_is_near_the_processor_time_of_a_real_training():
    """Wide limits: the machine of the test is not that of the constants; it is the same for two trainings by turns."""
    short = parse(raw(domain={"source": "sklearn", "name": "digits"}))
    long = short.model_copy(
        update={"training": short.training.model_copy(update={"epochs": 4 * short.training.epochs})}
    )
    domain = load_domain("a", short.domains["a"], root_seed=1, data_root=None, download=False)
    data, policies = LabelledData.of(domain), networks.chunk(short.pool, 1, "a", 0)
    times: list[list[float]] = [[], []]
    for _ in range(4):
        for c, spent in zip((short, long), times, strict=True):
            begun = time.process_time()
            train_chunk(data, policies, c.training, order_seed=1)
            spent.append(time.process_time() - begun)
    told = [Costs(c, BUILT_IN).chunk("a").seconds for c in (short, long)]
    assert 0.2 < min(times[0]) / told[0] < 10
    assert 0.5 < (min(times[1]) / min(times[0])) / (told[1] / told[0]) < 2


# ---- resources and cuts --------------------------------------------------------------------------


def test_a_job_asks_for_more_than_it_should_need():
    work = Work(1200.0, 2000.0)
    assert work.minutes * 60 == SAFETY * 1200
    assert work.mem_mb >= MARGIN * 2000 + NESTED
    assert NESTED >= 2 * 136  # measured: a process that parses the workflow of 200 domains
    assert (Work(1.0, 1.0).minutes, Work(1.0, 1.0).mem_mb) == (10, 1000)


def test_jobs_that_only_play_ask_for_their_episodes_and_their_worlds():
    played = yaml.safe_load((ROOT / "config" / "cartpole3d-small.yaml").read_text(encoding="utf-8"))
    played["agents"]["outside"] = [{"name": "mine", "factory": "mine:agent", "episodes": 100}]
    configuration = parse(played)
    few = SuitePlan(configuration).sizing
    played["agents"]["outside"][0]["episodes"] = played["baseline"]["episodes"] = 100_000
    many = SuitePlan(parse(played)).sizing
    domain = next(iter(configuration.domains))
    for work in (lambda sizing: sizing.baseline_play(domain), lambda sizing: sizing.agents(domain, ["mine"])):
        assert work(many).seconds / work(few).seconds == pytest.approx(1000, rel=0.2)
        assert work(many).minutes > work(few).minutes >= 10
        assert work(few).mem_mb == work(many).mem_mb > 1061  # what the small run was seen to need


@settings(max_examples=60, deadline=None)
@given(minutes=st.floats(2, 600), epochs=st.integers(1, 300), limit=st.integers(100, 60_000))
def test_jobs_last_about_as_long_as_they_should(minutes, epochs, limit):
    made = raw({"target_minutes": minutes}, {**MNIST, "limit": limit}, size=8 * 10_000)
    made["training"]["epochs"] = epochs
    plan = SuitePlan(parse(made))
    count = plan.sizing.chunks_per_job("a")
    seconds = plan.sizing.chunks("a", range(count)).seconds
    assert count & (count - 1) == 0  # a power of two
    assert count == 1 or 0.7 * 60 * minutes <= seconds <= 1.42 * 60 * minutes
    assert count == 1 or BUILT_IN.start / (BUILT_IN.start + seconds) < 1.5 * OVERHEAD
    whole = plan.sizing.chunks("a", range(2 * count))
    assert whole.seconds == pytest.approx(2 * seconds)


def test_counts_that_are_given_decide_and_growing_keeps_jobs():
    given_ = SuitePlan(parse(raw({"chunks_per_job": 3, "mixtures_per_job": 2, "agents_per_job": 4})))
    assert [job.last - job.first for job in given_.trial_jobs("a")][:2] == [2, 2]
    assert max(len(job.pairs) for job in given_.mixture_jobs) == 2
    small, large = (SuitePlan(parse(raw(size=size))) for size in (8_000, 80_000))
    assert set(small.trial_jobs("a")[:-1]) <= set(large.trial_jobs("a"))
    assert len(large.trial_jobs("a")) > 1


def test_together_adds_time_and_keeps_the_largest_memory():
    assert together([Work(1, 5), Work(2, 3)], 3) == Work(9, 5)
    assert together([]) == Work(0, 0)


# ---- calibration ---------------------------------------------------------------------------------


def test_a_calibration_decides_the_cut_and_nothing_else(tmp_path: Path):
    path = tmp_path / "site.json"
    slow = BUILT_IN.model_copy(update={"factors": BUILT_IN.factors.model_copy(update={"trials": 8.0})})
    path.write_text(render_calibration(slow))
    assert read_calibration(path) == slow
    one, other = SuitePlan(parse(raw(size=80_000))), SuitePlan(parse(raw({"calibration": str(path)}, size=80_000)))
    assert one.sizing.chunks_per_job("a") == 8 * other.sizing.chunks_per_job("a")
    assert one.trials("a") == other.trials("a")
    assert one.scores() == other.scores()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read: No such file"),
        ("{", "is not JSON"),
        ("[]", "must hold one object"),
        (json.dumps({"machin": "x"}), "unknown key 'machin' (did you mean 'machine'?)"),
        (json.dumps({"start": 0}), "at start: must be greater than 0 (given: 0)"),
    ],
)
def test_a_bad_calibration_is_one_sentence(tmp_path: Path, text, words):
    path = tmp_path / "site.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigurationError) as error:
        SuitePlan(parse(raw({"calibration": str(path)})))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


# ---- other measures ------------------------------------------------------------------------------


def test_jobs_of_other_measures_ask_for_time_in_proportion_to_their_work():
    algorithmic = parse(yaml.safe_load((ROOT / "config" / "algorithmic-quickstart.yaml").read_text("utf-8")))
    entries = {entry.name: entry for entry in algorithmic.agents}

    def work(name, length=300, **how):
        return algorithmic_cost.pairs(algorithmic, entries[name], length, **how).seconds - START

    assert work("q-0", 3000) == pytest.approx(10 * work("q-0"))
    assert work("mc-aixi-30-12") > work("mc-aixi-10-12") > work("mc-aixi-10-4") > 3 * work("random")
    assert work("mc-aixi-30-12", jobs=4) == pytest.approx(work("mc-aixi-30-12") / 4)
    anytime = parse(yaml.safe_load((ROOT / "config" / "anytime-quickstart.yaml").read_text("utf-8")))
    few, many = (anytime_cost.tests(anytime, "cups", n) for n in (10, 100))
    assert many.seconds - START == pytest.approx(10 * (few.seconds - START))
    assert anytime_cost.tests(anytime, "programs", 10).seconds > few.seconds
    collectives = parse(yaml.safe_load((ROOT / "config" / "collectives-quickstart.yaml").read_text("utf-8")))
    one, two = (collectives_cost.episodes(collectives, n, 1000).seconds - START for n in (1, 2))
    assert two == pytest.approx(2 * one)


def test_merged_tests_cost_what_their_limits_leave():
    raw = yaml.safe_load((ROOT / "config" / "similarity-proportion.yaml").read_text("utf-8"))

    def work(limit):
        for one in raw["domains"].values():
            one["limit"] = limit
        run = Run.of(raw)
        units = {name: unit for job in run.plan.jobs for name, unit in job.units.items()}
        return similarity_cost.cost_of(run.configuration, units).seconds - START

    assert work(3000) == pytest.approx(2 * work(1500))


@pytest.mark.parametrize("fixed", [0.0, 2.0])
def test_what_every_merged_training_takes_whatever_its_length_is_told_apart(fixed):
    slower = 3.0  # this machine, for every second of the model
    once, more = ((fixed + slower * modelled, modelled) for modelled in (0.5, 2.5))
    assert _whole(once, more, modelled=200.0, count=40) == pytest.approx(40 * fixed + slower * 200)
    assert _whole(once, None, modelled=200.0, count=40) == pytest.approx(once[0] / 0.5 * 200)
    assert _whole(once, (once[0] - 0.1, 2.5), 200.0, 40) == pytest.approx(once[0] / 0.5 * 200)  # noise: no slope


# ---- ends of domains ------------------------------------------------------------------------------


def compared(name: str, count: int, ends: str) -> tuple[int, float]:
    """Trainings and core-seconds of all dissimilarities of a suite in which every domain is a data set of its own."""
    made = yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text(encoding="utf-8"))
    size = {"limit": 5000, "limit_test": 1000, "size": 32}
    size = size if name == "benchmark-images" else {"limit": 900, "limit_test": 450, "size": 8}
    made["domains"] = {f"d{k}": {"source": "npz", "path": f"{k}.npz", "grey": True, **size} for k in range(count)}
    made["dissimilarity"] |= {"ends": ends, "landmarks": None}
    plan = SuitePlan(parse({**made, "agents": {}}))
    settings, costs = plan.configuration.dissimilarity, plan.sizing.costs
    seconds = sum(costs.pair(a, b).seconds for a, b in plan.pairs) * settings.chunks
    trainings = len(plan.pairs) * len(settings.trained_points) * settings.repetitions
    for job in plan.ends.jobs:
        seconds += plan.sizing.alone(job.domain, job.units).seconds
        for part, _ in job.units:
            each = len(settings.shares) * plan.ends.together("controls")
            trainings += settings.ends_together if part == "ends" else each
    return trainings, seconds


@pytest.mark.parametrize(
    ("name", "ratios"),
    [
        ("benchmark-images", {4: 1.170, 7: 1.038, 8: 0.968, 12: 0.922, 20: 0.883, 40: 0.853}),
        ("quickstart", {4: 1.357, 8: 1.072, 12: 0.998, 20: 0.935, 40: 0.885}),
    ],
)
def test_shared_ends_and_controls_cost_less_than_ends_of_pairs_in_large_suites(name, ratios):
    """With the networks of the images from 8 domains on; with those of the quickstart, mostly calls, from 8 or 12."""
    for count, ratio in ratios.items():
        (before, old), (trainings, new) = (compared(name, count, ends) for ends in ("pair", "domain"))
        pairs, controls = count * (count + 1) // 2, 5 if count < 8 else 3
        assert (before, trainings) == (pairs * 55, pairs * 45 + count * (15 + 9 * controls))
        assert new / old == pytest.approx(ratio, abs=0.015)


def test_a_pool_under_the_interface_of_the_suite_costs_what_its_width_costs():
    """A narrow domain beside wide pictures: more memory and time, as many outputs as the largest pair; samples stay."""
    made = raw()
    made["domains"] = {"wine": {"source": "sklearn", "name": "wine"}, "pictures": MNIST}
    made["pool"] |= {"family": "dense"}
    own = Costs(parse(made), BUILT_IN)
    made["pool"]["interface"] = "suite"
    suite = Costs(parse(made), BUILT_IN)
    assert suite.interface.inputs == 784
    assert suite.interface.classes == 13
    assert suite.chunk("wine").seconds > own.chunk("wine").seconds
    assert suite.chunk("wine").megabytes > own.chunk("wine").megabytes
    assert suite.chunk("wine").seconds < suite.chunk("pictures").seconds / 10  # it has fewer samples all the same
    assert suite.agent("wine", made["agents"]["networks"][0]["name"]) == own.agent(
        "wine", made["agents"]["networks"][0]["name"]
    )


# ---- an estimate from timings, and how it becomes a calibration ----------------------------------


class Clock:
    """A clock that goes on by what the work says."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.mark.parametrize(("fixed", "each"), [(0.0, 10.0), (2.0, 5.0), (3.0, 0.0)])
def test_a_line_through_two_shares_gives_the_whole(fixed, each):
    clock, calls = Clock(), []

    def work(share: float) -> None:
        calls.append(share)
        clock.time += fixed + each * share

    assert extrapolated(work, 0.1, 0.3, clock) == pytest.approx(fixed + each)
    assert calls == [0.1, *([0.1, 0.3] * REPEATS)]


def test_a_machine_that_slows_down_in_between_shifts_an_estimate_little():
    clock, speed = Clock(), iter((1.0, 1.0, 1.0, 2.0, 2.0))

    def work(share: float) -> None:
        clock.time += 10 * share * next(speed)

    assert extrapolated(work, 0.1, 0.3, clock) == pytest.approx(15)  # the mean of both speeds


def test_the_bytes_of_shards_are_those_of_shards(tmp_path: Path):
    tree = {"x": np.arange(50), "words": np.array(["a", "bc"] * 9, dtype=object)}
    told = shard_bytes("trials", [tree], 12, 2)
    for k in range(2):
        units = {f"unit-{i:06d}": shards.Unit("0" * 16, tree) for i in range(6)}
        shards.write(tmp_path / f"{k}.h5", "trials", "0" * 16, 1, units)
    real = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert told == pytest.approx(real, rel=0.15)


def test_short_trainings_have_a_share_of_the_steps_and_one_evaluation_of_one_episode():
    settings = Reinforcement(
        algorithm="dqn", steps=10_000, optimizer={"name": "adam", "learning_rate": 0.001}, evaluation={"every": 500}
    )
    least, half, whole = (shorter(settings, share) for share in (0.0, 0.5, 1.0))
    assert least.steps > max(settings.learning_starts, settings.batch_size)
    assert whole.steps == settings.steps
    assert half.steps == pytest.approx((least.steps + whole.steps) / 2, abs=1)
    for short in (least, half, whole):
        looked = short.evaluation
        assert (looked.every, looked.episodes, looked.final_episodes) == (short.steps, 1, 1)
        assert short.optimizer == settings.optimizer


def test_a_cost_adds_its_stages_and_becomes_a_calibration(tmp_path: Path):
    stages = (StageCost("domains", 2, 0, 10.0, 0.0, 100.0), StageCost("trials", 4, 64, 80.0, 60.0, 1000.0))
    cost = Cost(stages, 2.5, factors={"trials": 3.0, "agents": 0.5})
    found = json.loads(json.dumps(cost.as_dict()))
    assert (found["jobs"], found["trials"], found["disk_bytes"]) == (6, 64, 1100.0)
    assert found["core_hours"] == pytest.approx(90 / 3600)
    assert [row["stage"] for row in found["stages"]] == ["domains", "trials"]
    made = cost.calibration()
    assert (made.factors.trials, made.factors.agents, made.factors.mixtures) == (3.0, 0.5, 1.0)
    assert made.start == 5.0
    assert cost.calibration(made).factors.trials == 9.0  # on top of what was known
    (tmp_path / "c.json").write_text(render_calibration(made))
    assert read_calibration(tmp_path / "c.json") == made
    assert made.step == BUILT_IN.step
