"""Baselines that people know, to compare complexities and dissimilarities with.

Per domain: complexity measures of a labelled data set (problexity), error of a linear model. Per pair of domains: the
optimal-transport distance between data sets (POT), what linear features of one data set lose on another. Numbers come
from a subsample; no network is trained.
"""

from aiq.known_baselines.libraries import LIBRARIES as LIBRARIES
from aiq.known_baselines.libraries import lacking as lacking
from aiq.known_baselines.measures import MEASURES as MEASURES
from aiq.known_baselines.measures import complexity_measures as complexity_measures
from aiq.known_baselines.probes import Probes as Probes
from aiq.known_baselines.samples import Sample as Sample
from aiq.known_baselines.samples import subsample as subsample
from aiq.known_baselines.transport import class_distances as class_distances
from aiq.known_baselines.transport import transport as transport
