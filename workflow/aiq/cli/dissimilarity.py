"""The verb that computes dissimilarities from tables of mixture curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from aiq.cli.measures import as_json, confidence, resamples, seed
from aiq.cli.options import setting
from aiq.cli.output import emit_json, emit_shown
from aiq.config.measures import Dissimilarity

if TYPE_CHECKING:
    from aiq.records.dissimilarity import Dissimilarity as Measured
    from aiq.records.relative import Relative

    Found = Mapping[tuple[str, ...], Measured]


@click.command()
@click.argument("curve", metavar="CURVE.csv")
@click.option("--alone", metavar="ALONE.csv", help="columns domain,p,performance[,repetition]: each domain alone")
@click.option(
    "--twin",
    metavar="TWIN.csv",
    help="columns twin,p,performance,repetition[,a,b]: mixtures of a with a twin of b, for the relative dissimilarity",
)
@setting(Dissimilarity, "paired")
@setting(Dissimilarity, "estimator")
@resamples
@confidence
@seed
@as_json
def dissimilarity(curve: str, alone: str | None, twin: str | None, json_: bool, **how: Any) -> None:
    """Dissimilarity from mixture curves: columns p,performance[,repetition][,a,b][,se][,told]; - is standard input.

    P is the share of domain a in the mixture, PERFORMANCE what a policy trained on it reached on the mixed test.
    p = 0 and p = 1 must be there. SE is the standard error of a performance where there are no repetitions. TOLD is
    the performance when told which domain a sample is from; ALONE has each domain trained alone with the share p of
    the samples: with both, the area is split into starvation + confusion + transfer. TWIN has mixtures with twins (the
    test with its inputs and outputs permuted): the area over theirs is 0 where two tests are not told apart, about 1
    where they are unrelated.

    \b
    Example:
      printf 'p,performance\\n0,0.8\\n0.5,0.7\\n1,0.9\\n' > curve.csv
      aiq dissimilarity curve.csv
    """
    from aiq.report.measures import dissimilarities
    from aiq.tables.curves import dissimilarity_from_table, relative_from_table

    found = dissimilarity_from_table(curve, alone, **how)
    ratios = {} if twin is None else relative_from_table(curve, twin, confidence=how["confidence"])
    if json_:
        emit_json(_json(found, ratios, how["seed"]))
        return
    emit_shown(dissimilarities(found, relative=ratios))


def _json(found: Found, ratios: Mapping[tuple[str, ...], Relative], root: int) -> dict[str, Any]:
    """Return one curve's record, or the list of pairs with the noise floor of those of a domain with itself."""

    def told(pair: tuple[str, ...]) -> dict[str, Any]:
        more = {"relative": ratios[pair].as_dict()} if pair in ratios else {}
        return {**found[pair].as_dict(), **more}

    if () in found:
        return told(())
    floor = None
    selves = [record for pair, record in found.items() if pair[0] == pair[1]]
    if selves:
        from aiq.measures.dissimilarity import noise_floor

        floor = noise_floor(selves, seed=root).as_dict()
    return {"pairs": [{"a": p[0], "b": p[1], **told(p)} for p in found], "noise_floor": floor}


COMMANDS = (dissimilarity,)
