"""What Snakemake is told of the jobs of a measure: one rule per stage, declared once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Words = Mapping[str, str]
"""The wildcards of a job."""

NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
"""Pattern of a name that a person gives: of a domain, an agent, a class."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a rule, as what does it is told.

    Attributes:
        words: its wildcards.
        needs: the files that it reads, by word.
        makes: the files that it writes.
        keeper: keeps finished units, where the rule's jobs can be interrupted.
    """

    words: Words
    needs: Mapping[str, list[str]]
    makes: Sequence[str]
    keeper: Any = None


def no_files(plan: Any, words: Words) -> Mapping[str, list[str]]:
    """Return no file by word."""
    return {}


def nothing(plan: Any, words: Words, apart: bool) -> list[str]:
    """Return no file."""
    return []


def no_code(plan: Any, words: Words) -> list[str]:
    """Return no file of code."""
    return []


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; every function takes the plan first.

    Attributes:
        name: of the rule.
        does: ``module:function`` that does a job; called with the run and ``arguments`` of the job.
        arguments: from a job to what the function takes after the run.
        makes: the files that a job writes, with wildcards in braces.
        log: the words of its log's path below the folder of logs, with wildcards.
        follows: the fingerprint of what a job makes.
        asks: the megabytes and the minutes that a job asks for at its first attempt.
        needs: the files that a job reads, by word.
        after: further files that have to be there; ``apart``: whether jobs share no files with this machine.
        given: a person's own files, which lie on this machine; ``apart`` as above.
        code: a person's own code.
        words: wildcard -> its pattern.
        keeps: kind of the units that an interruption must not undo; empty where a job is short.
        trains: whether a job uses the threads and the GPU that the configuration names.
    """

    name: str
    does: str
    arguments: Callable[[Job], tuple[Any, ...]]
    makes: Callable[[Any], Sequence[str]]
    log: tuple[str, ...]
    follows: Callable[[Any, Words], Any]
    asks: Callable[[Any, Words], tuple[int, int]]
    needs: Callable[[Any, Words], Mapping[str, list[str]]] = no_files
    after: Callable[[Any, Words, bool], list[str]] = nothing
    given: Callable[[Any, Words, bool], list[str]] = nothing
    code: Callable[[Any, Words], list[str]] = no_code
    words: Mapping[str, str] = field(default_factory=dict)
    keeps: str = ""
    trains: bool = False


def always(megabytes: int, minutes: int) -> Callable[[Any, Words], tuple[int, int]]:
    """Return what asks for the same whatever the job."""
    return lambda plan, words: (megabytes, minutes)
