"""How a finished run moves with its choices: what is reduced again is what a run of its own would give."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny

from aiq import storage
from aiq.cli.main import main
from aiq.config.load import read
from aiq.errors import InputError
from aiq.explain import choices
from aiq.explain import sensitivity as moving
from aiq.explain.finished import FinishedRun, reduced
from aiq.explain.sensitivity import _matrices, change, moved
from aiq.figures import sensitivity as figure
from aiq.plans.run import Run
from aiq.records.explain import Sensitivity
from aiq.records.variance import Round, Rounds
from aiq.report.explained import sensitivity as shown
from aiq.run.reducing.complexity import DomainComplexity

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

CHOICES = ("complexity.k", "complexity.size", "dissimilarity.value", "space.dimensions", "dissimilarity.repetitions")


@pytest.fixture(scope="module")
def found(finished) -> Sensitivity:
    """What moves; nothing of the run is written over."""
    before = tiny.files(finished)
    with tiny.inside(finished):
        moved = moving.sensitivity(tiny.TINY, "tiny.yaml", CHOICES)
    assert tiny.files(finished) == before
    return moved


def test_the_same_settings_move_nothing(hard):
    run = Run.of(tiny.HARD)
    with tiny.inside(hard):
        found = moved(FinishedRun(run), reduced(run, run))
    assert found["complexity"].largest == found["dissimilarity"].largest == found["agents"].largest == 0
    assert found["same_order"]
    assert found["agents"].outside is None or found["agents"].outside[0] == 0


def test_what_is_reduced_again_is_what_a_run_with_these_settings_gives(finished, copied):
    """Every number of the changed run made by Snakemake's own jobs, not by the sensitivity."""
    raw = tiny.tiny(complexity__k=2, space__dimensions=1, dissimilarity__value="plain")
    with tiny.inside(finished):
        here = reduced(Run.of(tiny.TINY), Run.of(raw))
    with tiny.inside(copied):
        run = Run.of(raw)
        made = tiny.jobs(run)
        for path in tiny.reduced(run):
            made[path]()
        there = FinishedRun(run).loaded()
    values = [{name: one.complexity.value for name, one in run.complexity.items()} for run in (here, there)]
    assert values[0] == values[1]
    assert np.array_equal(here.dissimilarity.matrix, there.dissimilarity.matrix)
    assert np.array_equal(here.space.coordinates, there.space.coordinates)
    assert here.scores.scores.as_dict() == there.scores.scores.as_dict()


def test_half_of_a_pool_is_the_pool_that_is_trained_first(finished, copied):
    """The smaller pool trained by itself, on one domain, against the first chunks of the larger one."""
    raw = tiny.tiny(pool__size=4, complexity__k=2)
    run = Run.of(raw)
    with tiny.inside(finished):
        here = reduced(Run.of(tiny.TINY), run)
    with tiny.inside(copied):
        made = tiny.jobs(run)
        for job in run.plan.trial_jobs("wine"):
            made[run.layout.trial_job(job)]()
        target = run.layout.complexity("wine")
        made[target]()
        there = storage.read_result(target, "complexity", DomainComplexity, run.plan.complexity("wine"))
    assert len(there.size) == 4
    assert np.array_equal(here.complexity["wine"].performance, there.performance)
    assert here.complexity["wine"].complexity.value == there.complexity.value


def test_half_a_pool_is_tried_where_it_serves_k():
    (half,) = (choice for choice in choices.REDUCED if choice.place == "pool.size")
    for size, k, tried in ((8, 2, [4]), (8, 3, []), (12, 2, [4]), (4, 1, [])):
        assert half.values(Run.of(tiny.tiny(pool__size=size, complexity__k=k)).configuration, 2) == tried


def test_each_choice_has_numbers_or_a_reason_or_a_cost(found):
    by_kind = {kind: [one for one in found.tried if one.kind == kind] for kind in ("reduced", "untrained")}
    assert {one.choice for one in by_kind["reduced"]} == {
        "complexity.k", "complexity.size", "dissimilarity.value", "space.dimensions"
    }  # fmt: skip
    assert [(one.choice, one.value) for one in by_kind["untrained"]] == [("dissimilarity.repetitions", "4")]
    assert all(one.core_hours > 0 for one in by_kind["untrained"])
    assert all(one.complexity is not None and one.values.keys() == found.values.keys() for one in by_kind["reduced"])
    sizes = {one.value: one for one in by_kind["reduced"] if one.choice == "complexity.size"}
    assert sizes["parameters"].complexity.outside is None  # another unit: intervals say nothing
    values = [one for one in by_kind["reduced"] if one.choice == "dissimilarity.value"]
    assert {one.complexity.largest for one in values} == {0.0}
    dimensions = {one.value: one.dimensions for one in by_kind["reduced"] if one.choice == "space.dimensions"}
    assert dimensions["all"] >= found.dimensions


def test_settings_that_do_not_fit_are_refused_with_their_reason(finished):
    one_pair = choices.Choice("complexity.k", lambda *_: [100], {})
    with tiny.inside(finished), pytest.MonkeyPatch.context() as patch:
        patch.setattr(moving, "REDUCED", (one_pair,))
        (tried, *_) = moving.sensitivity(tiny.TINY, "tiny.yaml", ["complexity.k"]).tried
    assert tried.kind == "refused"
    assert "the pool has 8 policies" in tried.reason


def test_the_cost_of_more_is_the_cost_of_what_is_missing():
    run = Run.of(tiny.TINY)
    costs, c = run.plan.sizing.costs, run.configuration
    assert moving.hours(run, run) == 0
    larger = Run.of(tiny.tiny(pool__size=16))
    missing = sum(costs.chunk(name).seconds for name in c.domains) * 2
    assert moving.hours(run, larger) * 3600 == pytest.approx(missing)
    assert moving.hours(larger, run) == 0


def test_a_variant_is_a_run_of_its_own_and_leaves_all_else_as_it_is(tmp_path):
    with tiny.inside(tmp_path):
        size, repetitions = moving.write_variants(tiny.TINY, "tiny.yaml", ["pool.size", "dissimilarity.repetitions"])
        raw, more, usual = (Run.of(raw).configuration for raw in (read(size), read(repetitions), tiny.TINY))
        with pytest.raises(InputError, match="needs no training, or is no choice"):
            moving.write_variants(tiny.TINY, "tiny.yaml", ["complexity.k"])
    assert size == "results/tiny/sensitivity/pool-size-16.yaml"
    assert (raw.name, raw.results, raw.pool.size) == ("tiny-pool-size-16", "results/tiny-pool-size-16", 16)
    assert more.dissimilarity.repetitions == 2 * usual.dissimilarity.repetitions
    assert more.dissimilarity.ends_trained == usual.dissimilarity.ends_trained
    assert more.control_repetitions == usual.control_repetitions


def test_a_suite_that_rounds_have_grown_is_compared_as_it_stands(alone, tmp_path):
    """Half of the pool is half of the grown one, and a variant has the grown numbers and no rounds."""
    raw = tiny.tiny(precision={"per_dimension": 0.01, "budget": "1 core-hours"}, complexity__k=2)
    numbers = {"pool": 12, "ends": 6, "mixtures": 2, "agents": 3}
    record = Rounds("made", 0.01, 1.0, (Round(numbers, 0.0),))
    shutil.copytree(alone, tmp_path / "grown")
    with tiny.inside(tmp_path / "grown"):
        path = Path(Run.of(raw).layout.precision)
        path.write_text(json.dumps(record.as_dict()), encoding="utf-8")
        assert Run.of(raw).configuration.pool.size == 12
        for name in tiny.reduced(Run.of(raw)):
            Path(name).unlink()
        tiny.grow(tmp_path / "grown", raw)
        found = moving.sensitivity(raw, "tiny.yaml", ["pool.size", "complexity.estimator", "complexity.k"])
        (variant,) = moving.write_variants(raw, "tiny.yaml", ["agents.repetitions"])
        other = Run.of(read(variant)).configuration
    tried = {(one.choice, one.value): one for one in found.tried}
    assert {value for choice, value in tried if choice == "pool.size"} == {"4", "24"}
    assert tried["pool.size", "4"].complexity.largest > 0  # 4 of 12, in whole chunks
    assert (other.pool.size, other.agents.repetitions, other.precision) == (12, 6, None)


def test_a_suite_of_one_domain_has_no_dissimilarity_to_move():
    found = _matrices(None, None, ["digits"])
    assert np.isnan(found.largest)
    assert (found.name, found.rank, found.outside) == ("", None, None)


TREES = {"generator": choices.TREES}


def _tried(raw, *places):
    return list(choices.others(Run.of(raw).configuration, 2, [one for one in choices.TRAINED if one.place in places]))


def test_a_pool_of_trees_leaves_out_what_is_of_networks(tmp_path):
    raw = tiny.tiny(pool__interface="suite")
    ((choice, value),) = _tried(raw, "pool.learners")
    assert value == TREES
    with tiny.inside(tmp_path):
        made = moving.variant(raw, Run.of(raw), choice, value)
        run = Run.of(made)
    assert made["pool"] == {"size": 8, "policies_per_chunk": 4, "learners": TREES}
    assert run.configuration.name == "tiny-pool-learners-aiq-policies-trees-drawn"
    assert raw["pool"]["width"] == [1, 16]  # the run's own keys are left alone


def test_a_pool_of_learners_is_tried_with_networks_and_with_trees():
    listed = [{"factory": "sklearn.tree:DecisionTreeClassifier", "arguments": {"max_leaf_nodes": 4}, "size": 10}]
    own = tiny.tiny(pool={"size": 8, "policies_per_chunk": 4, "learners": listed})
    assert [value for _, value in _tried(own, "pool.learners", "pool.width")] == [TREES, None]
    choice = _tried(own, "pool.learners")[0][0]
    assert choices.usual(Run.of(own).configuration, choice) == listed
    assert moving.spelled(listed).endswith("size: 10}]")
    assert _tried(read(tiny.ROOT / "config" / "cartpole.yaml"), "pool.learners") == []  # domains are played
    trees = tiny.tiny(pool={"size": 8, "policies_per_chunk": 4, "learners": TREES})
    ((_, value),) = _tried(trees, "pool.learners")
    assert value is None
    assert Run.of(choices.changed(trees, Run.of(trees).configuration, choice, None)).configuration.pool.learners is None


def test_complexities_by_trees_keep_an_order_and_have_no_interval_to_leave(tmp_path):
    """A run of its own with trees as the pool: read beside the run, with what cannot be compared said."""
    raw = tiny.tiny(pool__size=16)  # with 8 one of two chunks has trees of one size alone, which has no excess
    ((choice, value),) = _tried(raw, "pool.learners")
    tiny.make(tmp_path, raw)
    with tiny.inside(tmp_path):
        before = moving.sensitivity(raw, "tiny.yaml", ["pool.learners"])
        made = moving.variant(raw, Run.of(raw), choice, value)
        tiny.make(tmp_path, made)
        found = moving.sensitivity(raw, "tiny.yaml", ["pool.learners"])
        trees, own = FinishedRun(Run.of(made)).loaded(), FinishedRun(Run.of(raw)).loaded()
    (waiting,), (tried,) = before.tried, found.tried
    assert waiting.kind == "untrained"
    assert waiting.core_hours == pytest.approx(3 * 16 * 60 / 3600)  # three domains, sixteen learners, a minute each
    assert "60 s count for each training" in shown(before)[1].sentences[1]
    assert before.incomparable == ""
    assert (tried.kind, tried.value, tried.usual) == ("trained", "aiq.policies.trees:drawn", "null")
    assert tried.complexity.outside is None  # numbers of trees are no parameters: the run's intervals say nothing
    assert tried.complexity.rank is not None
    assert tried.dissimilarity.largest == 0  # mixtures are learned by the same networks
    assert tried.agents.outside is None or tried.agents.outside[1] == len(found.order)
    assert "not complexities in bits" in shown(found)[0].sentences[-2]
    assert "not complexities in bits" in figure(found).caption
    assert moved(own, own)["complexity"].outside is not None
    assert moved(trees, trees)["complexity"].outside is not None  # the same learners on both sides
    for one in trees.complexity.values():  # 2 to 256 leaves are 3 n - 2 numbers
        assert np.all((one.size >= np.log2(1)) & (one.size <= np.log2(3 * 256 - 2)))


def test_changes_by_hand():
    before, after = np.array([0.2, 0.5, 0.9]), np.array([0.3, 0.5, 0.4])
    found = change(["a", "b", "c"], before, after, [(0.1, 0.25), None, (0.3, 0.95)])
    assert (found.largest, found.name, found.outside) == (0.5, "c", (1, 2))
    assert found.rank == pytest.approx(0.5)  # ranks 1 2 3 and 1 3 2
    assert change(["a", "b"], before[:2], after[:2], [None, None]).rank is None
    assert change(["a", "b", "c"], np.ones(3), after, [None] * 3).rank is None
    assert change(["a", "b"], before[:2], np.array([np.nan, 0.9]), [(0.1, 0.25), (0.4, 0.6)]).outside == (1, 1)


def test_the_verb_prints_one_json_object_and_draws(copied, capsys):
    with tiny.inside(copied):
        (copied / "tiny.yaml").write_text(json.dumps(tiny.TINY), encoding="utf-8")
        asked = ["sensitivity", "tiny.yaml", "--choice", "space.dimensions", "--json", "-o", "moves.svg"]
        assert main([*asked, "--csv", "moves.csv"]) == 0
        out, err = capsys.readouterr()
        told = json.loads(out)
        assert err == ""
        assert {"choice", "value", "agents", "dimensions", "order"} <= told["choices"][0].keys()
        assert (copied / "moves.svg").read_text("utf-8").startswith("<?xml")
        assert len((copied / "moves.csv").read_text("utf-8").splitlines()) == 1 + len(told["choices"])
        assert main(["sensitivity", "tiny.yaml", "--choice", "space.dimension"]) == 2
        assert "did you mean 'space.dimensions'" in capsys.readouterr().err


def test_a_value_without_a_headline_says_so(found):
    row, names = found.computed[0], list(found.order)
    lost = change(names, np.ones(len(names)), np.full(len(names), np.nan), [(0.9, 1.0)] * len(names))
    without = replace(found, tried=(replace(row, agents=lost, values=dict.fromkeys(names, np.nan)),))
    (table,) = shown(without)
    assert table.rows[0][5:7] == ("none to compare", None)
    assert "no headline" in [text.get_text() for text in figure(without).figure.axes[0].texts]
