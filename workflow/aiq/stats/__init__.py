"""Statistics shared by all measures: resampling, intervals, probabilities of orders."""

from aiq.stats.means import PRIOR_DF as PRIOR_DF
from aiq.stats.means import Z as Z
from aiq.stats.means import cluster_resamples as cluster_resamples
from aiq.stats.means import contrast_error as contrast_error
from aiq.stats.means import moderated_interval as moderated_interval
from aiq.stats.means import moderated_means as moderated_means
from aiq.stats.means import moderated_variances as moderated_variances
from aiq.stats.means import percentile_interval as percentile_interval
from aiq.stats.means import sample_variances as sample_variances
from aiq.stats.means import student_quantile as student_quantile
from aiq.stats.means import sum_error as sum_error
