"""The verb ``baselines``: how a finished suite's numbers rank its domains beside baselines that people know."""

from __future__ import annotations

import click

from aiq.cli._written import TABLE
from aiq.cli.measures import as_json
from aiq.cli.options import configured
from aiq.cli.output import emit_json, emit_shown


@click.command()
@configured
@click.option("--csv", type=TABLE, metavar="TABLE.csv", help="write the table, one row per comparison")
@click.option("--domains", type=TABLE, metavar="TABLE.csv", help="write what the baselines say of every domain")
@click.option(
    "--pairs", type=TABLE, metavar="TABLE.csv", help="write what the baselines say of every pair (labelled domains)"
)
@as_json
def baselines(config: str, csv: str | None, domains: str | None, pairs: str | None, json_: bool) -> None:
    """Rank correlations of a finished suite's complexities and dissimilarities with baselines that people know.

    On labelled domains: complexity measures of problexity, the optimal-transport distance of data sets (POT), the loss
    of linear probes; on control domains: the performance of random actions. A run computes them itself (the key
    known_baselines); for an older run they are computed here, from its prepared domains. Nothing is trained. Where
    controls were trained, transfer areas (what mixing itself costs) are ranked beside the dissimilarities.

    \b
    Example:
      aiq baselines my-suite.yaml
    """
    from aiq import storage
    from aiq.config.load import read
    from aiq.plans.run import Run
    from aiq.report.explained import known_baselines as shown
    from aiq.report.known_baselines import compared, found_or_computed

    run = Run.of(read(config), "aiq", config)
    known = found_or_computed(run)
    found = compared(run, known)
    for path, table in ((csv, found.table()), (domains, known.domain_table()), (pairs, known.pair_table())):
        if path is not None:
            storage.write_table(path, table)
    if json_:
        emit_json(found.as_dict())
        return
    emit_shown(shown(found, run.configuration.name))


COMMANDS = (baselines,)
