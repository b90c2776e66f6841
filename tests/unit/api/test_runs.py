"""``aiq.load`` and ``aiq.compare``, and the verb ``compare``, on results folders made by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
import synthetic_runs

import aiq
from aiq import figures
from aiq.api.runs import MeasureRun, RunResult
from aiq.cli.main import main
from aiq.errors import InputError, StorageError
from aiq.explain.differences import differing
from aiq.explain.finished import FinishedRun, at_pool
from aiq.plans.layout import Files
from aiq.records.complexity import Complexity
from aiq.records.table import Table
from aiq.run.products import read_settings, save
from aiq.storage import write_table


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four runs: the first, one of the same policies on harder domains, one of another seed, one without settings."""
    root = tmp_path_factory.mktemp("runs")
    settings = synthetic_runs.settings
    synthetic_runs.write_run(root / "first", settings())
    synthetic_runs.write_run(root / "harder", settings(training__epochs=20, name="harder"), shift=0.5, noise="b")
    synthetic_runs.write_run(root / "seed", settings(seed=8), shift=0.5, noise="b")
    synthetic_runs.write_run(root / "older", None)
    return root


def write(folder: Path, name: str, table: Table, figure: str, drawing: figures.Drawing) -> None:
    """Write a table and a figure as a run does."""
    (folder / "tables").mkdir(parents=True)
    (folder / "figures").mkdir()
    write_table(folder / "tables" / f"{name}.csv", table)
    save(Files(str(folder)), {figure: lambda: drawing})


class TestLoad:
    def test_a_run_has_everything(self, folder: Path):
        run = aiq.load(folder / "first")
        assert isinstance(run, RunResult)
        assert list(run.complexity) == list(synthetic_runs.DOMAINS)
        assert run.value == {"large": run.scores["large"].value, "small": run.scores["small"].value}
        assert run.interval["large"] == run.scores["large"].interval
        assert run.n == 3
        assert run.settings["pool"]["size"] == 64
        assert list(run.tables) == ["agents"]
        assert run.tables["agents"]["agent"].tolist() == ["large"]
        assert "first: 3 domains in" in repr(run)
        assert run.dissimilarity["wine", "digits"].curves.shape == (5, 11)
        assert isinstance(run.complexity["wine"].record, Complexity)
        assert set(run.to_frame()["agent"]) == {"small", "large"}
        assert run.plot().caption
        with pytest.raises(KeyError, match="it has agents"):
            run.tables["agent"]

    def test_runs_of_earlier_versions_and_other_measures(self, finished_runs: Path):
        suite = next(path.parent for path in (finished_runs / "suite").rglob("dissimilarity.h5"))
        run = aiq.load(suite)
        assert run.settings == {}
        assert len(run.complexity) == run.n >= 2
        assert run.complexity.plot().caption
        other = finished_runs / "made" / "tables"
        other.mkdir(parents=True)
        (other / "quotients.csv").write_text("agent,quotient\na,1\n")
        found = aiq.load(finished_runs / "made")
        assert isinstance(found, MeasureRun)
        assert (found.value, found.interval, found.n) == ({}, {}, {})
        assert found.to_frame()["quotient"].tolist() == [1]
        assert "quotients" in repr(found)
        with pytest.raises(InputError, match="holds no figures"):
            found.plot()
        with pytest.raises(InputError, match="is no run of a suite"):
            aiq.compare(found, suite)

    def test_other_measures_keep_the_contract(self, finished_runs: Path):
        from aiq import storage, wing
        from aiq.tables.columns import SIMILARITIES
        from aiq.wings.algorithmic import shown as algorithmic
        from aiq.wings.algorithmic.equations.estimation import Quotients
        from aiq.wings.anytime import shown as anytime
        from aiq.wings.anytime.work import ClassResult
        from aiq.wings.collectives import shown as collectives
        from aiq.wings.collectives.shown import collectives_uncertainty
        from aiq.wings.collectives.work import CollectivesResult

        def of(path: str, kind: str, record: type) -> object:
            return storage.read_result(finished_runs / path, kind, record)

        groups = of("collectives/results/tiny/collectives.h5", "collectives", CollectivesResult)
        tests = [of(f"anytime/results/tiny/anytime/{n}.h5", "anytime result", ClassResult) for n in ("cups", "grid")]
        quotients = of("algorithmic/r/quotients.h5", "quotients", Quotients)
        headlines = {one.headline.table: one.headline for one in wing.measures().values() if one.headline}
        made = {
            "intelligence": (collectives.intelligence_table(groups), len(groups.intelligence)),
            "anytime": (anytime.table(tests), sum(len(one.points) for one in tests)),
            "quotients": (algorithmic.tables(quotients)["quotients"], len(quotients.agents)),
        }
        assert set(headlines["similarity"].columns) <= {*SIMILARITIES, "merge", "halvings"}
        assert set(made) == set(headlines) - {"similarity"}
        drawing = collectives_uncertainty(groups.intelligence)
        for name, (table, count) in made.items():
            folder, main = finished_runs / f"of-{name}", headlines[name]
            write(folder, name, table, main.figure, drawing)
            found = aiq.load(folder)
            assert len(found.value) == len(found.interval) == len(found.n) == count >= 2
            assert list(found.value.values()) == table.column(main.value)
            assert [None if i is None else i[0] for i in found.interval.values()] == table.column(main.low)
            assert list(found.n.values()) == table.column(main.n)
            assert list(found.to_frame().columns) == list(table.columns)
            assert found._repr_html_().count("<tr>") == count + 1
            assert name in repr(found)
            assert json.loads(json.dumps(found.as_dict()))["tables"][name][0][main.names[0]] == table.rows[0][0]
            picture = found.plot()
            assert (picture.caption, picture.table.columns) == (drawing.caption, drawing.table.columns)
            assert "data:image/png;base64," in picture._repr_html_()
            with pytest.raises(InputError, match="the figure is 'x'"):
                found.plot("x")
        (folder / "figures" / f"{main.figure}.png").write_bytes(b"no picture")
        with pytest.raises(StorageError, match="is damaged"):
            found.plot()
        (folder / "tables" / f"{name}.csv").write_text("a\n1,2\n")
        with pytest.raises(StorageError, match="is no whole table"):
            found.value  # noqa: B018

    def test_damage_is_told(self, folder: Path, tmp_path: Path):
        synthetic_runs.write_run(tmp_path / "r", synthetic_runs.settings())
        space = aiq.space({"x": 1.0, "y": 2.0}, [[0, 0.1], [0.1, 0]])
        space.save(tmp_path / "r" / "space.h5")
        with pytest.raises(StorageError, match="is a mixture"):
            aiq.load(tmp_path / "r")
        (tmp_path / "r" / "space.h5").write_bytes(b"no")
        with pytest.raises(StorageError):
            aiq.load(tmp_path / "r")
        (tmp_path / "r" / "tables" / "provenance" / "agents.json").write_text("{")
        with pytest.raises(StorageError, match="damaged"):
            read_settings(tmp_path / "r")


class TestCompare:
    def test_same_policies_are_paired_and_narrower(self, folder: Path):
        paired = aiq.compare(folder / "first", folder / "harder").record
        apart = aiq.compare(folder / "first", folder / "seed").record
        for what in ("complexity", "dissimilarity", "agents"):
            for one, other in zip(getattr(paired, what), getattr(apart, what), strict=True):
                d, e = one.differences[0], other.differences[0]
                assert (d.pairing, e.pairing) == ("paired", "independent")
                first, second = one.values
                assert d.estimate.value == pytest.approx(second.value - first.value)
                assert d.estimate.interval[0] < d.estimate.value < d.estimate.interval[1]
        width = [np.diff(r.complexity[0].differences[0].estimate.interval)[0] for r in (paired, apart)]
        assert width[0] < 0.7 * width[1]
        assert all(one.differences[0].estimate.interval[0] > 0 for one in paired.complexity)

    def test_a_difference_is_minus_the_other_way_round(self, folder: Path):
        there = aiq.compare(folder / "first", folder / "harder")
        back = aiq.compare(folder / "harder", folder / "first")
        for (what, name, _), value in there.value.items():
            assert back.value[what, name, "first"] == pytest.approx(-value)
            if what != "agents":
                low, high = there.interval[what, name, "harder"]
                assert back.interval[what, name, "first"] == pytest.approx((-high, -low))

    def test_settings_that_differ(self, folder: Path):
        found = aiq.compare(folder / "first", folder / "harder").record
        assert found.settings == {"training.epochs": (12, 20)}
        nobody = {"agents__networks": [{"name": "large", "width": 32}]}
        synthetic_runs.write_run(folder / "fewer", synthetic_runs.settings(**nobody))
        runs = [FinishedRun.in_folder(folder / name) for name in ("first", "fewer")]
        assert differing(runs) == {"agents.networks.small.width": (2, None), "agents.networks.large.width": (64, 32)}

    def test_the_same_run_differs_nowhere(self, folder: Path):
        found = aiq.compare(folder / "first", aiq.load(folder / "first")).record
        assert found.runs[0] != found.runs[1]
        for one in (*found.complexity, *found.dissimilarity, *found.agents):
            assert one.differences[0].pairing == "identical"
            assert one.differences[0].estimate.value == 0
            assert one.differences[0].estimate.interval is None

    def test_one_run_at_two_pool_sizes(self, folder: Path):
        run = aiq.load(folder / "first")
        found = aiq.compare(run, pool=(32, 64)).record
        assert found.runs == ("first, 32 policies", "first, 64 policies")
        assert found.settings == {"pool.size": (32, 64)}
        for one in found.complexity:
            trials = run.complexity[one.name[0]].trials
            half = aiq.complexity(2 ** trials.size[:32], trials.performance[:32], chunk=np.arange(32) // 8,
                                  largest=2**12.0)  # fmt: skip
            assert one.values[0].value == pytest.approx(half.value)
            assert one.values[1].value == run.complexity[one.name[0]].value
            assert one.differences[0].pairing == "paired"
            spread = np.diff(one.differences[0].estimate.interval)[0]
            assert spread < np.diff(one.values[0].interval)[0]
        assert all(one.differences[0].pairing == "identical" for one in found.dissimilarity)
        for one in found.agents:
            assert one.differences[0].pairing == "paired"
            low, high = one.differences[0].estimate.interval
            assert high - low < 0.5 * np.diff(one.values[0].interval)[0]

    def test_what_cannot_be_told_is_said(self, folder: Path, finished_runs: Path):
        older = aiq.compare(folder / "first", folder / "older")
        assert "older does not hold its settings" in repr(older)
        suite = next(path.parent for path in (finished_runs / "suite").rglob("dissimilarity.h5"))
        other = aiq.compare(folder / "first", suite)
        assert "different domains" in repr(other)
        assert None in other.value.values()
        with pytest.raises(InputError, match="does not hold its settings"):
            aiq.compare(folder / "older", pool=(32, 64))

    @pytest.mark.parametrize(
        ("pool", "said"),
        [((), "one run only"), ((64,), "one run only"), ((20, 64), "give one of 8, 16"), ((32, 65), "has 64 policies")],
    )
    def test_refusals(self, folder: Path, pool, said):
        with pytest.raises(InputError, match=said):
            aiq.compare(folder / "first", pool=pool)

    def test_shown_and_drawn(self, folder: Path):
        found = aiq.compare(folder / "first", folder / "harder", folder / "seed")
        assert len(found.to_frame()) == 2 * (3 + 6 + 2)
        for words in (repr(found), found._repr_html_()):
            assert all(name in words for name in ("complexity", "dissimilarity", "AIQ per dimension", "dimensions"))
            assert "harder − first" in words
        assert "first: large" in repr(found)
        assert found.plot().table.rows


class TestVerb:
    def test_json(self, folder: Path, capsys):
        assert main(["compare", str(folder / "first"), str(folder / "harder"), "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed == json.loads(json.dumps(aiq.compare(folder / "first", folder / "harder").as_dict()))
        assert {"settings", "complexity", "dissimilarity", "agents"} <= set(printed)
        (wine,) = [one for one in printed["complexity"] if one["domain"] == "wine"]
        assert set(wine["differences"]["harder"]) == {"value", "interval", "pairing", "method"}

    def test_table_figure_and_pools(self, folder: Path, tmp_path: Path, capsys):
        figure = tmp_path / "c.svg"
        assert main(["compare", str(folder / "first"), "--pool", "32", "--pool", "64", "-o", str(figure)]) == 0
        assert "pool.size" in capsys.readouterr().out
        assert figure.read_text().startswith("<?xml")


def test_the_space_of_a_smaller_pool_weighs_common_chunks_alike(folder: Path):
    """Replicate r of both spaces has the same weights of common chunks, so their lengths go up and down together."""
    run = FinishedRun.in_folder(folder / "first")
    spaces = [at_pool(run, size).space for size in (32, 56)]
    lengths = [np.linalg.norm(space.bootstrap.coordinates, axis=2)[:, 0] for space in spaces]
    whole = np.linalg.norm(run.space.bootstrap.coordinates, axis=2)[:, 0]
    count = min(*map(len, lengths), len(whole))
    first, second = (np.corrcoef(one[:count], whole[:count])[0, 1] for one in lengths)
    assert first > 0.3
    assert second > 0.7
