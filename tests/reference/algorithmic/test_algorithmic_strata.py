"""Sampled programs beside the measured distribution of strata and lengths."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from aiq.wings.algorithmic.equations.sampling import sample_programs

# 4,392 accepted programs, five symbols, strata 1 to 20.
MEASURED = [757, 455, 102, 22, 69, 86, 85, 73, 84, 41, 265, 195, 326, 280, 311, 238, 260, 311, 215, 217]


@pytest.fixture(scope="module")
def programs():
    return sample_programs(2013, 0, 50).programs


def test_strata_frequencies_do_not_differ_from_the_measured_ones(programs):
    counts = np.bincount([program.stratum for program in programs], minlength=21)[1:]
    assert counts.sum() == 5000
    assert chi2_contingency([counts, MEASURED]).pvalue > 0.001


def test_the_chi_square_test_would_notice_another_machine(programs):
    counts = np.bincount([program.stratum for program in programs], minlength=21)[1:]
    counts[0] -= 150
    counts[10] += 150
    assert chi2_contingency([counts, MEASURED]).pvalue < 0.001


def test_lengths_are_distributed_as_measured(programs):
    lengths = np.array([len(program.code) for program in programs])
    assert lengths.min() == 3
    n, measured = lengths.size, 4392
    for quantile, level in ((5, 0.1), (13, 0.5), (45, 0.9)):
        spread = 4 * np.sqrt(level * (1 - level) * (1 / n + 1 / measured))
        assert np.mean(lengths < quantile) - spread <= level <= np.mean(lengths <= quantile) + spread
