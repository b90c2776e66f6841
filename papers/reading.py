"""Read results folders into what the checks of claims take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from aiq import storage
from aiq.config.load import read
from aiq.errors import AiqError, InputError
from aiq.measures.dissimilarity.matrices import suite_errors
from aiq.plans.run import Run, SuiteRun
from aiq.records.complexity import QUANTITIES
from aiq.records.estimate import Floats
from aiq.run.products import read_settings
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.stats import jackknife
from aiq.wings.similarity2020.reduction import Run as SimilarityRun
from aiq.wings.similarity2020.reduction import SimilarityResult
from papers import planned as experiments
from papers.claims.evidence import Evidence, pair_name
from papers.claims.numbers import Measured
from papers.claims.published import PublishedClaim
from papers.claims.similarity import all_claims, scale
from papers.stored import agents_of, by_the_paper, described, one_of, places_of, stored_of

NORMAL = 1.959964


def read_evidence(folders: Sequence[str | Path], pass_over: Callable[[str], None] | None = None) -> list[Evidence]:
    """Read results folders, and all results folders below them, each of the experiments in one by itself.

    ``pass_over`` is told why one cannot be read, which is left out, as are folders without results; None refuses both.
    """
    evidence: list[Evidence] = []
    for folder in folders:
        root = Path(folder)
        if not root.is_dir():
            raise InputError(f"{folder} is no folder; give results folders of runs, or a folder of them")
        own = []
        for place in _results(root):
            try:
                own += _read(place)
            except AiqError as error:
                if pass_over is None:
                    raise
                pass_over(f"{place} is left out: {error}")
        if not own and pass_over is None:
            raise InputError(
                f"{folder} holds no results with the settings that made them; give results folders of finished runs"
            )
        evidence += own
    return evidence


def _results(root: Path) -> Iterator[Path]:
    """Yield the results folders at and below a folder, three levels deep."""
    for place in [root, *sorted(p for n in (1, 2, 3) for p in root.glob("/".join("*" * n)) if p.is_dir())]:
        if (
            any((place / name).is_dir() for name in ("tables", "complexity", "experiments"))
            or (place / "dissimilarity.h5").exists()
        ):
            yield place


def _read(place: Path) -> list[Evidence]:
    """Return the evidence of every experiment whose configuration is kept beside results, else of their own run."""
    kept = sorted((place / "experiments").glob("*/f*.yaml"))
    if kept:
        claims = {path: tuple(experiments.experiment(path.stem).claims) for path in kept}
        return [of_suite(place, read(path), path.stem, path.parent.name, claims[path]) for path in kept]
    settings = read_settings(place)
    if not settings:
        return []
    if settings.get("measure", "aiq") != "aiq":
        return [of_tables(place, settings)]
    return [of_suite(place, settings, place.name, "other", ())]


def of_tables(place: Path, settings: Mapping[str, Any]) -> Evidence:
    """Return the evidence of a run of another measure: its tables; of the 2020 similarity every number in print."""
    paths = sorted((place / "tables").glob("*.csv"))
    tables = {path.stem: storage.read_published(path) for path in paths}
    measure = str(settings["measure"])
    size, published = described(settings), tuple[PublishedClaim, ...]()
    if measure == "similarity":
        run: SimilarityRun = Run.of({**settings, "results": str(place)}, measure=measure, origin=str(place))
        result = one_of(*run.plan.results(), "similarity", SimilarityResult, run.plan.result())
        size, published = scale(run.configuration), () if result is None else tuple(all_claims([(run, result)]))
    return Evidence(place.name, described=size, tables=tables, published=published, measure=measure, date=_day(paths))


def of_suite(
    place: Path, settings: Mapping[str, Any], name: str, scale: str, claims: tuple[str, ...], beside: bool = True
) -> Evidence:
    """Return what of a suite is there and of these settings; ``beside``: with the paper's own reading of it."""
    run: SuiteRun = Run.of({**settings, "results": str(place)}, measure="aiq", origin=str(place))
    layout = run.layout
    domains = {n: domain.model_dump(mode="json") for n, domain in run.configuration.domains.items()}
    kept = stored_of(run, exact=scale != "other")
    complexity, entropy, suite, space = kept.complexity, kept.entropy, kept.suite, kept.space
    dated = [*map(layout.complexity, complexity), *map(layout.entropy, entropy), layout.scores, layout.space]
    dated += [layout.dissimilarity] if suite is not None else []
    evidence = Evidence(
        name=name, scale=scale, described=described(settings, suite is not None), domains=domains,
        complexity=pooled(complexity, "mccp_k"), base=pooled(complexity, "base"),
        entropy=_entropies({n: record.mean for n, record in entropy.items()}),
        entropy_total=_entropies({n: record.total for n, record in entropy.items()}),
        dissimilarity=None if suite is None else areas(suite), asymmetry=None if suite is None else asymmetry(suite),
        agents=None if kept.scores is None or space is None else agents_of(run, space, kept.scores, kept.apti),
        places=None if space is None else places_of(space), claims=claims, date=_day(dated),
    )  # fmt: skip
    return replace(evidence, by_paper=by_the_paper(evidence, run, kept)) if beside else evidence


def _day(paths: Iterable[str | Path]) -> str:
    times = [Path(path).stat().st_mtime for path in paths if Path(path).exists()]
    return date.fromtimestamp(max(times)).isoformat() if times else ""


def pooled(complexities: Mapping[str, DomainComplexity], quantity: str) -> Measured | None:
    """Return a quantity at k of all domains and parts of its error, common to domains over the same chunks."""
    column = QUANTITIES.index(quantity)
    records = {name: domain.complexity.best_of_k for name, domain in complexities.items()}
    jackknifed = {name: record for name, record in records.items() if record is not None and len(record.deleted) > 1}
    if not jackknifed:
        return None
    groups: dict[tuple[float, ...], Floats] = {}  # members of the chunks -> their part of the error of each domain
    for place, record in enumerate(jackknifed.values()):
        influence = jackknife.influences(record.values[[column]], record.deleted[:, [column]], record.members)
        own = groups.setdefault(tuple(record.members), np.zeros((record.members.size, len(jackknifed))))
        own[:, place] = influence[:, 0]
    values = np.array([record.values[column] for record in jackknifed.values()])
    return Measured(tuple(jackknifed), values, np.concatenate([*groups.values()]))


def _entropies(entropies: Mapping[str, Any]) -> Measured | None:
    """Return entropies as independent numbers, with normal errors of the width of their intervals."""
    bounded = {name: entropy for name, entropy in entropies.items() if entropy.interval is not None}
    if not bounded:
        return None
    errors = [(entropy.interval[1] - entropy.interval[0]) / (2 * NORMAL) for entropy in bounded.values()]
    return Measured.independent({name: entropy.value for name, entropy in bounded.items()}, errors)


def areas(suite: SuiteDissimilarity) -> Measured | None:
    """Return the signed areas of all pairs; the error of a domain's ends is one source for all its pairs."""
    pairs = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    try:
        errors = suite_errors(suite.domains, pairs)
    except AiqError:
        return None
    at = tuple(np.array([[suite.domains.index(name) for name in pair] for pair in pairs]).T)
    count, each = len(pairs), np.arange(len(pairs))
    ends = np.zeros((len(suite.domains), count))
    ends[at[1], each] = errors.end.T[at]
    ends[at[0], each] = errors.end[at]
    parts = np.concatenate([np.diag(errors.se_inner[at]), ends])
    df = np.concatenate([errors.df_inner[at], errors.df_end])
    return Measured(tuple(pair_name(*pair) for pair in pairs), errors.signed[at], parts, df)


def asymmetry(suite: SuiteDissimilarity) -> tuple[float, float] | None:
    """Return by how much the two orders of a pair differ on average beyond noise, and the error of that.

    A pair is the mean of its orders, so their difference has twice the error of the pair's inner points; the mean
    absolute value of normal noise is .80 of its standard deviation, its own deviation .60 of it.
    """
    report = suite.report.symmetry
    inner = [p.measured.error.se_inner for p in suite.pairs if p.measured.error is not None and p.a != p.b]
    if report is None or not inner:
        return None
    noise = 2 * float(np.mean(inner))
    return max(0.0, report.mean - 0.798 * noise), 0.603 * noise / float(np.sqrt(report.pairs))
