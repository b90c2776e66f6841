"""``aiq.read``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from aiq.api.arguments import check_options, checked
from aiq.api.results import Result
from aiq.api.tables import TableLike, frame_of
from aiq.errors import InputError
from aiq.records.observations import Observations
from aiq.records.table import Shown, Table

if TYPE_CHECKING:
    from aiq.figures import Drawing


@dataclass(frozen=True, repr=False, eq=False)
class ReadResult(Result):
    """Results of another program as performances in [0, 1].

    Attributes:
        record: agents, domains, cells, what is missing and what was skipped.
    """

    record: Observations

    @property
    def value(self) -> dict[str, float]:
        """Mean performance of each agent over the tests on which it has results."""
        matrix, there = self.record.wide().to_numpy(), self.record.counts() > 0
        return {agent: float(matrix[i][there[i]].mean()) for i, agent in enumerate(self.record.agents)}

    @property
    def interval(self) -> dict[str, None]:
        """No interval of any agent: what was read tells the error of single tests at most (column ``se``)."""
        return dict.fromkeys(self.record.agents)

    @property
    def n(self) -> int:
        """Number of results."""
        return self.record.n

    def shown(self) -> Shown:
        """Return one row per agent, and what was done and not read."""
        counts, value = self.record.counts(), self.value
        rows = tuple(
            (agent, int((counts[i] > 0).sum()), int(counts[i].sum()), value[agent])
            for i, agent in enumerate(self.record.agents)
        )
        gaps = f"{int((counts == 0).sum())} of {counts.size} cells missing, {len(self.record.skipped)} things skipped"
        return Shown("results", ("agent", "tests", "results", "mean performance"), rows, (gaps, *self.record.decisions))

    def table(self) -> Table:
        """Return the long table that ``aiq read -o`` writes."""
        return self.record.table()

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq read --json`` prints."""
        return dict(self.record.as_dict())

    def plot(self) -> Drawing:
        """Draw the suite as these results show it.

        Raises:
            InputError: cells are missing, or there are too few agents.
        """
        from aiq.figures import suite_leaderboard
        from aiq.suites import suite

        return suite_leaderboard(suite(self.record))


@checked
def read(source: TableLike, *, names: Sequence[str] = (), **how: Any) -> ReadResult:
    """Read results of other programs; the options are those of ``aiq.readers.read``.

    Args:
        source: a file or folder of lm-evaluation-harness, Inspect, HELM, MTEB, timm, Every Eval Ever, SWE-bench,
            rliable, openrlbenchmark, Hugging Face, or a table; or a data frame (agents in the index, tests in the
            columns), an array of that shape, or a mapping of columns.
        names: tests of an array's columns.
        **how: ``format``, ``metric``, ``items``, ``cluster``, ``columns``, ``drop``, ``rename``, ``keep``,
            ``latest``, ``ranges``, ``lower``, ``clip``, ``missing``, ``domains``.

    Raises:
        InputError: nothing can be read, or a score has no known range.

    Example:
        >>> import aiq
        >>> found = aiq.read([[0.9, 0.4], [0.5, 0.6]], names=["chess", "go"])
        >>> found.value
        {'agent 1': 0.65, 'agent 2': 0.55}
    """
    from aiq.readers import read as read_source  # brings pandas

    check_options(how, read_source)
    try:
        if isinstance(source, str | PathLike):
            return ReadResult(read_source(fspath(source), names=tuple(names), **how))
        return ReadResult(read_source(frame_of(source, names), **how))
    except TypeError as error:
        raise InputError(f"results cannot be read: {error}") from error
