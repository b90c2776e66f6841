"""Verbs that compute measures from tables: complexity, space, score (dissimilarity has a file of its own)."""

from __future__ import annotations

from typing import Any

import click

from aiq.cli._written import SPACE
from aiq.cli.options import setting
from aiq.cli.output import emit_json, emit_shown
from aiq.cli.sources import read_source, source_options, takes_table
from aiq.config.base import fingerprint
from aiq.config.measures import Complexity, Headline, Space
from aiq.errors import InputError

as_json = click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
seed = click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="root of the resampling")
resamples, confidence = setting(Complexity, "resamples"), setting(Complexity, "confidence")


@click.command()
@click.argument("trials", metavar="TRIALS.csv")
@click.option(
    "--size", type=click.Choice(["log2", "linear"]), default="log2", show_default=True, help="how sizes count"
)
@setting(Complexity, "envelope")
@setting(Complexity, "estimator")
@setting(Complexity, "k")
@setting(Complexity, "fill")
@click.option(
    "--largest", type=float, help="size of the largest policy that could be drawn  [default: the largest in the table]"
)
@click.option(
    "--chance", type=float, default=0.0, show_default=True, help="performance from which relative excess begins"
)
@setting(Complexity, "bins")
@setting(Complexity, "extrapolate")
@resamples
@confidence
@seed
@as_json
def complexity(trials: str, size: str, json_: bool, **how: Any) -> None:
    """Complexity (MCCP) from trials: columns size,performance[,chunk][,domain]; - reads standard input.

    SIZE is the number of parameters of a trained policy, PERFORMANCE what it reached, in [0, 1]. MCCP@k is the
    expected smallest of k of these policies that reaches a performance, averaged over performances; its base is what
    it would be if every policy reached everything, its excess the rest.

    \b
    Example:
      printf 'size,performance\\n100,0.5\\n2000,0.9\\n90000,0.97\\n' > trials.csv
      aiq complexity trials.csv --k 2
    """
    from aiq.report.measures import complexities
    from aiq.tables.trials import complexity_from_table

    found = complexity_from_table(trials, size=size, start=how.pop("chance"), **how)
    if json_:
        single = found.get("")
        emit_json(single.as_dict() if single else {"domains": {n: c.as_dict() for n, c in found.items()}})
        return
    emit_shown(complexities(found, usual=how["k"] is None))


@click.command()
@click.option(
    "--complexity",
    "complexities",
    required=True,
    metavar="C.csv",
    help="columns domain,relative_excess|complexity[,se]",
)
@click.option(
    "--dissimilarity", "dissimilarities", required=True, metavar="D.csv", help="columns a,b,dissimilarity[,se]"
)
@click.option("-o", "--output", type=SPACE, metavar="SPACE.h5", help="file to write, for aiq score")
@setting(Space, "anchor")
@setting(Space, "length")
@setting(Space, "distance")
@setting(Space, "null")
@setting(Space, "dimensions")
@setting(Space, "share")
@click.option("--landmarks", "complete", is_flag=True, help="complete missing pairs from the fully measured domains")
@confidence
@seed
@as_json
def space(complexities: str, dissimilarities: str, output: str | None, seed: int, json_: bool, **how: Any) -> None:
    """Intelligence space from complexities and dissimilarities: every domain becomes a point.

    Tables of a run (tables/complexity.csv, tables/dissimilarity.csv) and data frames of aiq are read as they are.
    Columns se hold standard errors; the dissimilarities are then signed areas. Without them no score has an interval
    that carries the uncertainty of the space. The se of a domain with itself may be empty.

    \b
    Example:
      printf 'domain,complexity,se\\nA,1,0.1\\nB,2,0.1\\n' > c.csv
      printf 'a,b,dissimilarity,se\\nA,B,0.02,0.001\\n' > d.csv
      aiq space --complexity c.csv --dissimilarity d.csv -o space.h5
    """
    from aiq import storage
    from aiq.report.measures import coordinates
    from aiq.tables.spaces import space_from_tables

    if complexities == dissimilarities == "-":
        raise InputError("both tables are '-', but standard input can be read once only; put one into a file")
    found = space_from_tables(complexities, dissimilarities, seed=seed, **how)
    if output is not None:
        made = fingerprint("table", list(found.domains), found.complexity.tolist(), found.dissimilarity.tolist())
        storage.write_result(output, "space", found, made, seed)
    if json_:
        emit_json(found.as_dict())
        return
    emit_shown(coordinates(found))


@click.command()
@click.argument("space_file", metavar="SPACE.h5")
@click.argument("performance", metavar="PERFORMANCE")
@source_options("refuse", without=("keep", "domains"))
@setting(Headline, "value")
@confidence
@seed
@as_json
def score(space_file: str, performance: str, json_: bool, value: str, confidence: float, seed: int, **how: Any) -> None:
    """AIQ of agents: columns agent,domain,performance[,repetition]; - reads standard input.

    A wide table, agent and one column per domain, is read too, and so is all that ``aiq read`` reads: results of
    lm-evaluation-harness, Inspect, HELM and others, with their standard errors. Needs a space made by
    ``aiq space -o`` or by a run (space.h5).

    \b
    Example:
      printf 'agent,domain,performance\\nme,A,0.9\\nme,B,0.4\\n' > mine.csv
      aiq score space.h5 mine.csv
    """
    from aiq.report.measures import agents
    from aiq.tables.scores import score_from

    missing = how.pop("missing")
    given: Any = performance
    if not takes_table(performance, how, missing):
        given = read_source(performance, missing="keep", **how)
    found = score_from(space_file, given, missing=missing, value=value, seed=seed, confidence=confidence, say=_said)
    if json_:
        emit_json(found.as_dict())
        return
    emit_shown(agents(found))


def _said(sentence: str) -> None:
    """Say something before long work, beside what is printed."""
    click.echo(sentence, err=True)


COMMANDS = (complexity, space, score)
