"""A sample of programs as the population from which trials draw, by stratum."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from aiq.errors import InputError
from aiq.wings.algorithmic.equations.compiled import Array
from aiq.wings.algorithmic.equations.programs import ProgramSet, pack
from aiq.wings.algorithmic.records import Program


class Population:
    """Programs of a sample, grouped by stratum.

    The k-th draw of a stratum is its k-th program in the order of the sample, and after the last the first
    again. So draws are independent draws from the distribution of programs until a stratum is used up;
    from then on programs are reused, which `aiq.wings.algorithmic.equations.estimation` takes into account. The
    probability of a stratum is its frequency in the sample (about 100,000 programs are advised).

    Args:
        programs: the sample, in the order in which it was drawn.
        stratified: False puts all programs in one stratum, number 0: plain Monte Carlo.
    """

    def __init__(self, programs: Sequence[Program], stratified: bool = True) -> None:
        if not programs:
            raise InputError("the program sample is empty, so no stratum is left; sample some programs first")
        self.programs = tuple(programs)
        self.stratified = stratified
        self.lengths: Array = np.array([len(program.code) for program in self.programs], np.int64)
        labels = [program.stratum if stratified else 0 for program in self.programs]
        self.labels: Array = np.array(labels, np.int64)
        self.strata: tuple[int, ...] = tuple(int(stratum) for stratum in np.unique(self.labels))
        self._members = {stratum: np.flatnonzero(self.labels == stratum) for stratum in self.strata}

    @cached_property
    def packed(self) -> ProgramSet:
        """The programs as arrays for the compiled machine; raises InputError where one is not BF."""
        return pack(program.code for program in self.programs)

    @property
    def size(self) -> int:
        """Number of programs."""
        return len(self.programs)

    def members(self, stratum: int) -> Array:
        """Return the numbers of the programs of a stratum, in the order of the sample."""
        if stratum not in self._members:
            raise InputError(f"the sample has no program of stratum {stratum}; it has {self.strata}")
        return self._members[stratum]

    def probability(self, stratum: int) -> float:
        """Return the share of the stratum in the sample."""
        return self.members(stratum).size / self.size

    def drawn(self, stratum: int, draws: Array) -> Array:
        """Return the numbers of the programs that the given draws (from 0) of a stratum use."""
        members = self.members(stratum)
        chosen: Array = members[np.asarray(draws) % members.size]
        return chosen
