"""The verb that computes dissimilarities from tables of mixture curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from aiq.cli.measures import as_json, confidence, resamples, seed
from aiq.cli.output import emit_json, emit_table

if TYPE_CHECKING:
    from aiq.records.dissimilarity import Dissimilarity
    from aiq.records.estimate import Estimate

    Found = Mapping[tuple[str, ...], Dissimilarity]

_PARTS = ("starvation", "confusion", "transfer")


@click.command()
@click.argument("curve", metavar="CURVE.csv")
@click.option("--alone", metavar="ALONE.csv", help="columns domain,p,performance[,repetition]: each domain alone")
@click.option(
    "--estimator",
    type=click.Choice(["average_first", "per_repetition"]),
    default="average_first",
    show_default=True,
    help="plain area: average the curves and take the area, or average the areas",
)
@resamples
@confidence
@seed
@as_json
def dissimilarity(curve: str, alone: str | None, json_: bool, **how: Any) -> None:
    """Dissimilarity from mixture curves: columns p,performance[,repetition][,a,b][,se][,told]; - is standard input.

    P is the share of domain a in the mixture, PERFORMANCE what a policy trained on it reached on the mixed test.
    p = 0 and p = 1 must be there. SE is the standard error of a performance where there are no repetitions. TOLD is
    the performance when told which domain a sample is from; ALONE has each domain trained alone with the share p of
    the samples: with both, the area is split into starvation + confusion + transfer.

    \b
    Example:
      printf 'p,performance\\n0,0.8\\n0.5,0.7\\n1,0.9\\n' > curve.csv
      aiq dissimilarity curve.csv
    """
    from aiq.tasks.suite.curve_tables import dissimilarity_from_table

    found = dissimilarity_from_table(curve, alone, **how)
    if json_:
        emit_json(_json(found, how["seed"]))
        return
    _print(found, f"{how['confidence']:.0%}")


def _json(found: Found, root: int) -> dict[str, Any]:
    """Return one curve's record, or the list of pairs with the noise floor of those of a domain with itself."""
    if () in found:
        return found[()].as_dict()
    floor = None
    selves = [record for pair, record in found.items() if pair[0] == pair[1]]
    if selves:
        from aiq.measures.dissimilarity import noise_floor

        floor = noise_floor(selves, seed=root).as_dict()
    return {"pairs": [{"a": p[0], "b": p[1], **d.as_dict()} for p, d in found.items()], "noise_floor": floor}


def _print(found: Found, level: str) -> None:
    """Print the table and what its numbers mean and do not mean."""
    names = [name for name in (*_PARTS, "interference") if any(_part(d, name) for d in found.values())]
    if "transfer" in names:
        names.remove("interference")
    rows = [
        (
            " – ".join(pair) or "–", d.signed.value, d.signed.interval, d.plain.value, d.n,
            *(_words(_part(d, name)) for name in names), "; ".join(_notes(pair, d)),
        )
        for pair, d in found.items()
    ]  # fmt: skip
    emit_table(["pair", "signed", level, "plain", "repetitions", *names, "note"], rows)
    for sentence in _sentences(found, names):
        click.echo(sentence)


def _part(record: Dissimilarity, name: str) -> Estimate | None:
    """Return one part's estimate, if it was measured."""
    part = None if record.parts is None else getattr(record.parts, name)
    return None if part is None else part.estimate


def _words(part: Estimate | None) -> str:
    """Return a part, give or take half its interval."""
    if part is None:
        return "–"
    if part.interval is None:
        return f"{part.value:.3g}"
    return f"{part.value:.3g} ± {(part.interval[1] - part.interval[0]) / 2:.2g}"


def _notes(pair: tuple[str, ...], record: Dissimilarity) -> list[str]:
    """Return what must be known of one pair's numbers."""
    notes = ["itself"] if pair and pair[0] == pair[1] else []
    around = record.signed.interval
    if record.error is None:
        notes.append("one repetition: no interval")
    elif around is None:
        notes.append("repetitions all alike: no interval")
    elif around[0] <= 0 <= around[1]:
        notes.append("not told from 0")
    if record.crosses:
        notes.append("crosses the line")
    if record.n_failed:
        notes.append(f"{record.n_failed} failed")
    return notes


def _sentences(found: Found, names: list[str]) -> list[str]:
    """Return what holds for the whole table."""
    lines = ["signed: the line minus the curve, positive where mixtures do worse; the interval is that of signed"]
    lines.append("plain: the area of the absolute difference (the paper's); noise adds to it where the curve crosses")
    if names:
        parts = {"starvation": "fewer samples a domain", "confusion": "taken for the other domain's"}
        parts |= {"transfer": "what is left, below 0 where they help each other", "interference": "all but starvation"}
        lines.append("; ".join(f"{name}: {parts[name]}" for name in names))
    pairs = [pair for pair in found if pair]
    if pairs and all(a != b for a, b in pairs):
        lines.append("no domain is paired with itself, so the noise floor is unknown")
    return lines


COMMANDS = (dissimilarity,)
