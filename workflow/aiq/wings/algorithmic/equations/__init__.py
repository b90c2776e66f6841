"""The Algorithmic Intelligence Quotient (Legg and Veness 2013): mean reward in environments that are random programs.

From programs to numbers: `sample_programs` draws them in shards, `Population` holds a sample, `run_adaptive` (or
`next_stage`, `missing_blocks` and `run_blocks`, where the work is shared out) runs an agent on them, and
`quotient`, `difference` and `by_length` reduce the outcomes.
"""

from aiq.wings.algorithmic.equations.adaptive import Block as Block
from aiq.wings.algorithmic.equations.adaptive import missing_blocks as missing_blocks
from aiq.wings.algorithmic.equations.adaptive import next_stage as next_stage
from aiq.wings.algorithmic.equations.adaptive import split as split
from aiq.wings.algorithmic.equations.agents import Agent as Agent
from aiq.wings.algorithmic.equations.agents import make_agent as make_agent
from aiq.wings.algorithmic.equations.estimation import by_length as by_length
from aiq.wings.algorithmic.equations.estimation import difference as difference
from aiq.wings.algorithmic.equations.estimation import quotient as quotient
from aiq.wings.algorithmic.equations.machine import MachineSettings as MachineSettings
from aiq.wings.algorithmic.equations.programs import Population as Population
from aiq.wings.algorithmic.equations.programs import parse as parse
from aiq.wings.algorithmic.equations.programs import render as render
from aiq.wings.algorithmic.equations.runs import merge as merge
from aiq.wings.algorithmic.equations.runs import run_adaptive as run_adaptive
from aiq.wings.algorithmic.equations.runs import run_blocks as run_blocks
from aiq.wings.algorithmic.equations.sampling import SamplerSettings as SamplerSettings
from aiq.wings.algorithmic.equations.sampling import sample_programs as sample_programs
from aiq.wings.algorithmic.equations.trials import Episode as Episode
from aiq.wings.algorithmic.equations.trials import Experiment as Experiment
