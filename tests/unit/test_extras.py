"""The base install serves whoever has numbers; what is missing for more is named with the extra that brings it."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import click
import pytest
from packaging.requirements import Requirement

from aiq.cli.main import EXTRAS, NEEDS, OF_PAPERS, _elsewhere, cli, install, lacking, main, run
from aiq.cli.verbs import sentence

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WITHOUT = """
import json
import sys

missing = set(sys.argv[1].split(","))

class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Lacking())
from aiq.cli.main import main
sys.exit(max(map(main, json.loads(sys.argv[2]))))
"""


def distributions(extra: str) -> set[str]:
    return {Requirement(line).name.lower() for line in PROJECT["optional-dependencies"][extra]}


def test_the_extras_are_those_that_people_are_told_of():
    assert set(PROJECT["optional-dependencies"]) == {"train", "report", "suites", "baselines", "docs", "dev", "bench"}
    base = {Requirement(line).name.lower() for line in PROJECT["dependencies"]}
    assert base.isdisjoint({"torch", "torchvision", "snakemake", "numba", "scikit-learn", "gymnasium", "pybullet"})
    assert {"numpy", "scipy", "h5py", "click", "rich", "matplotlib", "pydantic", "pyyaml"} <= base


def test_each_module_of_an_extra_comes_from_its_packages():
    brought = distributions("train") | {"snakemake-interface-logger-plugins"}  # snakemake needs it
    there = metadata.packages_distributions()
    assert [module for module in EXTRAS["train"] if not brought & {name.lower() for name in there[module]}] == []


def test_what_no_extra_brings_is_no_sentence():
    assert lacking("aiq.nowhere") is None
    assert lacking(None) is None
    assert install("train") in str(lacking("torch.nn"))


def test_a_defect_is_not_taken_for_a_missing_extra():
    @click.command()
    def broken() -> None:
        raise ModuleNotFoundError("no module", name="aiq.nowhere")

    with pytest.raises(ModuleNotFoundError):
        run(broken, [], "aiq")


def without(missing: str, *calls: str) -> subprocess.CompletedProcess[str]:
    """Call aiq, once or several times, in a process that lacks some packages."""
    command = [sys.executable, "-c", WITHOUT, missing, json.dumps([shlex.split(words) for words in calls])]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_verb_whose_extra_is_missing_says_so_in_one_sentence():
    calls = {
        "run config/collectives-quickstart.yaml": "snakemake",
        "verify results": "snakemake",
        "collectives complexity URRDL": "numba",
        "estimate config/quickstart.yaml --measure": "torch",
    }
    done = without(",".join({*calls.values()}), *calls)
    assert (done.returncode, done.stdout) == (2, "")
    for said, missing in zip(done.stderr.splitlines(), calls.values(), strict=True):
        assert f"'{missing}'" in said
        assert "pip install 'aiq[train]'" in said


def test_help_names_the_extra_that_a_verb_needs_and_no_other(capsys):
    for verb in cli.commands:
        assert main([verb, "--help"]) == 0
        told = re.findall(r"pip install 'aiq\[(\w+)\]'", capsys.readouterr().out)
        assert told == ([NEEDS[verb]] if verb in NEEDS else []), verb


def test_verbs_that_read_what_is_there_need_no_extra(tmp_path: Path):
    """``matplotlib`` of the base brings PIL."""
    config = tmp_path / "suite.yaml"
    text = (ROOT / "config/quickstart.yaml").read_text("utf-8")
    config.write_text(text.replace("results/quickstart", "results/not-run"), encoding="utf-8")
    verbs = ("summary", "precision", "sensitivity", "landmarks", "baselines")
    done = without(",".join({*EXTRAS["train"]} - {"PIL"}), *(f"{verb} {config}" for verb in ("shards", *verbs)))
    assert "the Python package" not in done.stderr
    assert ["not-run" in said for said in done.stderr.splitlines()] == [True] * len(verbs)


@pytest.mark.parametrize("verb", OF_PAPERS)
def test_outside_a_checkout_the_verbs_of_the_papers_show_an_example_and_say_where_they_work(verb: str, capsys):
    assert run(_elsewhere(verb), ["--help"], "aiq") == 0
    assert f"Example, in a checkout:\n    aiq {verb} " in capsys.readouterr().out
    assert run(_elsewhere(verb), ["f10"], "aiq") == 2
    assert "clone the repository" in capsys.readouterr().err


def test_verbs_on_tables_need_no_extra():
    done = without(",".join(EXTRAS["train"]), "complexity --help", "domains")
    assert (done.returncode, done.stderr) == (0, "")
    everything = {name for names in EXTRAS.values() for name in names} | {"mirt"}
    done = without(",".join(sorted(everything)), "suite docs/examples/openclip-38.csv --halves 2")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_list_of_verbs_is_whole_sentences(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert "..." not in text.split("Options:")[1]
    flat = " ".join(text.split())
    for name, command in cli.commands.items():
        told = sentence(command)
        assert f"{name} {told}" in flat
        assert not re.search(r"[,;:(]$", told)
