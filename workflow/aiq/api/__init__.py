"""The Python interface: what ``import aiq`` offers, by the same calls as the verbs of the command line."""
