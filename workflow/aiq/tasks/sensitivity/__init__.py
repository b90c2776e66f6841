"""How the numbers of a finished suite move with each choice of its configuration."""
