"""The measure of agent collectives in Lambda* (Chmait et al. 2015).

A test is a ``Settings``; ``simulate`` scores kinds of groups in numbered episodes, in blocks that can
be cut anywhere; ``intelligence``, ``scores_by_complexity`` and ``difference`` reduce blocks to records.
"""

from aiq.collectives.drawing import render as render
from aiq.collectives.lz76 import complexity as complexity
from aiq.collectives.patterns import MOVES as MOVES
from aiq.collectives.patterns import bank as bank
from aiq.collectives.patterns import segment_complexity as segment_complexity
from aiq.collectives.reduction import difference as difference
from aiq.collectives.reduction import intelligence as intelligence
from aiq.collectives.reduction import merge as merge
from aiq.collectives.reduction import scores_by_complexity as scores_by_complexity
from aiq.collectives.reduction import uncertainty as uncertainty
from aiq.collectives.settings import KINDS as KINDS
from aiq.collectives.settings import PRESETS as PRESETS
from aiq.collectives.settings import Learning as Learning
from aiq.collectives.settings import Settings as Settings
from aiq.collectives.settings import preset as preset
from aiq.collectives.simulation import simulate as simulate
from aiq.collectives.simulation import trace_episode as trace_episode
