"""Every format from files in its real shape, and what is refused."""

import gzip
import io
import json
import math
import os
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.cli.main import main
from aiq.errors import InputError
from aiq.readers import read

DATA = Path(__file__).parents[2] / "data" / "readers"
PERCENT = {"*": (0.0, 100.0)}


def refuse(words, source, **how):
    with pytest.raises(InputError, match=words):
        read(source, **how)


def cell(found, agent, domain):
    (one,) = [c for c in cells(found) if (c.agent, c.domain) == (agent, domain)]
    return one


def cells(found):
    return list(found.frame.itertuples(index=False))


def test_lm_eval_skips_groups_turns_perplexity_and_keeps_standard_errors():
    found = read(DATA / "lm-eval", ranges={"toy_ppl": (1.0, 10.0)})
    assert found.format == "lm-eval"
    assert found.agents == ("toy-one", "toy-two")
    assert found.domains == ("toy_a", "toy_b", "toy_c", "toy_ppl")
    one = cell(found, "toy-one", "toy_a")
    assert one.performance == 0.375
    assert one.se == pytest.approx(math.sqrt(0.375 * 0.625 / 7))  # the harness' own, 8 questions
    raw = json.loads(next((DATA / "lm-eval" / "toy-one").glob("*.json")).read_text())["results"]["toy_ppl"]
    wanted = 1 - (raw["word_perplexity,none"] - 1) / 9
    assert cell(found, "toy-one", "toy_ppl").performance == pytest.approx(wanted)
    assert found.missing == (("toy-two", "toy_ppl"),)
    reasons = {one.name: one.reason for one in found.skipped}
    assert "a group" in reasons["toy_group"]
    assert "--metric acc_norm" in reasons["toy_a: acc_norm,none"]
    assert any("turned" in note for note in found.decisions)
    refuse(r"word_perplexity, which has no range.*--range toy_ppl LOWEST HIGHEST", DATA / "lm-eval")


def test_lm_eval_metric_on_request(tmp_path):
    source = next((DATA / "lm-eval" / "toy-one").glob("*.json"))
    content = json.loads(source.read_text())
    del content["results"]["toy_ppl"]
    content["results"]["toy_a"]["acc_norm,none"] = 0.5
    (tmp_path / "results_1.json").write_text(json.dumps(content))
    assert cell(read(tmp_path, metric="acc_norm"), "toy-one", "toy_a").performance == 0.5
    assert cell(read(tmp_path), "toy-one", "toy_a").performance == 0.375


def test_a_second_run_is_a_repetition_and_a_copy_is_refused(tmp_path):
    source = next((DATA / "lm-eval" / "toy-two").glob("*.json"))
    content = json.loads(source.read_text())
    shutil.copy(source, tmp_path / "results_1.json")
    (tmp_path / "results_2.json").write_text(json.dumps(content | {"date": content["date"] + 60}))
    found = read(tmp_path)
    assert found.repetitions("toy-two", "toy_a").tolist() == [0.625, 0.625]
    assert any("repetitions" in note for note in found.decisions)
    shutil.copy(source, tmp_path / "results_3.json")
    refuse("twice from one run", tmp_path)


@pytest.mark.parametrize("kind", ["json", "eval"])
def test_inspect_logs(kind):
    found = read(DATA / f"inspect-{kind}")
    assert found.format == "inspect"
    one = cell(found, "mockllm/model", "addition")
    assert one.performance == pytest.approx(2 / 3)
    assert one.se == pytest.approx(0.2108, abs=1e-4)
    assert cell(found, "mockllm/model", "capitals").performance == 0.5  # the headline, not the other scorer
    assert [s.name for s in found.skipped] == ["capitals: match/accuracy"]
    found = read(DATA / f"inspect-{kind}", metric="match/accuracy")
    assert cell(found, "mockllm/model", "capitals").performance == 0.0
    assert cell(found, "mockllm/model", "addition").performance == pytest.approx(2 / 3)


def test_an_evaluation_that_broke_off_is_no_result(tmp_path):
    shutil.copytree(DATA / "inspect-json", tmp_path, dirs_exist_ok=True)
    shutil.copytree(DATA / "inspect-failed", tmp_path / "failed")
    found = read(tmp_path)
    assert found.n == 2
    assert any("status 'error'" in one.reason for one in found.skipped)
    refuse(r"no score was found.*status 'error'", DATA / "inspect-failed")
    with zipfile.ZipFile(tmp_path / "going.eval", "w") as archive:  # without a header
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {"task": "t", "model": "m"}}))
    refuse("status 'started'", tmp_path / "going.eval")


def test_a_damaged_archive_alone_is_refused_and_beside_others_skipped_and_named(tmp_path):
    whole = next((DATA / "inspect-eval").glob("*addition_F*"))
    with zipfile.ZipFile(whole) as archive:
        at = archive.getinfo("header.json").header_offset + 120
    content = bytearray(whole.read_bytes())
    content[at : at + 40] = bytes(40)
    (tmp_path / "flipped.eval").write_bytes(content)
    (tmp_path / "cut.eval").write_bytes(whole.read_bytes()[:900])
    for damaged in ("cut.eval", "flipped.eval"):
        refuse("no whole log of Inspect", tmp_path / damaged)
    shutil.copy(whole, tmp_path / "whole.eval")
    found = read(tmp_path)
    assert found.n == 1
    assert sorted(Path(one.name).name for one in found.skipped) == ["cut.eval", "flipped.eval"]
    assert all("no whole log of Inspect" in one.reason for one in found.skipped)
    assert any("2 of 3 files damaged" in said for said in found.decisions)


def test_helm_takes_the_usual_metric_of_the_test_split_unperturbed():
    found = read(DATA / "helm")
    assert found.format == "helm"
    assert found.agents == ("org/large", "org/small")
    names = ("commonsense:dataset=openbookqa,method=multiple_choice_joint", "mmlu:subject=college_chemistry")
    assert found.domains == names
    np.testing.assert_allclose(found.wide(), [[0.8, 0.55], [0.5, 0.25]])
    assert cell(found, "org/large", names[0]).se == pytest.approx(0.03 / math.sqrt(2))
    exact = read(DATA / "helm", metric="exact_match")
    np.testing.assert_allclose(exact.wide(), [[0.75, 0.5], [0.45, 0.2]])


def test_helm_runs_without_scores(tmp_path):
    shutil.copytree(DATA / "helm", tmp_path, dirs_exist_ok=True)
    first, second, *_ = sorted(path.parent for path in tmp_path.rglob("stats.json"))
    (first / "stats.json").unlink()
    assert any("not finished" in one.reason for one in read(tmp_path).skipped)
    (second / "stats.json").write_text('[{"name": {"name": "latency", "split": "test"}, "count": 1, "mean": 3.0}]')
    refuse(r"none of the usual metrics.*latency", tmp_path)


def test_every_eval_ever_maps_by_its_own_ranges():
    found = read(DATA / "every-eval-ever")
    assert found.format == "every-eval-ever"
    values = {(c.agent, c.domain): (c.performance, c.se) for c in cells(found)}
    assert values["org/alpha", "arc/choice"] == (0.75, 0.05)
    assert values["org/alpha", "elo"][0] == 0.5
    assert values["org/alpha", "elo"][1] == pytest.approx(50 / 3000, rel=1e-4)  # from the 95 % interval
    assert values["org/alpha", "wer"][0] == pytest.approx(0.8)  # lower is better
    assert values["org/alpha", "wer"][1] == pytest.approx(0.03)  # deviation 30 of 100 samples, in per cent
    assert values["org/alpha", "safety/levels"][0] == pytest.approx(2 / 3)
    assert values["org/beta", "passed"][0] == 0.0
    assert values["org/beta", "arc/choice"][1] == pytest.approx(0.1, rel=1e-3)  # interval of an older record
    assert found.missing == (("org/beta", "safety/levels"),)  # -1 is the unknown level
    assert any("has no score" in one.reason for one in found.skipped)


def test_rliable_arrays(tmp_path):
    scores = {"DQN": np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), "PPO": np.full((2, 2), 0.7)}
    np.savez(tmp_path / "scores.npz", **scores, games=np.array(["Pong", "Breakout"]))
    found = read(tmp_path)
    assert found.format == "rliable"
    assert found.domains == ("Pong", "Breakout")
    assert found.repetitions("DQN", "Breakout").tolist() == [0.2, 0.4, 0.6]
    as_json = {name: array.tolist() for name, array in scores.items()}
    (tmp_path / "scores.npz").unlink()
    (tmp_path / "scores.json").write_text(json.dumps(as_json))
    again = read(tmp_path, names=["Pong", "Breakout"])
    assert again.frame.equals(found.frame)


def test_pickles_and_arrays_without_names_are_refused(tmp_path):
    for array, match in (
        ({"DQN": np.zeros((2, 2))}, "no plain arrays"),
        (np.zeros((2, 2)), "without the agents' names"),
    ):
        np.save(tmp_path / "scores.npy", array, allow_pickle=True)
        refuse(match, tmp_path)


def test_scores_by_task_one_file_an_agent(tmp_path):
    (tmp_path / "DER.json").write_text(json.dumps({"Alien": [802.3, 739.1], "Pong": [-19.0, -17.5]}))
    (tmp_path / "CURL.json").write_text(json.dumps({"Alien": [711.0, 650.5], "Pong": [-18.0, -12.5]}))
    found = read(tmp_path, ranges={"Alien": (0, 1000), "Pong": (-21, 21)})
    assert found.agents == ("CURL", "DER")
    assert found.repetitions("DER", "Pong").tolist() == pytest.approx([2 / 42, 3.5 / 42])
    refuse(r"DER.json.*|CURL.json.*outside \[0, 1\]", tmp_path)


def test_openrlbenchmark_scores_over_training_take_the_last_point(tmp_path):
    curve = np.linspace(0, 1, 5)[None, None] * np.array([[[0.5], [0.9]], [[0.4], [0.8]]])
    np.savez(tmp_path / "scores.npz", PPO=curve)
    found = read(tmp_path)
    np.testing.assert_allclose(found.wide(), [[0.45, 0.85]])
    assert any("last point" in note for note in found.decisions)


def test_openrlbenchmark_tables_need_ranges():
    refuse("no range of its own", DATA / "openrlbenchmark.csv")
    found = read(DATA / "openrlbenchmark.csv", ranges={"Breakout-v5": (0, 500), "Pong-v5": (-21, 21)})
    assert cell(found, "DQN", "Breakout-v5").performance == pytest.approx(336.28 / 500)
    assert found.missing == (("DQN", "Pong-v5"),)
    assert any("no standard error" in note for note in found.decisions)


def test_hugging_face_values_need_a_range():
    refuse(r"63.3 by value, which has no range", DATA / "hugging-face")
    found = read(DATA / "hugging-face", ranges=PERCENT)
    assert found.agents == ("toy-model",)
    assert found.domains == ("Idavidrein/gpqa/gpqa_diamond", "cais/hle/hle (With tools)")
    np.testing.assert_allclose(found.wide(), [[0.633, 0.125]])


def test_damaged_json_and_tables_beside_another_format_are_listed(tmp_path):
    shutil.copytree(DATA / "every-eval-ever", tmp_path, dirs_exist_ok=True)
    (tmp_path / "board.csv").write_text("agent,A\nx,0.5\ny,0.4\n")
    assert any("1 of 3 files left aside" in said and "format wide" in said for said in read(tmp_path).decisions)
    (tmp_path / "broken.json").write_text('{"schema_version": ')
    (tmp_path / "other.json").write_text('{"hello": "world"}')
    reasons = {Path(one.name).name: one.reason for one in read(tmp_path).skipped}
    assert "not JSON" in reasons["broken.json"]
    assert reasons["other.json"] == "of no known format"


def test_two_formats_in_one_folder_need_a_choice(tmp_path):
    shutil.copytree(DATA / "every-eval-ever", tmp_path / "a")
    shutil.copytree(DATA / "inspect-json", tmp_path / "b")
    refuse("--format", tmp_path)
    assert read(tmp_path, format="inspect").n == 2
    refuse("did you mean 'inspect'", tmp_path, format="inspct")
    (tmp_path / "empty").mkdir()
    for folder, match in (("empty", "holds no file"), ("nowhere", "no file or folder")):
        refuse(match, tmp_path / folder)


def test_ranges_from_a_file_and_clipping(tmp_path):
    (tmp_path / "t.csv").write_text("agent,x,y\na,150,2\nb,50,8\n")
    (tmp_path / "ranges").write_text("domain,low,high,lower_is_better\nx,0,100,\ny,0,10,true\n")
    refuse("150, outside", tmp_path / "t.csv", ranges=tmp_path / "ranges")
    found = read(tmp_path / "t.csv", ranges=tmp_path / "ranges", clip=True)
    np.testing.assert_allclose(found.wide(), [[1.0, 0.8], [0.5, 0.2]])
    assert any("cut to the range of its test: 1 score" in note for note in found.decisions)
    refuse("unknown domain 'z'", tmp_path / "t.csv", ranges={"z": (0, 1)})
    refuse("lower one first", tmp_path / "t.csv", ranges={"x": (1, 0)})


scores = st.floats(-1e6, 1e6, allow_nan=False)


@settings(max_examples=60)
@given(low=scores, width=st.floats(0.01, 1e6), share=st.floats(0, 1), lower=st.booleans())
def test_scaling_is_linear_and_turned(low, width, share, lower, tmp_path_factory):
    high = low + width
    raw = min(max(low + share * (high - low), low), high)
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text(f"agent,domain,performance,se\na,x,{raw!r},{width / 10!r}\n")
    (one,) = cells(read(path, ranges={"x": (low, high)}, lower=["x"] if lower else []))
    assert one.performance == pytest.approx(1 - share if lower else share, abs=1e-6)
    assert one.se == pytest.approx(0.1, rel=1e-6)


def test_choices_that_a_format_does_not_offer_are_refused(tmp_path):
    (tmp_path / "wide.csv").write_text("agent,x,y\na,1,0\n")
    (tmp_path / "long.csv").write_text("agent,domain,performance\na,x,1\n")
    for table in ("wide.csv", "long.csv"):
        for how, choice in (({"metric": "elo"}, "metric is elo"), ({"names": ["p", "q"]}, "names is p, q")):
            refuse(f"{choice}, but a table .* leave it out", tmp_path / table, **how)
    np.savez(tmp_path / "s.npz", DQN=np.ones((2, 2)))
    refuse(
        r"metric is score, .*formats timm, lm-eval, inspect, helm, every-eval-ever", tmp_path / "s.npz", metric="score"
    )
    assert read(tmp_path / "s.npz", names=["x", "y"]).domains == ("x", "y")
    refuse(r"names is x, .*formats rliable", DATA / "every-eval-ever", names=["x"])


@pytest.mark.parametrize("verb", ["read", "suite"])
def test_a_table_comes_through_a_pipe_or_standard_input(tmp_path, verb, monkeypatch, capsys):
    text = "agent,A,B,C\nme,.9,.4,.6\nyou,.8,.5,.7\nthey,.2,.1,.3\n"
    (tmp_path / "wide.csv").write_text(text)
    options = ["--json"] if verb == "read" else ["--json", "--resamples", "5", "--halves", "2"]
    assert main([verb, str(tmp_path / "wide.csv"), *options]) == 0
    expected = capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    assert main([verb, "-", *options]) == 0
    assert capsys.readouterr().out == expected
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    try:
        assert main([verb, f"/dev/fd/{reading}", *options]) == 0
    finally:
        os.close(reading)
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(("other", "items"), [("every-eval-ever", False), ("inspect-json", True)])
def test_scores_of_items_of_another_format_are_not_left_out_in_silence(tmp_path, other, items):
    shutil.copytree(DATA / other, tmp_path / "a")
    (tmp_path / "b").mkdir()
    rest = {"doc": {}, "target": "", "arguments": {}, "resps": []}
    lines = [json.dumps({"doc_id": item, "acc": item % 2, **rest}) for item in range(2)]
    (tmp_path / "b" / "samples_arc_2024-11-26T10-50-23.349203.jsonl").write_text("\n".join(lines))
    kind = other.partition("-json")[0]
    refuse(rf"(?s)formats.*({kind}.*lm-eval|lm-eval.*{kind}).*choose one with --format", tmp_path, items=items)
    assert read(tmp_path, format="lm-eval", items=True).n == 2


@pytest.mark.parametrize("end", ["", ".gz"])
def test_the_line_that_is_no_text_is_named(tmp_path, end):
    lines = b"agent,A,B\n" + b"x,0.1,0.2\n" * 9000 + "Jos\u00e9,0.1,0.2\n".encode("latin-1")
    (tmp_path / f"r.csv{end}").write_bytes(gzip.compress(lines) if end else lines)
    refuse("line 9002 is not text in UTF-8", tmp_path / f"r.csv{end}")
