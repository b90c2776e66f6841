"""The cost model: what jobs will cost, from the configuration alone; no result depends on it."""
