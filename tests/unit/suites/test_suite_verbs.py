"""``aiq read``, ``suite``, ``compare`` and ``score`` on tables of results, and as a notebook calls them."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import Aiq, record

import aiq

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "openclip-38.csv"
READERS = Path(__file__).parents[2] / "data" / "readers"
QUICK = ("--resamples", 5, "--halves", 4)


@pytest.fixture
def run(aiq: Aiq):
    """Run a verb in an empty folder: (status, output, errors), or the JSON that it prints."""

    def call(*arguments):
        done = aiq(*map(str, arguments))
        return record(done) if "--json" in arguments else done

    return call


def test_read_and_suite_keep_their_contract(run):
    found = run("read", EXAMPLE, "-o", "t.csv", "--json")
    assert {"agents", "domains", "cells", "missing", "skipped"} <= set(found)
    assert (len(found["cells"]), len(found["missing"])) == (31 * 38 - 2, 2)
    found = run("suite", "t.csv", "--missing", "zero", *QUICK, "--json")
    assert {"tests", "agents", "smallest_difference", "warnings"} <= set(found)
    assert {"by", "missing", "ranks", "groups", "neighbours", "needed"} <= set(found)
    assert {"difficulty", "discrimination", "redundancy"} <= set(found["tests"][0])
    assert {"a", "b", "difference", "interval", "p", "p_adjusted", "separable"} <= set(found["neighbours"][0])
    names = sorted(name for group in found["groups"] for name in group)
    assert names == sorted(found["ranks"]) == sorted(agent["agent"] for agent in found["agents"])
    assert found["is_aiq"] is False


def test_missing_cells_are_kept_with_bounds_or_refused_with_the_way_out(run):
    found = run("suite", EXAMPLE, "--json", *QUICK)
    assert found["missing"]["cells"] == 2
    gone = [agent for agent in found["agents"] if agent["tests"] < 38]
    assert gone
    assert all(agent["bounds"][0] < agent["value"] < agent["bounds"][1] for agent in gone)
    assert any("2 of 1,178 cells are missing" in one for one in found["warnings"])
    status, out, _ = run("suite", EXAMPLE, *QUICK)
    assert status == 0
    assert "not the AIQ of the paper" in " ".join(out.split())
    assert out.splitlines()[-3].startswith(found["summary"][0][:40])  # three sentences to quote
    status, out, err = run("suite", EXAMPLE, "--missing", "refuse")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "2 of 1178 cells are missing" in err
    assert "--missing" in err


def test_items_have_their_own_list_and_everything_is_written(run):
    rng = np.random.default_rng(0)
    chance = 1 / (1 + np.exp(-(rng.normal(size=(30, 1)) - rng.normal(size=12))))
    rows = [",".join([f"a{i}", *map(str, (row > rng.random(12)).astype(int))]) for i, row in enumerate(chance)]
    Path("t.csv").write_text("\n".join(["agent," + ",".join(f"q{j}" for j in range(12)), *rows]))
    Path("out").mkdir()
    written = ("-o", "out", "--page", "out/index.html", "--figure", "f.png")
    found = run("suite", "t.csv", *written, *QUICK, "--json")
    assert found["by"] == "items"
    assert {"item", "difficulty", "discrimination", "suspicious"} <= set(found["items"][0])
    tables = {path.stem for path in Path("out/tables").iterdir()}
    assert {"agents", "neighbours", "tests", "reduction", "needed", "anchors", "agreement"} <= tables
    text = Path("out/index.html").read_text("utf-8")
    assert found["summary"][0].split(" leads")[0] in text
    assert 'href="figures/suite-leaderboard.png"' in text
    run("suite", "t.csv", "--page", "alone.html", *QUICK)
    assert 'href="figures/' not in Path("alone.html").read_text("utf-8")
    Path("read").mkdir()
    Path("t.csv").rename("read/t.csv")
    status, _, err = run("suite", "read", "-o", "read")
    assert (status, err) == (2, "aiq: -o read is what is read; give another folder\n")
    assert [path.name for path in Path("read").iterdir()] == ["t.csv"]


def test_compare_takes_two_agents_of_a_table(run):
    Path("t.csv").write_text("agent,A,B,C,D\nme,1,1,1,0\nyou,0,0,1,0\n")
    found = run("compare", "t.csv", "--agents", "me", "you", "--json")
    assert {"difference", "interval", "p", "clusters", "smallest_difference"} <= set(found)
    assert (found["difference"], found["p"], found["clusters"]) == (0.5, 0.5, 4)
    assert run("compare", "t.csv", "--agents", "me", "you")[0] == 0
    for words, said in ((("t.csv", "--agents", "me", "yu"), "did you mean 'you'"), (("t.csv",) * 2, "one in each")):
        status, _, err = run("compare", *words)
        assert (status, err.count("\n")) == (2, 1)
        assert said in err


def test_compare_reads_as_suite_does_and_says_how(run):
    rows = ["agent,A,B,C,D", "me,.5,-.1,.3,.2", "you,.4,.2,.1,.3", "me2,.5,-.1,.3,.2"]
    Path("t.csv").write_text("\n".join(rows) + "\n")
    found = run("compare", "t.csv", "--agents", "me", "you", "--json")
    assert found["difference"] == pytest.approx((0.9 - 1.0) / 4 / 2)
    scale, equal = found["decisions"]
    assert scale.startswith("scale -1 to 1")
    assert equal.endswith("one under several names: me = me2 (equal in every score (4))")
    whole = run("compare", "t.csv", "--agents", "me", "you", "--drop", "B", "--json")
    assert whole["difference"] == pytest.approx(0.2 / 3)
    status, out, _ = run("compare", "t.csv", "--agents", "me", "you")
    assert status == 0
    assert "scale -1 to 1" in out
    status, _, err = run("compare", ".", "--drop", "B")
    assert (status, err) == (2, "aiq: --drop is about tables of results; of runs leave it out\n")
    Path("same.csv").write_text("agent,A,B\nx,.5,.5\ny,.7,.7\n")
    same = run("compare", "same.csv", "--agents", "x", "y", "--json")
    assert (same["smallest_difference"], same["of"]) == (None, "tests")


def test_damaged_files_are_named_and_items_are_read_where_there_are_any(run):
    stat = [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": 1.0}]
    for model in ("a", "b"):
        for task in ("law", "art"):
            folder = Path("helm") / f"mmlu:subject={task},model=org_{model}"
            folder.mkdir(parents=True)
            spec = {"name": folder.name, "adapter_spec": {"model": f"org/{model}"}}
            (folder / "run_spec.json").write_text(json.dumps(spec))
            (folder / "stats.json").write_text(json.dumps(stat))
            items = [{"instance_id": f"id{k}", "train_trial_index": 0, "stats": stat} for k in range(4)]
            (folder / "per_instance_stats.json").write_text(
                json.dumps(items)[: 60 if (model, task) == ("b", "art") else None]
            )
    found = run("compare", "helm", "--agents", "org/a", "org/b", "--json")
    assert (found["items"], found["only_first"], found["of"]) == (4, 4, "items")
    assert any("files damaged" in one for one in found["decisions"])
    assert [one["reason"][:8] for one in found["skipped"]] == ["damaged:"]


def test_score_reads_what_read_reads(run):
    Path("c.csv").write_text("domain,complexity\ntoy_a,1\ntoy_b,2\ntoy_c,1.5\n")
    Path("d.csv").write_text("a,b,dissimilarity\ntoy_a,toy_b,0.02\ntoy_a,toy_c,0.03\ntoy_b,toy_c,0.025\n")
    run("space", "--complexity", "c.csv", "--dissimilarity", "d.csv", "-o", "s.h5", "--dimensions", 3)
    source = (READERS / "lm-eval", "--range", "toy_ppl", 1, 10)
    direct = run("score", "s.h5", *source, "--json")
    assert [a["agent"] for a in direct["agents"]] == ["toy-two", "toy-one"]
    assert direct["agents"][0]["mean"] == pytest.approx((0.625 + 2 / 3 + 2 / 3) / 3)
    assert direct["agents"][0]["mean_interval"] is not None
    assert any("toy_ppl" in one for one in direct["warnings"])
    run("read", *source, "-o", "t.csv")
    assert run("score", "s.h5", "t.csv", "--json")["agents"] == direct["agents"]


def test_read_and_suite_in_a_notebook():
    found = aiq.read(EXAMPLE)
    assert len(found.to_frame()) == found.n == 31 * 38 - 2
    assert "2 of 1178 cells missing" in repr(found)
    assert "<table" in found._repr_html_()
    agent, *cells = EXAMPLE.read_text("utf-8").splitlines()[1].split(",")
    assert found.value[agent] == pytest.approx(np.mean([float(cell) for cell in cells if cell]))
    assert found.interval == dict.fromkeys(found.value)
    assert set(found.value) == set(found.record.agents)
    report = aiq.suite(found, missing="domains", resamples=5, halves=4)
    assert report.value == report.record.smallest_difference.over_tests
    assert (report.interval, report.n) == (None, 31)
    assert all("not the AIQ of the paper" in words for words in (repr(report), report._repr_html_()))
    assert (len(report.to_frame()), len(report.to_frame("agents"))) == (37, 31)
    assert report.plot().caption
