"""Environments of the anytime test, played."""
