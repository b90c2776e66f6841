"""The verbs ``algorithmic sample``, ``run`` and ``estimate``: the algorithmic quotient without a configuration."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import yaml

from aiq.cli.verbs import TABLE_OR_DASH, TEXT_OR_DASH, Verbs, emit_json, emit_table
from aiq.errors import InputError
from aiq.records.table import Table

if TYPE_CHECKING:
    from aiq.wings.algorithmic.equations import Population
    from aiq.wings.algorithmic.equations.runs import PairOutcomes

SEED = click.IntRange(0, 2**63 - 1)


@click.group(cls=Verbs)
def algorithmic() -> None:
    """The Algorithmic Intelligence Quotient (Legg and Veness 2013): mean reward over random programs.

    \b
    Example: sample programs, run an agent on them, estimate its quotient:
      aiq algorithmic sample --programs 1000 -o programs.txt
      aiq algorithmic run freq programs.txt --length 1000 --runs 400 -p epsilon=0.07 -o freq.csv
      aiq algorithmic estimate freq.csv --programs programs.txt
    """


def machine_options(command: Any) -> Any:
    """Add the options of the reference machine."""
    for option in (
        click.option("--observation-first", is_flag=True, help="the reward is last on the output tape"),
        click.option("--cells", default=1, show_default=True, help="output cells of an observation"),
        click.option("--symbols", default=5, show_default=True, help="size of the alphabet"),
    ):
        command = option(command)
    return command


@algorithmic.command()
@click.option("--programs", default=1000, show_default=True, help="accepted programs, in hundreds")
@click.option("--seed", default=0, show_default=True, type=SEED, help="root of all randomness")
@click.option("--simplification", default="one-pass", show_default=True, help="one-pass (published) or fixed-point")
@machine_options
@click.option(
    "-o", "--output", type=TEXT_OR_DASH, default="-", show_default=True, help="text file 'stratum program', one a line"
)
@click.option("--json", "json_", is_flag=True, help="print counts as one JSON object (needs -o)")
def sample(
    programs: int, seed: int, simplification: str, symbols: int, cells: int, observation_first: bool, output: str,
    json_: bool,
) -> None:  # fmt: skip
    """Sample programs of the BF reference machine.

    \b
    Example:
      aiq algorithmic sample --programs 1000 -o programs.txt
    """
    from aiq.wings.algorithmic.equations import COUNTS, render
    from aiq.wings.algorithmic.equations.machine import MachineSettings, sample_programs
    from aiq.wings.algorithmic.settings import BLOCK

    if json_ and output == "-":
        raise click.UsageError("--json and the programs cannot both go to standard output, give -o FILE")
    if programs < 1 or programs % BLOCK:
        raise InputError(f"{programs} programs cannot be sampled; give a positive multiple of {BLOCK}")
    shard = sample_programs(
        seed, 0, programs // BLOCK, MachineSettings(symbols, cells, observation_first), simplification
    )
    _write_text(output, render(shard.programs))
    counts = {"accepted": len(shard.programs)} | {name: getattr(shard, name) for name in COUNTS}
    if json_:
        emit_json(counts)
    elif output != "-":
        emit_table(["programs", "count"], list(counts.items()))


@algorithmic.command()
@click.argument("agent", metavar="AGENT")
@click.argument("programs", metavar="PROGRAMS")
@click.option("-p", "--parameter", multiple=True, metavar="NAME=VALUE", help="parameter of the agent, may be repeated")
@click.option(
    "--length", type=click.IntRange(max=100_000_000), default=1000, show_default=True, help="cycles of an episode"
)
@click.option(
    "--runs",
    type=click.IntRange(max=1_000_000_000),
    default=1000,
    show_default=True,
    help="trials, two a pair; 10000 as published",
)
@click.option("--discount", default=1.0, show_default=True, help="weight d ** k of the reward of cycle k")
@click.option(
    "--seed", default=0, show_default=True, type=SEED, help="root of all randomness; agents compared need the same"
)
@click.option("--plain", is_flag=True, help="plain Monte Carlo instead of adaptive stratified sampling")
@machine_options
@click.option("-o", "--output", type=TABLE_OR_DASH, default="-", show_default=True, help="CSV of the pairs of trials")
def run(
    agent: str, programs: str, parameter: tuple[str, ...], length: int, runs: int, discount: float, seed: int,
    plain: bool, symbols: int, cells: int, observation_first: bool, output: str,
) -> None:  # fmt: skip
    """Run AGENT on a sample of PROGRAMS ('-' reads standard input).

    AGENT is random, freq, q, hlq, sarsa, mc-aixi, or module:factory for a Python agent of yours, which is at
    least 50 times slower than the compiled ones.

    \b
    Example:
      aiq algorithmic run q programs.txt -p initial=0 -p trace=0.5 -p rate=0.5 -p epsilon=0.04 -p discount=0.6 -o q.csv
    """
    from aiq.wings.algorithmic.equations import Population
    from aiq.wings.algorithmic.equations.agents import make_agent
    from aiq.wings.algorithmic.equations.machine import MachineSettings
    from aiq.wings.algorithmic.equations.runs import run_adaptive
    from aiq.wings.algorithmic.equations.trials import Episode, Experiment
    from aiq.wings.algorithmic.work import read_programs

    sys.path.insert(0, "")  # module:factory may lie in the working folder
    named: dict[str, Any] = _parameters(parameter)
    if ":" in agent:
        agent, named = "outside", {"factory": agent, "parameters": named}
    machine = MachineSettings(symbols, cells, observation_first)
    experiment = Experiment(make_agent(agent, named), Episode(length, discount), seed, machine)
    outcomes = run_adaptive(experiment, Population(read_programs(programs), not plain), runs)
    _write_text(output, _pairs_table(outcomes))
    if output != "-":
        emit_table(["pairs", "failed pairs"], [(outcomes.pairs, outcomes.failures)])


@algorithmic.command()
@click.argument("pairs", metavar="PAIRS...", nargs=-1, required=True)
@click.option("--programs", required=True, metavar="PROGRAMS", help="the sample on which the agents ran")
@click.option("--interval", default="optimal", show_default=True, help="optimal, realised or legacy (published)")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def estimate(pairs: tuple[str, ...], programs: str, interval: str, json_: bool) -> None:
    """Quotient of every table of PAIRS, with intervals; of two and more also their paired differences.

    \b
    Example:
      aiq algorithmic estimate freq.csv q.csv --programs programs.txt
    """
    estimates = _estimates_of(pairs, programs, interval)
    if json_:
        emit_json(estimates)
        return
    rows = [(a["agent"], a["quotient"], a["interval"], a["runs"], a["failures"]) for a in estimates["agents"]]
    emit_table(["agent", "quotient", "interval", "runs", "failed pairs"], rows)
    names = ("first", "second", "difference", "interval", "probability")
    between = [tuple(row[name] for name in names) for row in estimates["differences"]]
    if between:
        emit_table(["first", "second", "difference", "interval", "probability first is above"], between)


def _parameters(given: tuple[str, ...]) -> dict[str, Any]:
    """Return NAME=VALUE words as parameters: numbers and truth values as YAML reads them, the rest text."""
    parameters: dict[str, Any] = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise InputError(f"parameter {word!r} is no NAME=VALUE; write for example epsilon=0.05")
        if name in parameters:
            raise InputError(f"parameter {name} is given twice; every parameter may be given once")
        try:
            parameters[name] = yaml.safe_load(value)
        except yaml.YAMLError:
            parameters[name] = value
    return parameters


# ---- files that a person has at hand ----------------------------------------------------------------

COLUMNS = ("stratum", "draw", "program", "length", "plus", "minus")


def _write_text(path: str, text: str) -> None:
    from aiq.storage.files import replacing

    if path == "-":
        sys.stdout.write(text)
        return
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _pairs_table(outcomes: PairOutcomes) -> str:
    from aiq.storage import render

    columns = [getattr(outcomes, name).tolist() for name in COLUMNS]
    rows = [[None if cell != cell else cell for cell in row] for row in zip(*columns, strict=True)]
    return render(Table.of(COLUMNS, rows))


def _pairs(path: str, table: Table, population: Population) -> PairOutcomes:
    from aiq.wings.algorithmic.equations.runs import PairOutcomes

    if not {"plus", "minus"} <= set(table.columns):
        raise InputError(f"{path} lacks the columns plus and minus; give a table that aiq algorithmic run wrote")
    whole = {name: _whole(path, name, table.column(name)) for name in COLUMNS[:4]}
    scores = [np.array([_score(path, cell) for cell in table.column(name)]) for name in COLUMNS[4:]]
    try:
        outcomes = PairOutcomes(*whole.values(), *scores)
    except ValueError as error:
        raise InputError(
            f"{path} holds no pairs of trials: {error}; give a table that aiq algorithmic run wrote"
        ) from None
    for stratum in np.unique(outcomes.stratum):
        rows = outcomes.stratum == stratum
        if not np.array_equal(population.drawn(int(stratum), outcomes.draw[rows]), outcomes.program[rows]):
            raise InputError(
                f"{path} ran on other programs (stratum {stratum} differs); give the sample that it ran on"
            )
    if not np.array_equal(population.lengths[outcomes.program], outcomes.length):
        raise InputError(f"{path} ran on other programs (their lengths differ); give the sample that it ran on")
    return outcomes


def _whole(path: str, name: str, cells: Sequence[Any]) -> Any:
    values = np.array(cells, dtype=np.float64)
    if np.any(values < 0) or np.any(values != np.floor(values)):
        raise InputError(f"{path}: the column {name} must hold whole numbers from 0")
    return values.astype(np.int64)


def _score(path: str, cell: Any) -> float:
    if cell in ("", None):
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        value = math.inf
    if not abs(value) <= 100 + 1e-9:
        raise InputError(f"{path}: the score {cell!r} must be a number from -100 to 100, or empty for a failed pair")
    return value


def _estimates_of(paths: Sequence[str], programs: str, interval: str) -> dict[str, Any]:
    """Return quotients of tables of pairs, by stratum and program length, and all paired differences, for JSON."""
    from aiq import storage
    from aiq.wings.algorithmic.equations import Population
    from aiq.wings.algorithmic.equations.estimation import by_length, difference, quotient
    from aiq.wings.algorithmic.work import compare, read_programs

    for path in paths:
        if paths.count(path) > 1:
            raise InputError(f"{path} is given twice; give every table of pairs once")
    listed = read_programs(programs)
    whole, scores = COLUMNS[:4], COLUMNS[4:]
    tables = {path: storage.read_table(path, whole, scores, whole, blank=scores) for path in paths}
    plain = 0.0 in tables[paths[0]].column("stratum")
    population = Population(listed, stratified=not plain)  # stratum 0 is plain Monte Carlo
    outcomes = {path: _pairs(path, table, population) for path, table in tables.items()}
    agents = []
    for path, pairs in outcomes.items():
        record = quotient(pairs, population, interval)
        lengths = by_length(pairs, population)
        agents.append(
            {
                "agent": path,
                "quotient": record.estimate.value,
                "interval": record.estimate.interval,
                "runs": record.runs,
                "failures": record.failures,
                "dropped_strata": record.dropped,
                "strata": [{"stratum": v.stratum, **v.estimate.as_dict()} for v in record.strata],
                "lengths": [{"shortest": v.shortest, "longest": v.longest, **v.estimate.as_dict()} for v in lengths],
            }
        )
    differences = []
    for a, b in itertools.combinations(paths, 2):
        d = compare(a, b, 0, difference(outcomes[a], outcomes[b], population))
        differences.append(
            {
                "first": a, "second": b, "difference": d.estimate.value, "interval": d.estimate.interval,
                "probability": d.probability, "pairs": d.estimate.n,
            }
        )  # fmt: skip
    return {"agents": agents, "differences": differences, "programs": population.size}


COMMANDS = (algorithmic,)
