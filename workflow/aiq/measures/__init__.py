"""Measures of domains, suites and agents: arrays in, frozen records out; NumPy and SciPy only.

Each module holds one measure and knows the others only through ``aiq.records``.
"""
