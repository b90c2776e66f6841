"""What computes many networks in each step: where their parameters lie, their gradients by hand, and their updates."""
