"""The measures from tables of numbers that a person already has, and the tables that runs write."""
