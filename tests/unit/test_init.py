"""``aiq init``: a commented configuration that is valid as it stands; nothing is asked, nothing overwritten."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from aiq.cli.main import main
from aiq.config.load import parse, read
from aiq.plans.run import Run


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", ["labelled", "control", "own"])
def test_each_kind_is_a_valid_configuration_with_comments(kind: str, capsys):
    assert main(["init", "my-suite", "--kind", kind]) == 0
    assert "aiq run my-suite.yaml" in capsys.readouterr().out
    configuration = parse(read("my-suite.yaml"))
    assert (configuration.name, configuration.results) == ("my-suite", "results/my-suite")
    assert configuration.control == (kind == "control")
    assert configuration.agents.networks
    text = Path("my-suite.yaml").read_text("utf-8")
    assert text.count("#") > 10
    assert "NAME" not in text
    assert "OWN" not in text


def test_labelled_is_the_default_and_the_suffix_may_be_given():
    assert main(["init", "a.yaml"]) == 0
    assert not parse(read("a.yaml")).control
    assert sorted(path.name for path in Path().iterdir()) == ["a.yaml"]


def test_data_of_ones_own_are_named_and_found(capsys):
    np.savez("my set.npz", x_train=np.zeros((4, 2)), y_train=[0, 1, 0, 1], x_test=np.zeros((2, 2)), y_test=[0, 1])
    (Path("pictures") / "cat").mkdir(parents=True)
    assert main(["init", "mine", "--data", "my set.npz", "--data", "pictures", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"files": ["mine.yaml"], "kind": "own"}
    domains = yaml.safe_load(Path("mine.yaml").read_text("utf-8"))["domains"]
    assert domains["my-set"] == {"source": "npz", "path": "my set.npz"}
    assert domains["pictures"] == {"source": "image_folder", "size": 32, "path": "pictures"}
    assert len(Run.of(yaml.safe_load(Path("mine.yaml").read_text("utf-8"))).plan.shards()) > 5


def test_the_profile_of_a_site_is_written_and_is_the_one_that_is_found():
    from aiq.plans import workflow

    assert main(["init", "a", "--slurm"]) == 0
    shipped = (workflow.root() / "profiles" / "slurm" / "config.v9+.yaml").read_text("utf-8")
    assert Path("slurm/config.v9+.yaml").read_text("utf-8") == shipped
    assert workflow.profile("slurm") == "slurm"
    assert workflow.profile("local") == str(workflow.root() / "profiles" / "local")
    assert workflow.profile("mine") == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["init", "there"], "there.yaml exists already"),
        (["init", "../up"], "name is '../up'"),
        (["init", "x", "--data", "nowhere.npz"], "'nowhere.npz', which does not exist"),
        (["init", "x", "--data", "there.yaml", "--kind", "control"], "--kind is control"),
        (["init", "x", "--data", "there.yaml", "--data", "there.yaml"], "two domains 'there'"),
    ],
)
def test_refusals_are_one_sentence_and_write_nothing(words: list[str], said: str, capsys):
    Path("there.yaml").write_text("kept\n", encoding="utf-8")
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err
    assert [path.name for path in Path().iterdir()] == ["there.yaml"]
    assert Path("there.yaml").read_text("utf-8") == "kept\n"
