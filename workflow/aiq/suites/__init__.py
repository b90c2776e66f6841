"""Suites seen through results alone: no training, no space, no AIQ."""

from aiq.suites.report import suite as suite
