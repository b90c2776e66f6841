"""The Gym suite of the 2020 paper, played."""
