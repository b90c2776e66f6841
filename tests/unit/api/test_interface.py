"""The Python interface: light, typed, the numbers and refusals of the verbs."""

import ast
import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mypy import api as mypy_api

import aiq
from aiq.api.results import Number, Numbers
from aiq.cli.main import main
from aiq.errors import InputError
from aiq.records.estimate import jsonable

ROOT = Path(__file__).resolve().parents[3]
FUNCTIONS = ("compare", "complexity", "dissimilarity", "load", "score", "similarity", "space")
P = np.linspace(0, 1, 5)


def trials() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    size = (2 ** rng.uniform(4, 12, 60)).round()
    hard = np.repeat([6.0, 8.0, 9.0], 20)
    reached = np.clip(1 / (1 + np.exp(hard - np.log2(size))) + rng.normal(0, 0.02, 60), 0, 1)
    return pd.DataFrame({"domain": np.repeat(["a", "b", "c"], 20), "size": size, "performance": reached})


def curves() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rows = [
        {"a": a, "b": b, "repetition": r, "p": p, "performance": v}
        for a, b, sag in (("a", "a", 0.0), ("a", "b", 0.05), ("a", "c", 0.1), ("b", "c", 0.08))
        for r in range(4)
        for p, v in zip(P, 0.7 + 0.2 * P - sag * 4 * P * (1 - P) + rng.normal(0, 0.004, 5), strict=True)
    ]
    return pd.DataFrame(rows)


def performance() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    rows = [{"agent": who, "repetition": r} | dict(zip("abc", rng.normal(m, 0.01, 3), strict=True))
            for who, m in (("even", 0.8), ("weak", 0.5)) for r in range(3)]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def results() -> dict[str, object]:
    """One result of every kind."""
    complexity, dissimilarity = aiq.complexity(trials()), aiq.dissimilarity(curves())
    space = aiq.space(complexity, dissimilarity)
    scores = aiq.score(space, performance())
    similarity = aiq.similarity(curves())
    singles = [complexity["a"], dissimilarity["b", "a"], similarity["a", "b"], scores["even"]]
    return {f"{type(r).__name__}": r for r in (complexity, dissimilarity, space, scores, similarity, *singles)}


def plain(result) -> dict:
    """What the verb prints of a result, read again."""
    return json.loads(json.dumps(jsonable(result.as_dict()), allow_nan=False))


KINDS = (
    *("ComplexityResult", "ComplexityResults", "DissimilarityResult", "DissimilarityResults", "SimilarityResult"),
    *("SimilarityResults", "SpaceResult", "AgentResult", "ScoreResults"),
)


class TestImport:
    def test_needs_nothing(self):
        code = "import sys, aiq; print(aiq.__version__, [m for m in sys.modules if m.split('.')[0] in sys.argv[1:]])"
        heavy = ["numpy", "scipy", "pandas", "matplotlib", "torch", "h5py", "click", "rich", "pydantic"]
        done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == f"{aiq.__version__} []"

    def test_functions_need_no_torch_no_figures_and_no_frames(self):
        code = (
            "import sys, aiq; r = aiq.complexity([1, 20, 300], [.1, .5, .9], k=2); repr(r); [getattr(aiq, n) for n in "
            f"{FUNCTIONS!r}]; print([m for m in ('torch', 'matplotlib', 'pandas', 'snakemake', 'gymnasium') "
            "if m in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"

    def test_names_are_listed_and_packages_stay(self):
        assert set(FUNCTIONS) <= set(dir(aiq))
        packages = {path.name for path in (ROOT / "workflow" / "aiq").iterdir() if path.is_dir()}
        assert not packages & set(aiq._INTERFACE)
        assert not {path.stem for path in (ROOT / "workflow" / "aiq").glob("*.py")} & set(aiq._INTERFACE)
        with pytest.raises(AttributeError, match="no attribute 'complexities'"):
            aiq.complexities  # noqa: B018

    def test_stub_and_table_agree(self):
        stub = ast.parse((ROOT / "workflow" / "aiq" / "__init__.pyi").read_text("utf-8"))
        typed = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom)
                 for alias in node.names}  # fmt: skip
        assert typed == aiq._INTERFACE

    @pytest.mark.slow
    def test_types_are_seen(self, tmp_path: Path):
        (tmp_path / "user.py").write_text(
            "import aiq\nfrom aiq import measures\nreveal_type(aiq.space)\n"
            "reveal_type(aiq.compare('a', 'b').interval)\n"
            "aiq.score('s.h5', {}, seed='x')\n"
        )
        told, _, status = mypy_api.run([str(tmp_path / "user.py")])  # as `make check` does, whose findings it reuses
        assert status == 1
        assert "aiq.api.space.SpaceResult" in told
        assert "tuple[builtins.float, builtins.float]" in told or "tuple[float, float]" in told
        assert told.count("error:") == 1
        assert "seed" in told


class TestSameAsVerbs:
    """The same numbers, and the same refusals, as on the command line."""

    def printed(self, capsys, *words: object) -> dict:
        assert main([*map(str, words), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    def test_complexity(self, tmp_path, capsys):
        trials().to_csv(tmp_path / "t.csv", index=False)
        printed = self.printed(capsys, "complexity", tmp_path / "t.csv")
        assert plain(aiq.complexity(trials())) == printed
        assert plain(aiq.complexity(tmp_path / "t.csv")) == printed
        assert plain(aiq.complexity(trials().to_dict("list"))) == printed
        assert plain(aiq.complexity(trials().to_records(index=False))) == printed
        one = trials().query("domain == 'a'")
        arrays = aiq.complexity(one["size"], one["performance"], k=16)
        assert plain(arrays) == plain(aiq.complexity(one[["size", "performance"]], k=16))
        assert arrays.value == aiq.complexity(one, k=16)["a"].value

    def test_dissimilarity_and_similarity(self, tmp_path, capsys):
        curves().to_csv(tmp_path / "c.csv", index=False)
        for verb in ("dissimilarity", "similarity"):
            assert plain(getattr(aiq, verb)(curves())) == self.printed(capsys, verb, tmp_path / "c.csv")
            one = curves().query("a == 'a' and b == 'c'")
            whole = getattr(aiq, verb)(one)["a", "c"]
            matrix = one["performance"].to_numpy().reshape(4, 5)
            assert plain(getattr(aiq, verb)(P, matrix)) == plain(whole)

    def test_space_and_score(self, tmp_path, capsys):
        c = pd.DataFrame({"domain": ["a", "b", "c"], "complexity": [5.0, 7.0, 8.0], "se": [0.1, 0.1, 0.2]})
        d = pd.DataFrame({"a": ["a", "c", "b"], "b": ["b", "a", "c"], "dissimilarity": [0.03, 0.07, 0.05], "se": 0.002})
        c.to_csv(tmp_path / "c.csv", index=False)
        d.to_csv(tmp_path / "d.csv", index=False)
        performance().to_csv(tmp_path / "p.csv", index=False)
        words = ("space", "--complexity", tmp_path / "c.csv", "--dissimilarity", tmp_path / "d.csv")
        printed = self.printed(capsys, *words, "-o", tmp_path / "s.h5")
        space = aiq.space(c, d)
        assert plain(space) == printed
        space.save(tmp_path / "mine.h5")
        assert (tmp_path / "mine.h5").exists()
        printed = self.printed(capsys, "score", tmp_path / "s.h5", tmp_path / "p.csv")
        for given in (space, tmp_path / "s.h5", str(tmp_path / "mine.h5")):
            assert plain(aiq.score(given, performance())) == printed
        assert plain(aiq.score(space, performance().set_index("agent"))) == printed

    @pytest.mark.parametrize(
        ("verb", "bad"),
        [
            ("complexity", {"size": [10, 20], "performance": [0.5, 1.5]}),
            ("complexity", {"size": [10, 20], "performance": [0.5, 0.6], "colour": ["r", "g"]}),
            ("dissimilarity", {"p": [0, 0.5], "performance": [0.5, 0.6]}),
            ("dissimilarity", {"p": [0, 0.5, 1], "performance": [0.5, 0.6, 0.7], "a": ["x", "x", "x"]}),
            ("similarity", {"p": [0, 0.4, 1], "performance": [0.5, 0.6, 0.7]}),
        ],
    )
    def test_the_same_sentence(self, verb, bad, tmp_path, capsys):
        pd.DataFrame(bad).to_csv(tmp_path / "t.csv", index=False, na_rep="nan")
        assert main([verb, str(tmp_path / "t.csv")]) == 2
        printed = capsys.readouterr().err.removeprefix("aiq: ").strip()
        with pytest.raises(InputError) as refused:
            getattr(aiq, verb)(bad)
        name = "trials" if verb == "complexity" else "curves"
        said = str(refused.value)
        file = str(tmp_path / "t.csv")
        for row in range(4):
            said = said.replace(f"{name} row {row} (counted from 0)", f"{file} line {row + 2}")
        assert said.replace(f"{name} ", f"{file} ", 1).replace(f"{name}:", f"{file}:") == printed


class TestResults:
    def test_all_kinds_are_here(self, results):
        assert set(results) == set(KINDS)

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_result_keeps_the_contract(self, kind, results):
        result = results[kind]
        name = dataclasses.fields(result)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, name, None)
        if isinstance(result, Numbers):
            assert set(result.value) == set(result.interval) == set(result.n) == set(result)
            assert all(isinstance(one, Number) for one in result.values())
        else:
            low, high = result.interval
            assert low <= high
            assert isinstance(result.n, int)
        frame = result.to_frame()
        assert len(frame) == (len(result) if isinstance(result, Numbers) else result.n if kind == "SpaceResult" else 1)
        shown = result.display()
        for words in (repr(result), result._repr_html_()):
            assert all(sentence.split("<")[0][:40] in words for sentence in shown.sentences)
            assert all(str(row[0]) in words for row in shown.rows)
        assert result._repr_html_().count("<tr>") == len(shown.rows) + 1
        assert plain(result)

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_result_is_drawn(self, kind, results):
        drawing = results[kind].plot()
        assert drawing.caption.endswith(".")
        html = drawing._repr_html_()
        assert html.startswith("<figure")
        assert "data:image/png;base64," in html

    def test_html_is_escaped(self):
        rows = {"domain": ["<b>x</b>"] * 3, "size": [10, 100, 1000], "performance": [0.2, 0.5, 0.9]}
        assert "<b>" not in aiq.complexity(rows, k=2)._repr_html_()

    def test_a_pair_is_found_in_either_order(self, results):
        found = results["DissimilarityResults"]
        assert found["c", "a"] is found["a", "c"]
        with pytest.raises(KeyError):
            found["a", "nobody"]

    def test_space_takes_results_matrices_and_series(self, results):
        c, d = results["ComplexityResults"], results["DissimilarityResults"]
        frames = aiq.space(c.to_frame(), d.to_frame()).record
        assert np.array_equal(aiq.space(c, d).record.coordinates, frames.coordinates)
        lengths = {"domain": list(c), "complexity": list(c.value.values()), "se": [one.se for one in c.values()]}
        rows = [(*pair, one.record.signed.value, one.se) for pair, one in d.items()]
        tables = aiq.space(lengths, pd.DataFrame(rows, columns=["a", "b", "dissimilarity", "se"])).record
        own = aiq.space(c, d, length="complexity").record
        assert (own.length, own.dimensions) == (tables.length, tables.dimensions) == ("complexity", 2)
        assert np.allclose(own.coordinates, tables.coordinates)
        matrix = pd.DataFrame([[0, 0.03, 0.06], [0.03, 0, 0.05], [0.06, 0.05, 0]], index=[*"abc"], columns=[*"abc"])
        lengths = pd.Series({"a": 5.0, "b": 7.0, "c": 8.0})
        first = aiq.space(lengths, matrix).record
        second = aiq.space(lengths.to_dict(), matrix.to_numpy()).record
        long = aiq.space(lengths, {"a": ["a", "a", "b"], "b": ["b", "c", "c"], "dissimilarity": [0.03, 0.06, 0.05]})
        assert np.array_equal(first.coordinates, second.coordinates)
        assert np.allclose(first.coordinates, long.record.coordinates)

    def test_standard_error_of_a_complexity_is_that_of_its_interval(self):
        from scipy.stats import t

        one = aiq.complexity(trials())["b"]
        low, high = one.interval
        assert t.ppf(0.975, 19) * 0.9 < (high - low) / 2 / one.se < t.ppf(0.975, 1)
