"""The measures that score agents, one module per measure."""
