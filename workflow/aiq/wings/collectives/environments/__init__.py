"""Lambda*, played."""
