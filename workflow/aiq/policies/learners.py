"""Pools of learners made elsewhere: which learner each member of a pool is, and how large it is."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aiq import seeding
from aiq.config.agents import load_factory
from aiq.config.training import Generated, Pool
from aiq.errors import InputError, reason
from aiq.records.trial import Architecture, Policy

Size = int | Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Member:
    """A learner of a pool: what makes it, and how many numbers it consists of once it is trained.

    ``name`` tells factory and arguments in words; ``size`` is a number, or tells it of the trained learner.
    """

    name: str
    factory: Callable[..., Any]
    arguments: Mapping[str, Any]
    size: Size


def members(pool: Pool, root_seed: int, first: int = 0, last: int | None = None) -> list[Member]:
    """Return members ``first`` to ``last`` (exclusive; None: all) of a pool of learners.

    A list is gone through again and again; a generator is asked for as many as are needed. Either way member k does not
    depend on how many members the pool has.

    Raises:
        InputError: a factory cannot be imported, or a generator raises, ends early, or yields what is no learner.
    """
    last = pool.size if last is None else last
    if isinstance(pool.learners, Generated):
        return _generated(pool.learners, root_seed, last)[first:]
    listed = [_member(learner.model_dump(), "pool.learners") for learner in pool.learners or ()]
    return [listed[k % len(listed)] for k in range(first, last)]


def chunk(pool: Pool, root_seed: int, domain: str, chunk: int) -> list[tuple[Policy, Member]]:
    """Return the members of one chunk on one domain, each as a policy with a seed of its own."""
    first = chunk * pool.policies_per_chunk
    learners = members(pool, root_seed, first, first + pool.policies_per_chunk)
    seeds = (seeding.integer(root_seed, "trial", domain, index) for index in itertools.count(first))
    return [
        (Policy(Architecture("own", (), learner=member.name), seed), member)
        for member, seed in zip(learners, seeds, strict=False)
    ]


def parameters(learner: Any) -> int:
    """Return the number of trainable numbers of a torch module: the size of a learner that is one.

    Raises:
        InputError: it is none.
    """
    counts = getattr(learner, "parameters", None)
    if not callable(counts):
        raise InputError(f"a {type(learner).__name__} is no torch module, so its parameters cannot be counted")
    return sum(tensor.numel() for tensor in counts())


def size_of(member: Member, learner: Any) -> int:
    """Return the size of a trained learner.

    Raises:
        InputError: what should tell it raises, or gives no whole number of at least 1.
    """
    if isinstance(member.size, int):
        return member.size
    try:
        size = member.size(learner)
        count = int(size)
    except Exception as error:
        raise InputError(f"the size of {member.name} cannot be told ({reason(error)})") from error
    if count != size or count < 1:
        raise InputError(f"the size of {member.name} is {size!r}; it must be a whole number of at least 1")
    return count


def _generated(settings: Generated, root_seed: int, count: int) -> list[Member]:
    where = f"the generator {settings.generator}"
    make = load_factory(settings.generator, "generator of learners")
    try:
        learners: Iterable[Any] = make(seed=seeding.integer(root_seed, "pool", "learners"), **settings.arguments)
        given = list(itertools.islice(learners, count))
    except Exception as error:
        raise InputError(f"{where} raised {reason(error)}; it is called as function(seed=..., **arguments)") from error
    if len(given) < count:
        raise InputError(f"{where} gave {len(given)} learners, the pool has {count}; let it give more")
    return [_member(learner, where) for learner in given]


def _member(given: Any, where: str) -> Member:
    if not isinstance(given, Mapping) or not {"factory", "size"} <= set(given) <= {"factory", "arguments", "size"}:
        raise InputError(
            f"{where} gave {given!r}; a learner is a mapping of factory, arguments (may be left out), size"
        )
    factory, size = given["factory"], given["size"]
    arguments = dict(given.get("arguments") or {})
    name = factory if isinstance(factory, str) else f"{factory.__module__}:{factory.__qualname__}"
    made = load_factory(factory, "learner") if isinstance(factory, str) else factory
    if isinstance(size, str):
        size = load_factory(size, "size of a learner")
    if not callable(made) or isinstance(size, bool) or not (callable(size) or (isinstance(size, int) and size >= 1)):
        raise InputError(f"{where} gave the size {size!r} of {name}; it is a whole number from 1, or a function")
    described = json.dumps(arguments, sort_keys=True, default=repr)
    return Member(f"{name} {described}" if arguments else name, made, arguments, size)
