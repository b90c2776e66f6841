"""Numbers that the checks of claims take are those of the run: intervals agree with the measures' own."""

from types import SimpleNamespace

import numpy as np
import pytest
from synthetic_runs import write_run

from aiq.explain.finished import FinishedRun
from aiq.measures import apti
from aiq.measures.complexity import differences
from papers.claims.evidence import pair_name
from papers.runs.reading import areas, pooled
from papers.runs.stored import _apti, _vertices


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    return FinishedRun.in_folder(write_run(tmp_path_factory.mktemp("runs") / "made", None))


def test_complexities_keep_their_values_and_their_paired_differences(stored):
    found = pooled(stored.complexity, "mccp_k")
    assert found is not None
    for name, one in stored.complexity.items():
        assert found[name] == pytest.approx(one.complexity.best_of_k.estimate.value)
        assert found.margin({name: 1.0}).bounds() == pytest.approx(one.complexity.best_of_k.estimate.interval, abs=1e-9)
    for apart in differences({name: one.complexity for name, one in stored.complexity.items()}):
        margin = found.margin({apart.first: 1.0, apart.second: -1.0})
        assert margin.value == pytest.approx(apart.complexity.value)
        assert margin.bounds() == pytest.approx(apart.complexity.interval, abs=1e-9)


def test_areas_keep_their_values_and_intervals(stored):
    found = areas(stored.dissimilarity)
    assert found is not None
    for pair in stored.dissimilarity.pairs:
        name = pair_name(pair.a, pair.b)
        assert found[name] == pytest.approx(pair.measured.signed.value)
        assert found.margin({name: 1.0}).bounds() == pytest.approx(pair.measured.signed.interval, abs=1e-9)


def test_a_copy_is_no_vertex_and_on_a_line_only_the_ends_are():
    assert _vertices(np.array([[1.0], [0.5], [0.2]])).tolist() == [1, 0, 0]
    assert _vertices(np.array([[1.0], [-0.5], [0.2]])).tolist() == [1, 1, 0]
    twice = _vertices(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.3, 0.3]]))
    assert twice.sum() == 2
    assert (twice[0], twice[3]) == (1, 0)
    assert _vertices(np.array([[1.0, 0.0], [0.5, 0.0]])).tolist() == [1, 0]  # flat


def test_apti_in_the_place_of_performance_is_read_domain_by_domain_of_the_space(stored):
    domains = stored.space.domains
    rng = np.random.default_rng(29)
    own = {name: [rng.uniform(0.2 + 0.3 * k, 0.4 + 0.3 * k, 5) for _ in domains] for k, name in enumerate("ab")}
    base = [rng.uniform(0.4, 0.6, 5) for _ in domains]
    turned = domains[::-1]  # files may hold the domains in another order than the space

    def made(name):
        return apti.measure(own[name][::-1], base[::-1], resamples=300, seed=1)

    scores = SimpleNamespace(
        domains=turned,
        agents=[SimpleNamespace(agent=n, per_dimension=SimpleNamespace(value=v)) for n, v in (("b", 0.6), ("a", 0.4))],
    )
    held = SimpleNamespace(agents=("b", "a"), apti=(made("b"), made("a")), scores=scores)
    found = _apti(("a", "b"), held, stored.space, 1)
    assert found["apti_aiq"].tolist() == [0.4, 0.6]
    for place, name in enumerate("ab"):
        ratios = [np.mean(x) / (np.mean(x) + np.mean(y)) for x, y in zip(own[name], base, strict=True)]
        assert found["apti"][place] == pytest.approx(np.mean(ratios))
    assert found["apti_draws"].shape == found["apti_aiq_draws"].shape
    assert np.allclose(found["apti_draws"].mean(axis=0), found["apti"], atol=0.02)
    assert (found["apti_draws"][:, 0] < found["apti_draws"][:, 1]).all()
    assert _apti(("a", "c"), held, stored.space, 1) == {}
