"""What every job does, whatever it measures: log, units taken over, checkpoints, tables and figures, costs."""
