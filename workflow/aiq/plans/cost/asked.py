"""What a job asks for at its first attempt, as the plans of all measures tell it."""

from __future__ import annotations

from aiq.plans.cost.suite import Work

Asked = tuple[str, int, int]
"""A rule, and the megabytes and the minutes that a job of it asks for."""

START = 30.0  # seconds of a job whose numba functions have to be compiled
MEGABYTES = 500.0
APTI = (1000, 20)  # what the job that scores by APTI asks for


def of(rule: str, work: Work) -> Asked:
    """Return what a job of a rule asks for that does some work."""
    return rule, work.mem_mb, work.minutes


def request(work: Work) -> tuple[int, int]:
    """Return the megabytes and the minutes that some work asks for."""
    return work.mem_mb, work.minutes
