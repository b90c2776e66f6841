"""The anytime intelligence test (Hernández-Orallo and Dowe 2010).

``administer_interactions`` (Definition 19) and ``administer_seconds`` (Definition 18) examine an agent in
a class of environments; ``at_budget`` and ``reward_by_complexity`` reduce repeated tests to records. How
to have an agent of your own examined is told in ``aiq.anytime.protocol``.
"""

from aiq.anytime.administer import administer_interactions as administer_interactions
from aiq.anytime.administer import administer_seconds as administer_seconds
from aiq.anytime.agents import FollowGood as FollowGood
from aiq.anytime.agents import PolicyAgent as PolicyAgent
from aiq.anytime.agents import RandomAgent as RandomAgent
from aiq.anytime.agents import SandbaggingAgent as SandbaggingAgent
from aiq.anytime.agents import SlowAgent as SlowAgent
from aiq.anytime.agents import TabularQ as TabularQ
from aiq.anytime.automata import AutomatonClass as AutomatonClass
from aiq.anytime.clocks import ManualClock as ManualClock
from aiq.anytime.clocks import WallClock as WallClock
from aiq.anytime.cups import BlackCup as BlackCup
from aiq.anytime.cups import CupsClass as CupsClass
from aiq.anytime.grid import GridClass as GridClass
from aiq.anytime.human import Person as Person
from aiq.anytime.protocol import AgentError as AgentError
from aiq.anytime.protocol import AgentStopped as AgentStopped
from aiq.anytime.reduction import at_budget as at_budget
from aiq.anytime.reduction import reward_by_complexity as reward_by_complexity
from aiq.anytime.supplied import SuppliedClass as SuppliedClass
