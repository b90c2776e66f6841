"""Jobs that train and play: domains, their interface, trials, mixtures, baselines."""
