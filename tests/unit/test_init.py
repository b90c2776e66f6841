"""``aiq init``: a commented configuration that is valid as it stands; nothing is asked, nothing overwritten."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from command_line import Aiq, record, refused

from aiq.config.load import parse, read
from aiq.plans import workflow
from aiq.plans.run import Run


@pytest.mark.parametrize("kind", ["labelled", "control", "own"])
def test_each_kind_is_a_valid_configuration_with_comments(kind: str, aiq: Aiq):
    assert "aiq run my-suite.yaml" in aiq("init", "my-suite", "--kind", kind)[1]
    configuration = parse(read("my-suite.yaml"))
    assert (configuration.name, configuration.results) == ("my-suite", "results/my-suite")
    assert configuration.control == (kind == "control")
    assert configuration.agents.networks
    text = Path("my-suite.yaml").read_text("utf-8")
    assert text.count("#") > 10
    assert "NAME" not in text
    assert "OWN" not in text


def test_labelled_is_the_default_and_the_suffix_may_be_given(aiq: Aiq):
    assert record(aiq("init", "a.yaml", "--json")) == {"files": ["a.yaml"], "kind": "labelled"}
    assert [path.name for path in Path().iterdir()] == ["a.yaml"]


def test_data_of_ones_own_are_named_and_found(aiq: Aiq):
    np.savez("my set.npz", x_train=np.zeros((4, 2)), y_train=[0, 1, 0, 1], x_test=np.zeros((2, 2)), y_test=[0, 1])
    (Path("pictures") / "cat").mkdir(parents=True)
    made = record(aiq("init", "mine", "--data", "my set.npz", "--data", "pictures", "--json"))
    assert made == {"files": ["mine.yaml"], "kind": "own"}
    raw = yaml.safe_load(Path("mine.yaml").read_text("utf-8"))
    assert raw["domains"]["my-set"] == {"source": "npz", "path": "my set.npz"}
    assert raw["domains"]["pictures"] == {"source": "image_folder", "size": 32, "path": "pictures"}
    assert len(Run.of(raw).plan.shards()) > 5


def test_the_profile_of_a_site_is_written_and_is_the_one_that_is_found(aiq: Aiq):
    assert aiq("init", "a", "--slurm")[0] == 0
    shipped = (workflow.root() / "profiles" / "slurm" / "config.v9+.yaml").read_text("utf-8")
    assert Path("slurm/config.v9+.yaml").read_text("utf-8") == shipped
    assert workflow.profile("slurm") == "slurm"
    assert workflow.profile("local") == str(workflow.root() / "profiles" / "local")
    assert workflow.profile("mine") == "mine"


REFUSED = {
    "there": "there.yaml exists already",
    "../up": "name is '../up'",
    "n" * 300: "64 at most",
    "x --data nowhere.npz": "'nowhere.npz', which does not exist",
    "x --data there.yaml --kind control": "--kind is control; leave one of them out",
    "x --data there.yaml --data there.yaml": "two domains 'there'",
}


@pytest.mark.parametrize("words", REFUSED)
def test_refusals_are_one_sentence_and_write_nothing(words: str, aiq: Aiq):
    Path("there.yaml").write_text("kept\n", encoding="utf-8")
    refused(aiq("init", *words.split()), REFUSED[words])
    assert [path.name for path in Path().iterdir()] == ["there.yaml"]
    assert Path("there.yaml").read_text("utf-8") == "kept\n"
