"""What a job asks for at its first attempt, as the plans of all measures tell it."""

from __future__ import annotations

Asked = tuple[str, int, int]
"""A rule, and the megabytes and the minutes that a job of it asks for."""

START = 30.0  # seconds of a job whose numba functions have to be compiled
MEGABYTES = 500.0
APTI = (1000, 20)  # what the job that scores by APTI asks for
