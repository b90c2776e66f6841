"""Verbs that compute measures from tables: complexity, dissimilarity, similarity, space, score, landmarks."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from aiq.api.results import Result
from aiq.cli.suite import confidence, read_source, seed, source_options
from aiq.cli.verbs import SPACE, Answer, answers, opened, say, settings, sourced
from aiq.config.measures import Complexity, Curves, OfTables, Space
from aiq.errors import InputError


@click.command()
@click.argument("trials", metavar="TRIALS.csv")
@click.option(
    "--size", type=click.Choice(["log2", "linear"]), default="log2", show_default=True, help="how sizes count"
)
@settings(Complexity, "envelope", "estimator", "k", "fill")
@click.option(
    "--largest", type=float, help="size of the largest policy that could be drawn  [default: the largest in the table]"
)
@click.option(
    "--chance", type=float, default=0.0, show_default=True, help="performance from which relative excess begins"
)
@settings(Complexity, "bins", "extrapolate", "resamples")
@confidence
@seed
@answers
def complexity(trials: str, **how: Any) -> Result:
    """Complexity (MCCP) from trials: columns size,performance[,chunk][,domain]; - reads standard input.

    SIZE is the number of parameters of a trained policy, PERFORMANCE what it reached, in [0, 1]. MCCP@k is the
    expected smallest of k of these policies that reaches a performance, averaged over performances; its base is what
    it would be if every policy reached everything, its excess the rest.

    \b
    Example:
      printf 'size,performance\\n100,0.5\\n2000,0.9\\n90000,0.97\\n' > trials.csv
      aiq complexity trials.csv --k 2
    """
    from aiq.api.complexity import complexity

    return complexity(trials, **how)


@click.command()
@click.argument("curve", metavar="CURVE.csv")
@click.option("--alone", metavar="ALONE.csv", help="columns domain,p,performance[,repetition]: each domain alone")
@click.option(
    "--twin",
    metavar="TWIN.csv",
    help="columns twin,p,performance,repetition[,a,b]: mixtures of a with a twin of b, for the relative dissimilarity",
)
@settings(OfTables, "paired")
@settings(Curves, "estimator", "resamples")
@confidence
@seed
@answers
def dissimilarity(curve: str, **how: Any) -> Result:
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
    from aiq.api.dissimilarity import dissimilarity

    return dissimilarity(curve, **how)


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
@answers
def similarity(curve: str, **how: Any) -> Result:
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
    from aiq.api.dissimilarity import similarity

    return similarity(curve, **how)


@click.command()
@click.option("--complexity", required=True, metavar="C.csv", help="columns domain,relative_excess|complexity[,se]")
@click.option("--dissimilarity", required=True, metavar="D.csv", help="columns a,b,dissimilarity[,se]")
@click.option("-o", "--output", type=SPACE, metavar="SPACE.h5", help="file to write, for aiq score")
@settings(Space, "anchor", "length", "distance", "null", "dimensions", "share")
@click.option("--landmarks", is_flag=True, help="complete missing pairs from the fully measured domains")
@confidence
@seed
@answers
def space(complexity: str, dissimilarity: str, output: str | None, **how: Any) -> Result:
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
    from aiq.api.space import space

    if complexity == dissimilarity == "-":
        raise InputError("both tables are '-', but standard input can be read once only; put one into a file")
    placed = space(complexity, dissimilarity, **how)
    if output is not None:
        placed.save(output)
    return placed


@click.command()
@click.argument("space_file", metavar="SPACE.h5")
@click.argument("performance", metavar="PERFORMANCE")
@source_options("refuse", without=("keep", "domains"))
@settings(OfTables, "value")
@confidence
@seed
@answers
def score(space_file: str, performance: str, value: str, confidence: float, seed: int, **how: Any) -> Answer:
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
    from aiq.tables.scores import read_space, score_from

    missing, space = how.pop("missing"), read_space(space_file)
    given = read_source(performance, missing="keep", known=space.domains, **how)
    scores = score_from(space, given, missing=missing, value=value, seed=seed, confidence=confidence, say=say)
    return Answer(scores.as_dict, (agents(scores),))


@click.command()
@sourced
@answers
def landmarks(source: str) -> Answer:
    """The next landmark, farthest-point: the domain farthest from the landmarks of a finished run or of a table.

    Begin with one landmark by name, run, ask here, add the answer to the names, run again (only what is
    new is trained), until the answer is no farther than the noise floor, or completed pairs are close enough.
    SOURCE is a configuration, or a table a,b,dissimilarity whose landmarks are the domains measured against all.

    \b
    Example:
      aiq landmarks my-suite.yaml
    """
    from aiq.run.reducing.dissimilarity import next_landmark
    from aiq.tables.locating import next_from_table

    is_table = source == "-" or source.endswith((".csv", ".tsv"))
    chosen = next_from_table(source) if is_table else next_landmark(opened(source, "aiq"))
    enough = "; that is within the noise floor: there are enough" if chosen.distance <= chosen.noise_floor else ""
    where = (
        f"next landmark: {chosen.domain}, at {chosen.distance:.4f} from the nearest of {', '.join(chosen.landmarks)} "
        f"(noise floor {chosen.noise_floor:.4f}){enough}"
    )
    error = "how far completed pairs are off is not known: at least three landmarks are needed"
    if chosen.error is not None:
        error = (
            f"completed pairs are off by about {chosen.error:.0%} of the root mean square dissimilarity, as the "
            "landmarks tell that are left out in turn; the noise of the measured pairs is in it"
        )
    return Answer(asdict(chosen), (where, error))


COMMANDS = (complexity, dissimilarity, similarity, space, score, landmarks)
