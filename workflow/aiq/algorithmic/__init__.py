"""The Algorithmic Intelligence Quotient (Legg and Veness 2013): mean reward in environments that are random programs.

From programs to numbers: `sample_programs` draws them in shards, `Population` holds a sample, `run_adaptive` (or
`next_stage`, `missing_blocks` and `run_blocks`, where the work is shared out) runs an agent on them, and
`quotient`, `difference` and `by_length` reduce the outcomes.
"""

from aiq.algorithmic.adaptive import Block as Block
from aiq.algorithmic.adaptive import missing_blocks as missing_blocks
from aiq.algorithmic.adaptive import next_stage as next_stage
from aiq.algorithmic.adaptive import split as split
from aiq.algorithmic.agents import Agent as Agent
from aiq.algorithmic.agents import make_agent as make_agent
from aiq.algorithmic.estimation import by_length as by_length
from aiq.algorithmic.estimation import difference as difference
from aiq.algorithmic.estimation import quotient as quotient
from aiq.algorithmic.machine import MachineSettings as MachineSettings
from aiq.algorithmic.population import Population as Population
from aiq.algorithmic.programs import parse as parse
from aiq.algorithmic.programs import render as render
from aiq.algorithmic.runs import Experiment as Experiment
from aiq.algorithmic.runs import merge as merge
from aiq.algorithmic.runs import run_adaptive as run_adaptive
from aiq.algorithmic.runs import run_blocks as run_blocks
from aiq.algorithmic.sampling import SamplerSettings as SamplerSettings
from aiq.algorithmic.sampling import sample_programs as sample_programs
from aiq.algorithmic.trials import Episode as Episode
