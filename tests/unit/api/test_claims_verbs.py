"""``aiq claims`` and ``aiq experiment`` on folders, and the page that is written."""

import csv
import json
import shutil

import pytest
from synthetic_runs import write_run

from aiq.cli.main import main
from aiq.config.load import parse
from papers.claims import CLAIMS
from papers.claims.numbers import VERDICTS

TRAINING = {"epochs": 1, "batch_size": 32, "optimizer": {"name": "adam", "learning_rate": 0.001}}
SETTINGS = {
    "name": "made",
    "seed": 7,
    "results": "x",
    "domains": {
        "digits": {"source": "torchvision", "name": "MNIST", "size": 32},
        "faces": {"source": "npz", "path": "cifar10.npz", "labels": "cifar10"},
        "wine": {"source": "torchvision", "name": "FashionMNIST", "size": 32},
    },
    "pool": {"size": 64},
    "training": TRAINING,
    "dissimilarity": {"repetitions": 5, "network": {"layers": 1, "width": 8}, "training": TRAINING},
    "agents": {"repetitions": 3, "networks": [{"name": "small", "layers": 1, "width": 2},
                                              {"name": "large", "layers": 1, "width": 64}]},
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    settings = parse(SETTINGS).model_dump(mode="json")
    return write_run(tmp_path_factory.mktemp("runs") / "made", settings)


def test_json_has_every_claim_with_the_promised_keys(run, capsys):
    assert main(["claims", str(run), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["claims"]
    assert [one["id"] for one in found] == list(CLAIMS)
    for one in found:
        assert {"id", "verdict", "ours", "interval", "paper", "scale"} <= set(one)
        assert one["verdict"] in VERDICTS
        assert (one["scale"] is None) == (one["run"] == "")
    f12, f23 = (next(one for one in found if one["id"] == name) for name in ("F12", "F23"))
    assert f12["verdict"] != "not run here"  # MNIST and CIFAR10 are in the run
    assert f12["scale"] == "other"
    assert f12["interval"][0] < f12["ours"] < f12["interval"][1]
    assert f23["verdict"] == "not run here"


def test_the_table_says_how_the_run_was_scaled(run, tmp_path):
    assert main(["claims", str(run), "--only", "F12", "-o", str(tmp_path / "claims.csv")]) == 0
    (row,) = csv.DictReader((tmp_path / "claims.csv").read_text(encoding="utf-8").splitlines())
    assert row["id"] == "F12"
    assert "64 policies" in row["scaled"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["claims", "nowhere"], "nowhere is no folder"),
        (["claims", "--only", "F99"], "'F99'"),
        (["claims", "--only", "F10", "-o", "x.pdf"], "'.pdf'"),
        (["experiment", "f99"], "'f99'"),
        (["experiment", "f10", "--scale", "huge"], "huge"),
        (["experiment", "f14", "-o", "x.foo"], "the format of a figure is '.foo'"),
        (["experiment", "f14", "-o", "x.png/x.png"], "x.png/x.png cannot be written"),
        (["experiment", "--costs", "-o", "x.svg"], "the ending of the file is '.svg'"),
        (["experiment"], "give the experiment of a figure"),
    ],
)
def test_what_is_wrong_is_refused_in_one_sentence_and_leaves_nothing(arguments, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.png").write_text("")
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.strip().count("\n")) == ("", 0)
    assert says in told.err
    assert [path.name for path in tmp_path.iterdir()] == ["x.png"]


@pytest.mark.parametrize("unfinished", ["", "mine/complexity", "mine/tables/provenance"])
def test_where_nothing_is_finished_nothing_was_run(unfinished, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results" / unfinished).mkdir(parents=True)
    assert main(["claims", "--json"]) == 0
    told = capsys.readouterr()
    assert {one["verdict"] for one in json.loads(told.out)["claims"]} == {"not run here"}
    assert told.err == ""
    assert main(["claims", "results"]) == 2
    assert "holds no results" in capsys.readouterr().err


def test_a_damaged_folder_is_left_out_unless_it_is_named(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(run, tmp_path / "results" / "good")
    beside = tmp_path / "results" / "bad" / "tables" / "provenance"
    beside.mkdir(parents=True)
    (beside / "x.json").write_text('{"settings": {"name": "half"')
    assert main(["claims", "--json"]) == 0
    told = capsys.readouterr()
    assert {one["id"]: one["verdict"] for one in json.loads(told.out)["claims"]}["F12"] != "not run here"
    assert told.err.count("\n") == 1
    assert "bad is left out" in told.err
    assert main(["claims", "results"]) == 2
    assert "x.json is damaged" in capsys.readouterr().err


def test_an_experiment_writes_the_configuration_that_it_would_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["experiment", "f10", "--only-write", "--data-root", "elsewhere"]) == 0
    path = capsys.readouterr().out.strip()
    assert path == "results/experiments/small/pictures/experiments/small/f10.yaml"
    text = (tmp_path / path).read_text(encoding="utf-8")
    assert "data_root: elsewhere" in text
    assert "duplicate: 4" in text
    assert main(["experiment", "f10", "--only-write", "--json"]) == 0
    folder = "results/experiments/small/pictures"
    found = {"experiment": "f10", "scale": "small", "results": folder, "configuration": path, "claims": []}
    assert json.loads(capsys.readouterr().out) == found


def test_results_of_other_settings_are_not_taken_for_an_experiment_s(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    main(["experiment", "f12", "--only-write", "--results", str(run)])
    capsys.readouterr()
    main(["claims", str(run), "--only", "F12", "--json"])
    found = json.loads(capsys.readouterr().out)["claims"][0]
    assert found["verdict"] == "not run here"
    assert found["why"] == "no dissimilarity was measured"
