"""Precision as a goal: rounds that grow what buys most, until the intervals are narrow enough or the money is spent."""
