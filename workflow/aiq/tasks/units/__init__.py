"""The jobs of every measure that gives units: run one, reduce all, draw and tabulate, estimate, sum up."""
