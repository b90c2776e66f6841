"""The measure of agent collectives in Lambda* (Chmait et al. 2015).

A test is a ``Settings``; ``simulate`` scores kinds of groups in numbered episodes, in blocks that can
be cut anywhere; ``intelligence``, ``scores_by_complexity`` and ``difference`` reduce blocks to records.
"""

from aiq.wings.collectives.equations.environments import MOVES as MOVES
from aiq.wings.collectives.equations.environments import bank as bank
from aiq.wings.collectives.equations.environments import complexity as complexity
from aiq.wings.collectives.equations.settings import KINDS as KINDS
from aiq.wings.collectives.equations.settings import PRESETS as PRESETS
from aiq.wings.collectives.equations.settings import Learning as Learning
from aiq.wings.collectives.equations.settings import Settings as Settings
from aiq.wings.collectives.equations.simulation import difference as difference
from aiq.wings.collectives.equations.simulation import intelligence as intelligence
from aiq.wings.collectives.equations.simulation import merge as merge
from aiq.wings.collectives.equations.simulation import scores_by_complexity as scores_by_complexity
from aiq.wings.collectives.equations.simulation import simulate as simulate
from aiq.wings.collectives.equations.simulation import trace_episode as trace_episode
from aiq.wings.collectives.equations.simulation import uncertainty as uncertainty
