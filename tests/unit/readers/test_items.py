"""Scores of items, in every format and version that is read."""

import json
import sys
import zipfile
from types import SimpleNamespace

import pytest

from aiq.errors import InputError
from aiq.readers import read


def refuse(words, source, **how):
    with pytest.raises(InputError, match=words):
        read(source, **how)


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def rows(found):
    columns = [name for name in ("agent", "domain", "item", "epoch", "performance") if name in found.frame.columns]
    return list(found.frame[columns].itertuples(index=False, name=None))


def sample(doc, acc, **rest):
    return {"doc_id": doc, "doc": {"subject": "law"}, "resps": [], "filtered_resps": [], "acc": acc, **rest}


NAME = "samples_toy_2024-11-26T10-50-23.349203.jsonl"


def test_lm_eval_with_filters_metrics_and_hashes(tmp_path):
    told = {"metrics": ["acc"]}
    read_rows = [sample(k, k / 2, filter=f, doc_hash=f"{k}", **told) for f in ("strict", "flexible") for k in (0, 1)]
    lines(tmp_path / "org__m" / NAME, read_rows)
    (tmp_path / "org__m" / "results_2024-11-26T10-50-23.349203.json").write_text(json.dumps({"model_name": "org/m"}))
    found = read(tmp_path, items=True, cluster="subject")
    assert (found.agents, found.domains) == (("org/m",), ("toy",))
    assert found.frame["performance"].tolist() == [0, 0.5]
    assert found.names("cluster") == ("law",)
    assert any("filter flexible" in one for one in found.decisions)
    other = read(tmp_path, items=True, metric="acc,flexible")
    assert other.n == 2
    refuse("metric is elo, and no result is by it; there are acc", tmp_path, items=True, metric="elo")


def test_lm_eval_before_filters_were_named_and_arrays_of_the_first_versions(tmp_path):
    twice = [sample(0, True), sample(1, False), sample(0, False), sample(1, True)]
    lines(tmp_path / "lines" / NAME, twice)
    found = read(tmp_path / "lines")  # nothing but items is there
    assert found.frame["performance"].tolist() == [1, 0]
    assert any("first filter" in one for one in found.decisions)
    folder = tmp_path / "m"
    folder.mkdir()
    names = ("pretrained__org__m-1_toy", "pretrained__org__m-1_arc_easy", "model__n,dtype__float16_toy", "plain_toy")
    for name in names:
        (folder / f"{name}.jsonl").write_text(json.dumps([sample(0, 1), sample(1, 0)], indent=2))
    found = read(folder, items=True)
    assert found.frame["performance"].tolist() == [1, 0] * 4
    whose = {(agent, domain) for agent, domain, *_ in rows(found)}
    told = {("org__m-1", "toy"), ("org__m-1", "arc_easy"), ("n,dtype__float16", "toy")}
    assert whose == {*told, ("m", "plain_toy")}  # a name without arguments says nothing of a model
    assert sum("before version 0.4.3" in one for one in found.decisions) == 1


def test_lm_eval_runs_of_one_file_are_tries_and_other_questions_are_other_items(tmp_path):
    lines(tmp_path / "m" / NAME, [sample(0, score, filter="none", doc_hash="aa") for score in (1, 0)])
    lines(tmp_path / "k" / NAME, [sample(0, 1, filter="none", doc_hash="bb")])
    found = read(tmp_path)
    assert len(found.names("item")) == 2
    assert any("doc_hash differs" in one for one in found.decisions)


def test_a_truncated_file_of_items_is_skipped_whole_and_named(tmp_path):
    lines(tmp_path / "m" / NAME, [sample(0, 1), sample(1, 0)])
    bad = tmp_path / "k" / NAME
    lines(bad, [sample(0, 1), sample(1, 0)])
    bad.write_text(bad.read_text()[:-20])
    found = read(tmp_path)
    assert found.agents == ("m",)
    assert "line 2 is not JSON" in found.skipped[0].reason
    assert any("1 of 2 files damaged" in one for one in found.decisions)
    refuse("line 2 is not JSON", bad)


def log(samples, **rest):
    about = {"task": "t", "model": "m", "run_id": "r"}
    return {"version": 2, "status": "success", "eval": about, "samples": samples, **rest}


def test_inspect_samples_of_all_versions(tmp_path):
    scores = [{"value": v} for v in ("C", "I", "P", "N", 0.25, True, float("nan"))]
    new = [{"id": k, "epoch": 1, "scores": {"s": one}, "metadata": {"subject": "law"}} for k, one in enumerate(scores)]
    new += [{"id": 9, "epoch": 1, "scores": {}}]
    (tmp_path / "new.json").write_text(json.dumps(log(new)))
    found = read(tmp_path / "new.json", items=True, cluster="subject")
    assert found.frame["performance"].tolist() == [1, 0, 0.5, 0, 0.25, 1]
    assert "2 samples have no score" in found.skipped[0].reason
    old = [{"id": "a", "epoch": e, "score": {"value": "C"}} for e in (1, 2)]
    (tmp_path / "old.json").write_text(json.dumps(log(old)))
    assert rows(read(tmp_path / "old.json", items=True)) == [("m", "t", "a", "1", 1), ("m", "t", "a", "2", 1)]
    (tmp_path / "off.json").write_text(json.dumps(log(old, status="cancelled")))
    refuse("status 'cancelled'", tmp_path / "off.json", items=True)


class Dumped(SimpleNamespace):
    """What pydantic's models offer to a reader."""

    def model_dump(self):
        return vars(self)


@pytest.mark.parametrize("items", [True, False])
def test_inspect_reads_its_logs_itself_where_it_is_installed(tmp_path, monkeypatch, items):
    asked = []

    def whole(path, header_only):
        asked.append((path, header_only))
        score = {"name": "s", "metrics": {"accuracy": {"value": 0.5}}}
        return Dumped(**log([]) | {"results": {"scores": [score]}})

    def summaries(path):
        asked.append((path, None))
        return [Dumped(id="from Inspect", epoch=2, scores={"s": {"value": "C"}}, metadata={})]

    theirs = SimpleNamespace(read_eval_log=whole, read_eval_log_sample_summaries=summaries)
    monkeypatch.setitem(sys.modules, "inspect_ai", SimpleNamespace(log=theirs))
    path = tmp_path / "a.json"
    path.write_text(json.dumps(log([{"id": 1, "epoch": 1, "scores": {"s": {"value": "I"}}}])))
    found = read(path, items=items)
    expected = [("m", "t", "from Inspect", "2", 1)] if items else [0.5]
    assert (rows(found) if items else found.frame["performance"].tolist()) == expected
    assert asked == [(str(path), True), (str(path), None)][: 1 + items]


def test_a_log_that_inspect_refuses_is_read_or_refused_here(tmp_path, monkeypatch):
    def refuses(path, **_):
        raise ValueError("not by this version")

    theirs = SimpleNamespace(read_eval_log=refuses, read_eval_log_sample_summaries=refuses)
    monkeypatch.setitem(sys.modules, "inspect_ai", SimpleNamespace(log=theirs))
    (tmp_path / "a.json").write_text(json.dumps(log([{"id": 1, "epoch": 1, "scores": {"s": {"value": "C"}}}])))
    assert rows(read(tmp_path / "a.json", items=True)) == [("m", "t", "1", "1", 1)]
    (tmp_path / "b.eval").write_bytes(b"PK no archive")
    refuse(r"b\.eval is no whole log of Inspect", tmp_path / "b.eval", items=True)


@pytest.mark.parametrize("fast", [True, False])
def test_inspect_archives(tmp_path, fast):
    samples = [{"id": 1, "epoch": 1, "scores": {"s": {"value": "C"}, "u": {"value": {"x": 1}}}}]
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({**log([]), "samples": None}))
        name = "summaries.json" if fast else "samples/1_epoch_1.json"
        archive.writestr(name, json.dumps(samples if fast else samples[0]))
    found = read(tmp_path, items=True)
    assert rows(found) == [("m", "t", "1", "1", 1)]
    assert any("not u/x" in one for one in found.decisions)


def helm(folder, instances, name="per_instance_stats.json"):
    folder.mkdir(parents=True)
    spec = {"name": "mmlu:subject=law,model=m", "adapter_spec": {"model": "org/m"}}
    (folder / "run_spec.json").write_text(json.dumps(spec))
    (folder / name).write_text(json.dumps(instances))


def stat(name, mean, **rest):
    return {"name": {"name": name, "split": "test"}, "count": 1, "mean": mean, **rest}


def test_helm_instances_are_merged_and_perturbed_ones_left_out(tmp_path):
    one = {"instance_id": "id0", "train_trial_index": 0}
    instances = [{**one, "stats": [stat("length", 4)]}, {**one, "stats": [stat("exact_match", 1.0)]}]
    instances += [{**one, "perturbation": {"name": "typos"}, "stats": [stat("exact_match", 0.0)]}]
    helm(tmp_path / "run", instances)
    found = read(tmp_path, items=True)
    assert rows(found) == [("org/m", "mmlu:subject=law", "id0", "0", 1)]
    assert (found.skipped[0].name, found.skipped[0].reason[:5]) == ("1 perturbed copies of instances", "org/m")
    helm(tmp_path / "site", [{**one, "stats": {"exact_match": 1.0}}], "display_predictions.json")
    assert read(tmp_path / "site", items=True).n == 1


def test_resolved_instances_count_all_that_any_file_names(tmp_path):
    first = {"total_instances": 4, "resolved_ids": ["d__d-1"], "unresolved_ids": ["d__d-2"]}
    first |= {"incomplete_ids": ["e__e-1"]}
    (tmp_path / "org__m.run.json").write_text(json.dumps(first))
    (tmp_path / "org__k.run.json").write_text(json.dumps({"resolved_ids": ["e__e-1"], "submitted_ids": ["e__e-1"]}))
    found = read(tmp_path)
    wide = found.wide("item")
    wide.columns = wide.columns.droplevel()
    assert wide.loc["org/m"].to_dict() == {"d__d-1": 1, "d__d-2": 0, "e__e-1": 0}
    assert wide.loc["org/k"].to_dict() == {"d__d-1": 0, "d__d-2": 0, "e__e-1": 1}
    assert set(found.names("cluster")) == {"d__d", "e__e"}
    assert any("speak of 4" in one for one in found.decisions)


def test_lines_of_responses(tmp_path):
    lines(tmp_path / "b" / "responses.jsonl", [{"subject_id": "m", "responses": {"i": 1, "j": 0}}])
    assert rows(read(tmp_path / "b")) == [("m", "b", "i", 1), ("m", "b", "j", 0)]
    lines(tmp_path / "c" / "raw.jsonl", [{"subject_id": "m", "responses": {"i": {"successes": 2, "trials": 5}}}])
    found = read(tmp_path / "c")
    assert found.frame[["performance", "weight"]].to_numpy().tolist() == [[0.4, 5]]


def test_a_plain_table_of_items(tmp_path):
    text = "agent,item,score,test,cluster,epoch\nm,i,1,t,p,1\nm,i,0,t,p,2\nm,j,0.5,t,,1\n"
    (tmp_path / "t.csv").write_text(text)
    found = read(tmp_path / "t.csv")
    assert rows(found) == [("m", "t", "i", "1", 1), ("m", "t", "i", "2", 0), ("m", "t", "j", "1", 0.5)]
    assert found.frame["cluster"].isna().tolist() == [False, False, True]
    assert "1 of 3 results name no cluster (on t): each item is its own" in found.decisions
    (tmp_path / "s.csv").write_text("agent,item_id,successes,trials\nm,i,2,5\n")
    assert read(tmp_path / "s.csv").frame["performance"].tolist() == [0.4]
    (tmp_path / "s.csv").write_text("agent,item_id,successes,trials\nm,i,6,5\n")
    refuse("line 2: 6 successes of 5 trials", tmp_path / "s.csv")


def test_items_in_rows_and_in_columns(tmp_path):
    (tmp_path / "t.csv").write_text("item_id,m,k\ni,1,0\nj,0,1\n")
    assert read(tmp_path / "t.csv").wide("item").loc["m"].tolist() == [1, 0]
    (tmp_path / "u.csv").write_text("agent,i,j\nm,1,0\nk,0,1\n")
    assert not read(tmp_path / "u.csv").has_items
    assert read(tmp_path / "u.csv", items=True).wide("item").loc["m"].tolist() == [1, 0]


def test_summaries_come_before_items_and_what_holds_items_is_said(tmp_path):
    (tmp_path / "results_1.json").write_text(
        json.dumps({"results": {"toy": {"acc,none": 0.5}}, "configs": {}, "versions": {}, "model_name": "m"})
    )
    lines(tmp_path / NAME, [sample(0, 1)])
    found = read(tmp_path)
    assert not found.has_items
    assert "--items" in found.skipped[0].reason
    assert read(tmp_path, items=True).has_items
