"""What a test in Lambda* is made of: the world, its patterns and the parameters of the agents.

``Settings()`` is the paper's test (Chmait et al. 2015); ``PRESETS["code"]`` has the departures of the public program.
Ranges are those of the configuration, which has checked them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from aiq.errors import InputError
from aiq.wings.collectives.settings import AGENTS, ITERATIONS, Kind, Pattern

KINDS: tuple[str, ...] = get_args(Kind)
PATTERNS: tuple[str, ...] = get_args(Pattern)


@dataclass(frozen=True, slots=True)
class Learning:
    """Parameters of Q-learning and Sarsa, trained anew before each episode on the episode's own pattern.

    ``rate`` α in (0, 1]; ``discount`` γ in [0, 1]; ``exploration`` ε in training (0 in the test);
    ``passes`` rehearsals of the whole episode; ``initial`` value of every table entry.
    """

    rate: float = 0.5
    discount: float = 0.9
    exploration: float = 0.1
    passes: int = 100
    initial: float = 0.0


@dataclass(frozen=True, slots=True)
class Settings:
    """One test: grid, iterations, group and the options in which paper and public code differ.

    Attributes:
        rows: height m of the torus, at least 3.
        columns: width n of the torus, at least 3.
        steps: iterations ϑ of an episode, at least 2.
        agents: evaluated agents in the group, at least 1.
        pattern: ``segment`` (a recurrent segment of moves, environments stratified over K), ``walk``
            (random walks of 1 … ⌊ϑ/2⌋ moves there and back, Evil a shifted copy of Good, K of the cell indices) or
            ``replay`` (the public program's: n … 2n − 1 cells of a random walk, listed forwards and backwards in
            turn, Evil's cell a fixed number away from Good's, K of the listed cells; n is the width of the grid).
        start: ``uniform`` cells, or ``near_good`` (agents on cells next to Good).
        stigmergy_discount: γ of the fake rewards, in (0, 1].
        stigmergy_keeps: False: fake rewards cleared every iteration, the last writer wins; True: they are kept
            for the episode, and a write is a third of the sum of what the cell holds, its reward and the shift; an
            agent writes where its highest and lowest reward do not cancel.
        auction_keeps: False: the auction is held anew each iteration; True: the highest bid so far (−1 at first)
            and its target stay until a bid reaches it, and of equal bids the last one wins.
        oracle_intercepts: the oracle goes round the torus the other way where a constant pattern
            carries Good away from it.
        program: what else the public program does in its own way. Agents start in cells of their own, the oracle
            to imitate in the last agent's. The first observation shows both objects in cell 0, whose reward is −.5.
            The oracle to imitate makes a step before each agent's, all in one iteration. Learners rehearse with
            ten times the rewards; their targets look ahead to the best value of the new cell in the first
            iteration (Q-learning) or in the present one (Sarsa), not in the next.
        learning: parameters of the learners.
    """

    rows: int = 10
    columns: int = 10
    steps: int = ITERATIONS
    agents: int = AGENTS
    pattern: str = "segment"
    start: str = "uniform"
    stigmergy_discount: float = 0.4
    stigmergy_keeps: bool = False
    auction_keeps: bool = False
    oracle_intercepts: bool = True
    program: bool = False
    learning: Learning = field(default_factory=Learning)

    def __post_init__(self) -> None:
        if self.program and self.agents > self.cells:
            raise InputError(
                f"{self.agents} agents cannot start in cells of their own on {self.cells} cells, as the public program "
                "has them; use fewer agents or a larger grid"
            )

    @property
    def cells(self) -> int:
        """Number of cells mn of the grid."""
        return self.rows * self.columns


PRESETS: Mapping[str, Settings] = {
    "paper": Settings(),
    "code": Settings(
        pattern="replay",
        stigmergy_keeps=True,
        auction_keeps=True,
        oracle_intercepts=False,
        program=True,
        learning=Learning(rate=0.3, discount=0.3, exploration=0.0, initial=2.0),
    ),
}
"""The paper's test, and the public program's."""


def kind_code(kind: str) -> int:
    """Return the number of a kind of group; its random stream depends on the number alone."""
    return KINDS.index(kind)
