"""The anytime intelligence test (Hernández-Orallo and Dowe 2010).

``administer_interactions`` (Definition 19) and ``administer_seconds`` (Definition 18) examine an agent in
a class of environments; ``at_budget`` and ``reward_by_complexity`` reduce repeated tests to records. How
to have an agent of your own examined is told in ``aiq.wings.anytime.equations.protocol``.
"""

from aiq.wings.anytime.equations.administer import administer_interactions as administer_interactions
from aiq.wings.anytime.equations.administer import administer_seconds as administer_seconds
from aiq.wings.anytime.equations.agents import FollowGood as FollowGood
from aiq.wings.anytime.equations.agents import PolicyAgent as PolicyAgent
from aiq.wings.anytime.equations.agents import RandomAgent as RandomAgent
from aiq.wings.anytime.equations.agents import SandbaggingAgent as SandbaggingAgent
from aiq.wings.anytime.equations.agents import SlowAgent as SlowAgent
from aiq.wings.anytime.equations.agents import TabularQ as TabularQ
from aiq.wings.anytime.equations.automata import AutomatonClass as AutomatonClass
from aiq.wings.anytime.equations.cups import BlackCup as BlackCup
from aiq.wings.anytime.equations.cups import CupsClass as CupsClass
from aiq.wings.anytime.equations.grid import GridClass as GridClass
from aiq.wings.anytime.equations.human import Person as Person
from aiq.wings.anytime.equations.protocol import AgentError as AgentError
from aiq.wings.anytime.equations.protocol import AgentStopped as AgentStopped
from aiq.wings.anytime.equations.protocol import ManualClock as ManualClock
from aiq.wings.anytime.equations.protocol import WallClock as WallClock
from aiq.wings.anytime.equations.reduction import at_budget as at_budget
from aiq.wings.anytime.equations.reduction import reward_by_complexity as reward_by_complexity
from aiq.wings.anytime.equations.supplied import SuppliedClass as SuppliedClass
