"""Environments of OpenAI Gym that Gymnasium has no more: Roulette and NChain, of the 2020 paper's suite.

Importing this package makes ``gymnasium.make("aiq/Roulette-v0")`` and ``gymnasium.make("aiq/NChain-v0")`` work;
Gymnasium is not imported before it is needed.
"""

from aiq.domains.registration import Environment, register_lazily

ENVIRONMENTS = (
    Environment("aiq/Roulette-v0", "aiq.domains.retired.roulette:RouletteEnv", 100),
    Environment("aiq/NChain-v0", "aiq.domains.retired.nchain:NChainEnv", 1000),
)
for _environment in ENVIRONMENTS:
    register_lazily(_environment)
