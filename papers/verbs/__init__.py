"""The verbs of the papers: experiment and claims."""
