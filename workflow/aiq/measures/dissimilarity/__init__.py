"""Dissimilarity of two domains from policies trained on their mixtures (2025 paper, section 2.5.3)."""

from aiq.measures.dissimilarity.areas import end_draws as end_draws
from aiq.measures.dissimilarity.landmarks import matrix_report as matrix_report
from aiq.measures.dissimilarity.shared_errors import suite_errors as suite_errors
from aiq.measures.dissimilarity.shared_errors import suite_replicates as suite_replicates
from aiq.measures.dissimilarity.shared_errors import transfer_geometry as transfer_geometry
from aiq.measures.dissimilarity.shared_errors import transfer_replicates as transfer_replicates
from aiq.measures.dissimilarity.starvation import decompose as decompose
from aiq.measures.dissimilarity.value import ESTIMATORS as ESTIMATORS
from aiq.measures.dissimilarity.value import measure as measure
from aiq.measures.dissimilarity.value import noise_floor as noise_floor
