"""Environments of OpenAI Gym that Gymnasium has no more: Roulette and NChain, of the 2020 paper's suite.

``gymnasium.make("aiq/Roulette-v0")`` and ``gymnasium.make("aiq/NChain-v0")`` work once ``aiq.domains`` is imported.
"""
