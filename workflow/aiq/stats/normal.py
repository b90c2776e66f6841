"""The standard normal distribution where an interval of 95 % is built from a standard error."""

from __future__ import annotations

Z = 1.959963984540054
"""Upper 2.5 % point of the standard normal distribution: a 95 % interval is the value ± ``Z`` standard errors."""
