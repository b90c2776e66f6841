"""Suites seen through results alone: no training, no space, no AIQ."""

from aiq.suites.paired import paired_difference as paired_difference
from aiq.suites.report import suite as suite
