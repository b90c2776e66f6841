"""Claims of the papers: from results folders to verdicts, and the runs of experiments."""
