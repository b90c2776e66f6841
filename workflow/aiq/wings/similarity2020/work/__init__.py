"""Jobs of a run that measures similarities of tests."""
