"""The verb that computes the 2020 similarity from mixture curves."""

from __future__ import annotations

from typing import Any

import click

from aiq.cli.measures import as_json, confidence
from aiq.cli.output import emit_json, emit_shown


@click.command()
@click.argument("curve", metavar="CURVE.csv")
@click.option(
    "--at",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="share of the easier test in the mixture",
)
@click.option("--paired", is_flag=True, help="trainings of one repetition share something, such as a seed or a split")
@confidence
@as_json
def similarity(curve: str, json_: bool, **how: Any) -> None:
    """Similarity of 2020 from mixture curves: columns p,performance[,repetition][,a,b]; - reads standard input.

    The table is that of aiq dissimilarity. S compares the performance on the mixture with that on the
    easier test A and the harder test B: -1 as good as A, 0 halfway, 1 as bad as B. It is not given where
    V_A and V_B are closer than 2 standard errors. SUFFICIENT is the probability that V_A ≥ V_AB ≥ V_B,
    on which the measure rests.

    \b
    Example:
      printf 'p,performance\\n0,0.8099\\n0.5,0.8750\\n1,0.9932\\n' > curve.csv
      aiq similarity curve.csv
    """
    from aiq.report.measures import similarities
    from aiq.tables.curves import similarity_from_table

    found = similarity_from_table(curve, **how)
    if json_:
        single = found.get(())
        pairs = [{"a": pair[0], "b": pair[1], **s.as_dict()} for pair, s in found.items() if pair]
        emit_json(single.as_dict() if single else {"pairs": pairs})
        return
    emit_shown(similarities(found))


COMMANDS = (similarity,)
