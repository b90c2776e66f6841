"""From checked settings to jobs, fingerprints and paths: one plan per measure, one run for all of them."""
