"""The mean over independent skills: each test weighted by how hard it is and by how few others are like it."""

from aiq.measures.skills.cosines import uniqueness as uniqueness
from aiq.measures.skills.value import PROFILE as PROFILE
from aiq.measures.skills.value import SHIFT as SHIFT
from aiq.measures.skills.value import difference as difference
from aiq.measures.skills.value import mean as mean
from aiq.measures.skills.value import score as score
from aiq.measures.skills.value import variances as variances
from aiq.measures.skills.weighing import weigh as weigh
