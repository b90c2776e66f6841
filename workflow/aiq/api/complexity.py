"""``aiq.complexity``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aiq.api.arguments import TableLike, checked, from_columns, named_columns, numbers, source
from aiq.api.arguments import columns as table_columns
from aiq.api.results import Interval, Number, Numbers
from aiq.config.measures import CONFIDENCE
from aiq.config.measures import Complexity as Settings
from aiq.errors import InputError
from aiq.records.complexity import Complexity
from aiq.records.table import Display, Table
from aiq.report.measures import complexities
from aiq.storage import Source
from aiq.tables import columns
from aiq.tables.measured import UNITS, TableTrials, trials_from_table

if TYPE_CHECKING:
    from aiq.figures import DomainTrials, Drawing

_USUAL = Settings()


@dataclass(frozen=True, repr=False, eq=False)
class ComplexityResult(Number):
    """The complexity of one domain (MCCP, Eq. 5 of Pereyda and Holder 2025), in units of size times performance.

    Attributes:
        domain: its name; empty where none was given.
        record: everything that was measured: curve, base, excess, the paper's minimum.
        trials: sizes as they count and performances, both of shape (n,).
        unit: how sizes count: ``log2``, ``linear``, ``parameters``, ``bytes`` or ``compressed``.
        usual: whether k was left to the number of trials.
    """

    domain: str
    record: Complexity
    trials: TableTrials
    unit: str = "log2"
    usual: bool = False

    @property
    def value(self) -> float:
        """MCCP@k, or the paper's minimum where that was asked for."""
        return self.record.value

    @property
    def interval(self) -> Interval | None:
        """Its confidence interval; None where there are too few trials."""
        return self.record.estimate.interval

    @property
    def n(self) -> int:
        """Number of trials, those that failed included."""
        return self.record.n_trials + self.record.n_failed

    @property
    def se(self) -> float | None:
        """Standard error of the value; None where there is no interval."""
        return columns.complexity_error(self.record)

    def parts(self) -> Sequence[Display]:
        """Return the numbers and what they cannot tell."""
        return (complexities({self.domain: self.record}, usual=self.usual),)

    def table(self) -> Table:
        """Return one row, with the columns of a run's ``complexity.csv``."""
        return columns.complexity_table({self.domain: self.record})

    def plot(self) -> Drawing:
        """Draw the complexity curve with its trials."""
        from aiq.figures import complexity_curve

        return complexity_curve(self._drawn(), unit=self.unit)

    def _drawn(self) -> DomainTrials:
        from aiq.figures import DomainTrials

        return DomainTrials.of(self.domain or "trials", self.record, self.trials.performance, self.trials.size)


@dataclass(frozen=True, repr=False, eq=False)
class ComplexityResults(Numbers[str, ComplexityResult]):
    """The complexities of several domains: a mapping from domain to its result.

    Attributes:
        shared: all domains were measured with the same policies, as in a run, so that their errors go together.
    """

    items_: Mapping[str, ComplexityResult]
    shared: bool = False

    def parts(self) -> Sequence[Display]:
        """Return one row per domain."""
        return (complexities(self.records, usual=all(of_domain.usual for of_domain in self.values())),)

    def table(self) -> Table:
        """Return one row per domain, with the columns of a run's ``complexity.csv``; ``aiq.space`` reads it."""
        return columns.complexity_table(self.records, shared=self.shared)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq complexity --json`` prints."""
        return {"domains": {name: of_domain.as_dict() for name, of_domain in self.items()}}

    def plot(self) -> Drawing:
        """Draw the complexity curves side by side on common axes."""
        from aiq.figures import complexity_panel

        return complexity_panel([curve._drawn() for curve in self.values()], unit=next(iter(self.values())).unit)


@checked
def complexity(
    trials: TableLike,
    performance: Any = None,
    *,
    names: Sequence[str] = (),
    chunk: Any = None,
    size: Literal["log2", "linear"] = "log2",
    estimator: Literal["best_of_k", "minimum"] = _USUAL.estimator,
    k: int | None = _USUAL.k,
    fill: Literal["largest", "linear"] = _USUAL.fill,
    largest: float | None = None,
    chance: float = 0.0,
    envelope: Literal["at_least", "within"] = _USUAL.envelope,
    extrapolate: Literal["linear", "hold", "none"] = _USUAL.extrapolate,
    bins: int = _USUAL.bins,
    resamples: int = _USUAL.resamples,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> ComplexityResult | ComplexityResults:
    """Measure how large a policy must be to do well: the complexity of one or several domains.

    Train policies of many sizes on a domain; each gives one trial, its size and the performance that it reached.
    MCCP@k is the expected smallest of k of them that reaches a performance, averaged over performances (Eq. 5 of
    Pereyda and Holder 2025, with k fixed so that larger pools do not give smaller values).

    Args:
        trials: a table with the columns ``size`` and ``performance``, optional ``chunk`` and ``domain``; or the sizes
            alone, shape (n,): numbers of trained parameters, at least 1.
        performance: with sizes alone: what each policy reached, shape (n,), or (n, domains): an array with ``names``
            or a data frame with the domains in its columns; in [0, 1].
        names: domains of the columns of an array of performances.
        chunk: with sizes alone: labels (n,) of trials that are not independent of one another.
        size: how sizes count.
        estimator: MCCP@k, or the smallest of all policies (the paper's).
        k: policies of which the smallest counts; 16 by default, or fewer where trials are few.
        fill: what stands where none of k policies reaches a performance: the largest policy, or a straight line.
        largest: size of the largest policy that could be drawn; by default the largest in the table.
        chance: performance from which relative excess begins.
        envelope: of the minimum: smallest policy that reaches a bin or more, or that falls into it.
        extrapolate: the minimum above the highest observed bin.
        bins: number of bins over performances from 0 to 1.
        resamples: number of replicates, at least 2.
        confidence: coverage of the intervals.
        seed: root of the resampling, a whole number of at least 0.

    Returns:
        One result; with the column ``domain``, or with named columns of performances, a mapping from domain to result.

    Raises:
        InputError: for a table or an option that cannot be used.

    Example:
        >>> import aiq
        >>> found = aiq.complexity([100, 2000, 90000], [0.5, 0.9, 0.97], k=2)
        >>> round(found.value, 2), found.n
        (10.53, 3)
    """
    how: dict[str, Any] = {
        "estimator": estimator, "k": k, "fill": fill, "largest": largest, "start": chance, "envelope": envelope,
        "extrapolate": extrapolate, "bins": bins, "resamples": resamples, "confidence": confidence, "seed": seed,
    }  # fmt: skip
    measured = trials_from_table(_source(trials, performance, names, chunk), size=size, **how)
    results = {
        name: ComplexityResult(name, record.complexity, record, UNITS[size], k is None)
        for name, record in measured.items()
    }
    return results[""] if "" in results else ComplexityResults(results)


def _source(trials: Any, performance: Any, names: Sequence[str], chunk: Any) -> Source:
    """Return the table of trials; of several columns of performances one block of rows a domain."""
    if performance is None:
        if chunk is not None or len(names):
            raise InputError("chunk and names go with sizes and performances as arrays; in a table they are columns")
        return source(trials, "trials")
    sizes = numbers("size", trials)
    labels = {} if chunk is None else table_columns({"chunk": chunk}, "trials")
    if not len(names) and not hasattr(performance, "columns"):
        reached = numbers("performance", performance)
        return from_columns({"size": sizes.tolist(), "performance": reached.tolist()} | labels, "trials")
    reached, domains = named_columns("performance", performance, names, len(sizes))
    table = {"domain": [name for name in domains for _ in sizes], "size": sizes.tolist() * len(domains)}
    repeated = {key: cells * len(domains) for key, cells in labels.items()}
    return from_columns(table | {"performance": reached.T.ravel().tolist()} | repeated, "trials")
