"""Suites seen through results alone."""
