"""Training on merged tests."""
