"""Learners made elsewhere: factories of anything with fit and predict, or of torch modules."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field, JsonValue, StringConstraints

from aiq.settings import Settings

FACTORY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")

Named = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
"""``module:name``, importable from the working folder."""


class Learner(Settings):
    """A member of a pool made elsewhere, see docs/how-to/own-agent.md."""

    factory: Named = Field(description="module:factory of an estimator (fit, predict) or a torch module")
    arguments: dict[str, JsonValue] = Field(default_factory=dict, description="arguments of the factory")
    size: Annotated[int, Field(ge=1)] | Named = Field(
        description="numbers that a trained one consists of, as the parameters of a network: a number, or "
        "module:function that tells it of the trained learner (aiq.policies.learners:parameters for torch modules)"
    )


class Generated(Settings):
    """A pool of learners that a function gives one after another."""

    generator: Named = Field(
        description="module:function, called with seed and arguments; yields mappings of factory, arguments and size"
    )
    arguments: dict[str, JsonValue] = Field(default_factory=dict, description="further arguments of the function")
