"""Numbers that are learned, and learners made elsewhere as agents and as the pool, through the whole pipeline."""

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from sklearn.linear_model import LogisticRegression
from tiny import inside, make, planned, snakemake, tiny

from aiq.config import validate
from aiq.domains.registry import FAMILIES, load
from aiq.errors import AiqError
from aiq.plans.run import Run
from aiq.records.domains import Entropy
from aiq.report.page import opening
from aiq.run.products import make_products
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.training.domains import prepare_domain
from aiq.run.training.players import learn_outside
from aiq.run.training.trials import LearnerPool
from aiq.storage import hdf5, read_result

ROOT = Path(__file__).resolve().parents[2]
LEARNERS = ROOT / "tests" / "simulation" / "own_learners.py"
DIABETES = {"source": "sklearn", "name": "diabetes", "limit": 150, "limit_test": 80}
POOL = [
    {"factory": "sklearn.tree:DecisionTreeRegressor", "arguments": {"max_leaf_nodes": n}, "size": "own_learners:nodes"}
    for n in (2, 6)
]
POOL += [
    {"factory": "own_learners:net", "arguments": {"width": 2}, "size": "aiq.policies.learners:parameters"},
    {"factory": "own_learners:Broken", "size": 1},
]
OUTSIDE = [
    {"name": "ridge", "factory": "sklearn.linear_model:Ridge", "arguments": {"alpha": 2.0}},
    {"name": "broken", "factory": "own_learners:Broken"},
]


def numbers(domains=None, **changes):
    """Two domains of numbers, a pool and agents made elsewhere."""
    raw = tiny(
        domains=domains or {"diabetes": DIABETES, "noisy": {**DIABETES, "gaussian": 1.0}},
        pool={"size": 8, "policies_per_chunk": 4, "learners": POOL},
        complexity={"resamples": 40, "start": "chance"},
        **changes,
    )
    raw["agents"] = {"repetitions": 2, "networks": raw["agents"]["networks"], "outside": OUTSIDE}
    return raw


@pytest.fixture
def folder(tmp_path):
    """A working folder with the code of the learners in it."""
    shutil.copy(LEARNERS, tmp_path / "own_learners.py")
    return tmp_path


def rows(folder, name):
    with (folder / "results" / "tiny" / "tables" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_suite_of_numbers_with_learners_made_elsewhere_goes_to_its_tables(folder, monkeypatch):
    """In this process."""
    monkeypatch.syspath_prepend(str(folder))
    raw = numbers()
    run = Run.of(raw)
    layout, names = run.layout, list(run.configuration.domains)
    make(folder, raw)
    with inside(folder):
        for product in ("write_tables", "draw_complexity", "draw_dissimilarity"):
            make_products(run, product)
        path = layout.dissimilarity
        found = read_result(path, "dissimilarity", SuiteDissimilarity, run.plan.dissimilarity())
        bits = read_result(layout.entropy("diabetes"), "entropy", Entropy)
        lead, _ = opening(run)
    assert any(one.startswith("Broken: not scored: learner broken on diabetes: it raised") for one in lead.trust)
    counts = {(row["domain"], row["learner"].split()[0]): row for row in rows(folder, "learners")}
    assert len(rows(folder, "learners")) == 8
    for domain in names:
        broken = counts[domain, "own_learners:Broken"]
        assert (broken["trials"], broken["failed"]) == ("2", "2")
        assert "it raised ValueError: a learner that breaks" in broken["reason"]
        assert counts[domain, "own_learners:net"]["largest_size"] == str(10 * 2 + 2 + 2 + 1)
    complexity = {row["domain"]: row for row in rows(folder, "complexity")}
    assert complexity["diabetes"]["failed_trials"] == "2"
    agents = {row["agent"]: row for row in rows(folder, "agents")}
    assert any("it raised ValueError: a learner that breaks" in str(cell) for cell in agents["broken"].values())
    assert 0.1 < float(agents["ridge"]["mean"]) < 0.7
    parts = rows(folder, "dissimilarity")[0]
    assert parts["starvation"]
    assert parts["interference"]
    assert parts["confusion"] == parts["transfer"] == ""
    assert all(one.told_ends is None for one in found.alone)
    assert bits.label_bits == 0  # the number is a variable among the others
    assert bits.parts.size == 11
    figures = folder / "results" / "tiny" / "figures"
    assert (figures / "dissimilarity-interference.png").exists()
    assert not (figures / "dissimilarity-confusion.png").exists()


def test_the_rules_call_learners_and_notice_a_change_in_their_code(folder):
    raw = numbers(domains={"diabetes": DIABETES})
    raw["agents"] = {"repetitions": 1, "outside": OUTSIDE[:1]}
    layout = Run.of(raw).layout
    made = [layout.trials("diabetes", "0000-0001"), layout.outside("diabetes", "ridge")]
    done = snakemake(folder, raw, "--cores", "1", "--quiet", "rules", "--", *made)
    assert done.returncode == 0, done.stdout[-4000:]
    assert all((folder / path).exists() for path in made)
    (folder / "own_learners.py").write_text(LEARNERS.read_text() + "\n# changed\n")
    again = planned(folder, raw, "--", *made)
    assert set(again) == {"train_trials"}  # the agent's code is scikit-learn's


def test_texts_and_tables_are_measured_and_mixed(tmp_path):
    rng = np.random.default_rng(1)
    words = {"x": "aeiou", "y": "bcdfg"}
    texts = [("".join(rng.choice(list(words[label]), 6)), label) for label in rng.choice(["x", "y"], 120)]
    (tmp_path / "texts.csv").write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in texts))
    cells = [(f"{rng.normal():.2f}" if rng.random() < 0.8 else "NA", label) for _, label in texts]
    table = "".join(f"{cell},{'red' if label == 'x' else 'blue'},{label}\n" for cell, label in cells)
    (tmp_path / "table.csv").write_text("size,colour,kind\n" + table)
    raw = tiny(
        domains={
            "texts": {"source": "text", "path": "texts.csv", "ngram": 2, "features": 32},
            "table": {"source": "table", "path": "table.csv", "learn": "kind"},
        }
    )
    raw["agents"] = {"repetitions": 1, "networks": [{"name": "one", "layers": 0, "width": 1}]}
    run = make(tmp_path, raw)
    assert (tmp_path / run.layout.scores).exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"domains": {"diabetes": DIABETES, "wine": {"source": "sklearn", "name": "wine"}}},
            "in domain 'diabetes' a number is learned and in domain 'wine' a class, a suite is all of one kind",
        ),
        ({"dissimilarity__labels": "told"}, "dissimilarity.labels is 'told', but numbers are learned"),
    ],
)
def test_numbers_are_not_mixed_with_classes_and_have_no_labels(changes, words):
    raw = tiny(domains={"diabetes": DIABETES})
    with pytest.raises(AiqError, match=r"^[^\n]+$") as caught:
        Run.of({**raw, **tiny(**changes)} if "domains" in changes else tiny(domains={"diabetes": DIABETES}, **changes))
    assert words in str(caught.value)


def test_learners_that_cannot_be_imported_are_refused_before_anything_runs(folder):
    raw = numbers()
    raw["agents"]["outside"] = [{"name": "mine", "factory": "own_learners:gone"}]
    done = snakemake(folder, raw, "-n")
    assert done.returncode != 0
    assert "agent factory 'own_learners:gone' is not a callable of module own_learners" in done.stdout
    assert not (folder / "results").exists()


def test_what_belongs_to_episodes_is_refused_for_learners():
    raw = numbers()
    raw["agents"]["outside"] = [{"name": "mine", "factory": "m:f", "episodes": 3}]
    with pytest.raises(AiqError, match="agent 'mine' has episodes, which is for control domains"):
        Run.of(raw)


# ---- the worked examples of the documentation


def page(name):
    return (ROOT / "docs" / "how-to" / name).read_text(encoding="utf-8")


def test_the_learners_of_the_documentation(tmp_path, monkeypatch):
    """The code and the settings of docs/how-to/own-agent.md, as they stand there, on one domain."""
    code = re.search(r"```python\n# my_learners\.py\n(.*?)```", page("own-agent.md"), re.DOTALL)[1]
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page("own-agent.md"), re.DOTALL)]
    pools = [block["pool"] for block in blocks if "pool" in block]
    (agents,) = (block["agents"] for block in blocks if "my_learners" in str(block) and "agents" in block)
    assert len(pools) == 2
    (tmp_path / "my_learners.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for pool in pools:
        run = Run.of(tiny(domains={"wine": {"source": "sklearn", "name": "wine"}}, pool=pool, agents=agents))
        layout = run.layout
        with inside(tmp_path):
            prepare_domain(run, "wine", layout.domain("wine"))
            found = LearnerPool(run, "wine", layout.domain("wine")).chunk(0)
            assert [trial.status for trial in found] == ["finished"] * 8
            assert all(trial.parameters > 1 for trial in found)
    with inside(tmp_path):
        for agent in agents["outside"]:
            path = layout.outside("wine", agent["name"])
            learn_outside(run, "wine", agent["name"], layout.domain("wine"), path)
            units = hdf5.read(path, "outside")[1]
            assert [unit["status"] for unit in units.values()] == ["finished"] * 3
            assert all(unit["performance"] > 0.6 for unit in units.values())


def test_the_table_and_the_texts_of_the_documentation(tmp_path):
    """The code of docs/how-to/own-domain.md, as it stands there; texts where Babel is installed."""
    blocks = re.findall(r"```bash\n(.*?)```", page("own-domain.md"), re.DOTALL)
    how = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    (table,) = (block for block in blocks if "penguins" in block)
    done = subprocess.run(["bash", "-ec", table], cwd=tmp_path, env=how, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("(4, ")
    assert "('Adelie', 'Gentoo')" in done.stdout
    pytest.importorskip("babel")
    (texts,) = (block for block in blocks if "names.csv" in block)
    subprocess.run(["bash", "-ec", texts], cwd=tmp_path, env=how, check=True)
    told = re.findall(r"```yaml\n(domains:\n  names.*?)```", page("own-domain.md"), re.DOTALL)[0]
    settings = validate(FAMILIES["text"].settings, yaml.safe_load(told)["domains"]["names"])
    with inside(tmp_path):
        found = load("names", settings, root_seed=1)
    assert found.shape == (512,)
    assert len(found.classes) == 6
    assert len(found.train_y) > 1000
    # a bag of n-grams tells languages far better than their most frequent one
    learned = LogisticRegression(max_iter=200).fit(found.train_x, found.train_y)
    assert learned.score(found.test_x, found.test_y) > 0.6
