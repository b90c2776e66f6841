"""Labelled domains that are played: every step shows a sample, the action is the answer.

Importing this package makes ``gymnasium.make("aiq/Answered-v0", data=...)`` work, without importing Gymnasium before
somebody does.
"""

from aiq.domains.registration import Environment, register_lazily

ENVIRONMENT = Environment("aiq/Answered-v0", "aiq.domains.answered.environment:AnsweredEnv", None)
register_lazily(ENVIRONMENT)
