"""Statistics shared by all measures: resampling, intervals, probabilities of orders."""

from aiq.stats.normal import Z as Z
from aiq.stats.resampling import cluster_resamples as cluster_resamples
from aiq.stats.resampling import percentile_interval as percentile_interval
from aiq.stats.resampling import rank_probabilities as rank_probabilities
