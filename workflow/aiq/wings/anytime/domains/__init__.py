"""Environments of the anytime test as families of domains."""
