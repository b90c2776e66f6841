"""The program that judges trainings on a GPU, run on tensors of the CPU at a tiny size (five seconds)."""

import csv
import importlib
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CPU = torch.device("cpu")
TRAINERS = {
    *(f"dense, {name}" for name in ("adam", "adamw", "sgd", "adadelta", "until convergence", "one at a time")),
    *("convolutional, pooling", "convolutional, stride", "mixtures, dense", "mixtures, convolutional"),
    *("one domain alone", "blocks of 2020", "deep Q-learning", "deep Q-learning, mixtures"),
}


@pytest.fixture(scope="module")
def program():
    """The program and its parts, as they import each other."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield {name: importlib.import_module(name) for name in ("gpu", "gpu_checks", "gpu_speed")}
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def run(program, tmp_path_factory):
    """A run of the whole program, with its exit status."""
    folder = tmp_path_factory.mktemp("gpu")
    return program["gpu"].main(["--device", "cpu", "--quick", "--output", str(folder)]), folder


def test_every_trainer_is_compared_and_every_check_holds_on_tensors_of_the_cpu(run):
    status, folder = run
    found = json.loads((folder / "gpu.json").read_text())["rows"]
    compared = [row["what"].rsplit(", ", 1)[0] for row in found if row["part"] == "numbers of the CPU"]
    assert set(compared) == TRAINERS
    parts = {row["part"] for row in found if row["verdict"] == "yes"}
    assert parts == {"settings", "numbers of the CPU", "repeated", "recorded", "side by side"}
    assert not [row for row in found if row["verdict"] == "no"]
    assert status == 0
    # what only a GPU can tell is not judged
    judged = [row for row in found if row["part"] in ("rate", "faster by", "utilisation", "memory")]
    assert {row["verdict"] for row in judged} == {"no GPU"}
    assert sum(row["part"] == "faster by" for row in judged) == 3 * 3 + 2 * 2  # vmap has no mixtures, no filters
    assert all(row["measured"] > 0 for row in judged if row["part"] in ("rate", "faster by"))


def test_the_three_files_say_the_same(run):
    _, folder = run
    told = json.loads((folder / "gpu.json").read_text())
    with (folder / "gpu.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    page = (folder / "gpu.md").read_text()
    assert [(a["part"], a["what"], a["verdict"]) for a in lines] == [
        (b["part"], b["what"], b["verdict"]) for b in told["rows"]
    ]
    assert all(f"| {row['part']} | {row['what']} |" in page for row in told["rows"])
    assert "no GPU was at hand" in told["described"]
    assert "products: ieee, convolutions: ieee, deterministic: True" in told["described"]


def test_numbers_that_differ_get_the_verdict_no(program, monkeypatch):
    checks, seen = program["gpu_checks"], []

    def other(device, dtype):
        seen.append(device)
        return np.array([1.0, 0.5, math.nan]) + 2e-7 * (len(seen) % 2)

    assert checks._like_the_cpu("x", other, torch.float64, CPU).verdict == "no"
    assert checks._repeats("x", other, CPU).verdict == "no"
    assert checks._apart(np.array([1.0, math.nan]), np.array([1.0, 2.0])) == math.inf
    assert checks._apart(np.array([1.0]), np.array([1.0, 2.0])) == math.inf
    monkeypatch.setattr(checks, "shuffles", lambda seeds, count, device: 1 / 0)
    (row,) = checks.told(lambda: [checks._same_permutations(CPU)], "settings")
    assert (row.verdict, row.part) == ("no", "settings")  # it raised, and the table says so


def test_what_the_time_did_not_allow_is_not_run(program):
    found = program["gpu"].measure(CPU, quick=True, seconds=0.0)
    assert {row.verdict for row in found} == {"not run"}
    speed = program["gpu_speed"]
    (row,) = speed.rows(speed.cases("cpu", True)[0], CPU, 1, 0.0)
    assert (row.verdict, row.note) == ("not run", "the time was up")


def test_the_model_of_memory_and_the_load_are_judged_on_a_gpu(program):
    speed = program["gpu_speed"]
    case = speed.cases("cpu", True)[0]
    loads = {"ours": speed.Load(0.2, 90, 100), "ours, side by side": speed.Load(0.4, 500, 400)}
    found = {(row.part, row.what.split(", ", 2)[2]): row.verdict for row in speed._of_loads(case, loads)}
    assert found == {
        ("utilisation", "ours"): "told",
        ("utilisation", "ours, side by side"): "no",
        ("memory", "ours"): "yes",
        ("memory", "ours, side by side"): "no",
    }
    rates = {"ours": 2.0, "ours, side by side": 3.0, "one at a time": 1.0, "vmap": 1.0}
    verdicts = [(row.what.rsplit("than ")[1], row.measured, row.verdict) for row in speed._ratios(case, rates)]
    assert verdicts == [("one at a time", 3.0, "no"), ("vmap", 3.0, "yes"), ("one chunk alone", 1.5, "yes")]


def test_a_quick_run_on_a_gpu_judges_numbers_but_no_speeds(program):
    gpu, row = program["gpu"], program["gpu_checks"].Row
    slow, wrong = row("faster by", "x", 0.5, "at least 4", "no"), row("repeated", "x", 0.5, "at most 0", "no")
    assert gpu._unjudged(slow).verdict == "too little"
    assert gpu._unjudged(wrong).verdict == "no"
    assert "speeds are mostly those of starts" in gpu.describe(CPU, 1.0, True)
    assert "starts" not in gpu.describe(CPU, 1.0, False)


def test_without_a_gpu_the_program_says_so(program, capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert program["gpu"].main([]) == 2
    assert program["gpu"].main(["--if-any"]) == 0  # as `make bench` calls it
    assert "torch finds no CUDA device here; take 'cpu'" in capsys.readouterr().err


def test_several_jobs_are_timed_side_by_side_and_alone(program, capsys, tmp_path):
    packed = importlib.import_module("gpu_packed")
    assert packed.main(["--device", "cpu", "--quick", "--output", str(tmp_path)]) == 0
    with (tmp_path / "gpu-packed.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [(line["trainings"], line["processes"]) for line in lines] == [
        (case.name, number) for case in packed.CASES for number in "12"
    ]
    assert all(float(line["million samples per second"]) > 0 for line in lines)
    assert (tmp_path / "gpu-packed.md").read_text().count("| cores of the CPU |") == len(lines)
