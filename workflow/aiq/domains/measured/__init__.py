"""Environments of the other measures as control domains: programs, cups, automata, grids, Lambda*, Gym's small games.

Importing this package makes ``gymnasium.make("aiq/BF-v0")`` and the others work; neither Gymnasium nor the measures
themselves are imported before they are needed. What plays them lies above, in ``aiq.environments``.
"""

from aiq.domains.registration import Environment, register_lazily

ENVIRONMENTS = (
    Environment("aiq/BF-v0", "aiq.environments.bf:BFEnv", None),
    Environment("aiq/AnytimeCups-v0", "aiq.environments.cups:CupsEnv", None),
    Environment("aiq/AnytimeAutomaton-v0", "aiq.environments.automaton:AutomatonEnv", None),
    Environment("aiq/AnytimeGrid-v0", "aiq.environments.grid:GridEnv", None),
    Environment("aiq/LambdaStar-v0", "aiq.environments.lambda_star:LambdaStarEnv", None),
)
for _environment in ENVIRONMENTS:
    register_lazily(_environment)
