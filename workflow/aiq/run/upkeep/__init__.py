"""The upkeep of a results folder: audit, leftovers, orphaned jobs, shards made outside the workflow."""
