"""The Python interface: what ``import aiq`` offers. One module per function, ``results`` for what they have in common.

The functions read arrays, data frames and files into the tables that the verbs of the command line read, and call what
the verbs call: the same numbers, the same refusals.
"""
