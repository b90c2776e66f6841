"""Several runs compared: settings, complexities, dissimilarities, dimensions and agents, with differences."""

from aiq.tasks.comparing.runs import compare_runs as compare_runs
