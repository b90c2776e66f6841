"""The Gym suite of the 2020 paper: its ten environments, what they yield exactly, and the published recipe.

Nothing is learned here: the recipe of the public program lets every action be uniformly random, whatever the network
says, so its table is the noise of a random policy, and can be simulated in seconds.
"""

from aiq.wings.similarity2020.gym2020.exact import Exact as Exact
from aiq.wings.similarity2020.gym2020.exact import expected as expected
from aiq.wings.similarity2020.gym2020.exact import optimal as optimal
from aiq.wings.similarity2020.gym2020.exact import weights as weights
from aiq.wings.similarity2020.gym2020.published import PRINTED as PRINTED
from aiq.wings.similarity2020.gym2020.published import Bank as Bank
from aiq.wings.similarity2020.gym2020.published import Recipe as Recipe
from aiq.wings.similarity2020.gym2020.published import comparison as comparison
from aiq.wings.similarity2020.gym2020.published import heat_map as heat_map
from aiq.wings.similarity2020.gym2020.suite import SUITE as SUITE
from aiq.wings.similarity2020.gym2020.suite import GymTest as GymTest
from aiq.wings.similarity2020.gym2020.suite import by_settings as by_settings
from aiq.wings.similarity2020.gym2020.suite import transitions as transitions
