"""What the model alone says of a suite: at once, without data, jobs exactly, requests as the rules make them."""

import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from command_line import Aiq, record, refused
from PIL import Image

from aiq.config import parse
from aiq.domains.family import Sizes
from aiq.plans.run import Run
from aiq.plans.suite import SuitePlan
from aiq.run.costing import expected
from aiq.run.expected import looked_up

ROOT = Path(__file__).parents[2]
QUICKSTART = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text("utf-8"))
KEYS = {"jobs", "trials", "core_hours", "gpu_hours", "disk_bytes", "inodes", "largest_memory_mb", "longest_job_minutes"}


DIGITS = {"digits": {"source": "sklearn", "name": "digits"}}


def suite(domains: dict, **changed: object) -> dict:
    """The quickstart on other domains, cut by the model."""
    return {**QUICKSTART, "domains": domains, "jobs": {}, **changed}


MNIST = {"source": "torchvision", "name": "MNIST"}


def test_200_domains_take_seconds_and_no_data(aiq: Aiq):
    raw = suite({f"m-{k:03d}": {**MNIST, "noise": k / 1000} for k in range(200)}, data_root="nowhere", download=False)
    begun = time.process_time()
    told = record(aiq("estimate", "c.yaml", "--json", c_yaml=yaml.safe_dump(raw, sort_keys=False)))
    assert time.process_time() - begun < 10
    assert told.keys() >= KEYS
    assert told["trials"] == 200 * 128 + 200 * 6 * 5 + 20_100 * 5 * 9 + 200 * (15 + 3 * 9)
    assert told["modelled"] is True
    assert not Path("results").exists()


def test_the_quickstart_is_near_what_its_page_tells():
    """The suite of before took 121 s of wall time of its jobs on quiet cores and 20.4 MB; docs/runs/quickstart.md."""
    cost = expected(QUICKSTART)
    assert cost.jobs == 60  # with the page
    assert 121.2 / 1.5 < cost.core_hours * 3600 < 121.2 * 1.5
    assert 20.4e6 / 1.5 < cost.disk_bytes < 20.4e6 * 1.5


def test_processor_seconds_of_played_suites_are_told_within_a_factor_of_two():
    """202.4 s were measured; benchmarks/results/estimates.md."""
    raw = yaml.safe_load((ROOT / "benchmarks" / "control-small.yaml").read_text("utf-8"))
    assert 202.4 / 2 < 3600 * expected(raw).core_hours < 2 * 202.4


def test_a_step_of_a_suite_takes_as_long_as_that_of_its_slowest_world():
    raw = yaml.safe_load((ROOT / "benchmarks" / "control-small.yaml").read_text("utf-8"))
    quick = expected(raw).core_hours
    slow = {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0]}
    assert expected({**raw, "domains": {**raw["domains"], "normal": slow}}).core_hours > 1.5 * quick


def test_on_a_gpu_its_hours_are_told_beside_those_of_cores():
    cost = expected({**QUICKSTART, "device": "cuda"})
    assert 0 < cost.gpu_hours < cost.core_hours
    assert expected(QUICKSTART).gpu_hours == 0
    more = cost.asked.megabytes - expected(QUICKSTART).asked.megabytes
    assert more > 2000  # CUDA's libraries


def test_sizes_of_a_sheet_take_the_place_of_assumptions(aiq: Aiq):
    raw = suite({"mine": {"source": "npz", "path": "mine.npz"}, **DIGITS})
    assumed = record(aiq("estimate", "c.yaml", "--json", c_yaml=yaml.safe_dump(raw, sort_keys=False)))
    assert assumed["assumed"] == ["mine"]
    sheet = "domain,train,test,classes,shape\nmine,500,100,2,1x8x8\n"
    told = record(aiq("estimate", "c.yaml", "--sizes", "s.csv", "--json", s_csv=sheet))
    assert told["assumed"] == []
    assert told["core_hours"] < assumed["core_hours"]
    for name, words in [("mine.npz", "lacks x_train"), ("none.npz", "there is no NumPy archive")]:
        np.savez("mine.npz", train_x=np.zeros((3, 2)))
        changed = yaml.safe_dump(suite({"mine": {"source": "npz", "path": name}, **DIGITS}))
        out = aiq("estimate", "c.yaml", c_yaml=changed)[1]
        assert words in " ".join(out.split()).partition("sizes of 1 domain assumed (mine): ")[2]
    for text, words in [
        ("domain,train,test,classes,shape\nmine,x,1,1,4\n", "a size of 'mine' is no whole number"),
        ("domain,train,test,classes,shape\nmin,1,1,1,4\n", "'min', which is none of the suite"),
        ("domain,train\nmine,1\n", "has a row without test"),
        ("domain,train,test,classes,shape\nmine,1,1,0,4\n", "must be positive"),
    ]:
        refused(aiq("estimate", "c.yaml", "--sizes", "s.csv", s_csv=text), words)
    assert aiq("estimate", "c.yaml", "--sizes", "none.csv")[0] == 2
    assert aiq("estimate", "c.yaml", "--sizes", "s.csv", "--measure")[0] == 2


def test_own_archives_and_folders_are_sized_by_their_headers(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vectors = {"x_train": np.zeros((90, 4)), "y_train": np.arange(90) % 3}
    np.savez("vectors.npz", **vectors, x_test=np.zeros((30, 4)), y_test=np.arange(30) % 3)
    grey = {"x_train": np.zeros((50, 8, 9), np.uint8), "y_train": np.arange(50) % 2}
    np.savez_compressed("grey.npz", **grey, x_test=np.zeros((20, 8, 9), np.uint8), y_test=np.arange(20) % 2)
    colour = {"x_train": np.zeros((50, 8, 9, 3), np.uint8), "y_train": np.arange(50) % 2}
    np.savez("colour.npz", **colour, x_test=np.zeros((20, 8, 9, 3), np.uint8), y_test=np.arange(20) % 2)
    for name in ("cat", "dog"):
        Path("pictures", name).mkdir(parents=True)
        for number in range(20):
            Image.new("RGB", (6, 5)).save(Path("pictures", name, f"{number}.png"))
    raw = suite(
        {
            "vectors": {"source": "npz", "path": "vectors.npz"},
            "fewer": {"source": "npz", "path": "vectors.npz", "classes": 2, "limit": 40},
            "grey": {"source": "npz", "path": "grey.npz"},
            "colour": {"source": "npz", "path": "colour.npz", "grey": True},
            "folder": {"source": "image_folder", "path": "pictures", "test_fraction": 0.25},
            "gone": {"source": "npz", "path": "gone.npz"},
        }
    )
    run = Run.of(raw)
    jobs = run.plan.shards()
    assert looked_up(run) == {
        "vectors": Sizes(90, 30, 3, (4,)),
        "fewer": Sizes(40, 20, 2, (4,)),
        "grey": Sizes(50, 20, 2, (1, 8, 9)),
        "colour": Sizes(50, 20, 2, (1, 8, 9)),
        "folder": Sizes(30, 10, 2, (3, 5, 6)),
    }
    cost = expected(raw)
    assert cost.assumed == ("gone",)
    Path("vectors.npz").unlink()
    assert Run.of(raw).plan.shards() == jobs  # jobs are cut alike wherever the configuration is read


def test_a_mixtures_job_counts_every_domain_that_it_holds():
    raw = suite({f"m-{k}": {**MNIST, "noise": k / 100} for k in range(9)})
    sizing = SuitePlan(parse(raw)).sizing
    pairs = [(f"m-{k}", "m-8") for k in range(9)]
    few, many = sizing.mixtures(pairs[:1]), sizing.mixtures(pairs[:8])
    each = sizing.costs.sizes["m-0"].megabytes
    assert each > 50
    assert many.megabytes - few.megabytes == pytest.approx(7 * each)
