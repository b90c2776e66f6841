"""The measures from tables of numbers that a person already has."""
