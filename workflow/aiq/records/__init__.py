"""Frozen records that pass between stages; each checks its invariants when it is made."""
