"""A suite as an instrument: what each test is worth to it, which can go, what kind to add, and what copies change."""

from aiq.measures.instrument.additions import Candidate as Candidate
from aiq.measures.instrument.additions import candidates as candidates
from aiq.measures.instrument.additions import enlarging as enlarging
from aiq.measures.instrument.additions import free as free
from aiq.measures.instrument.additions import likeness as likeness
from aiq.measures.instrument.additions import reach as reach
from aiq.measures.instrument.copies import rebuilt as rebuilt
from aiq.measures.instrument.copies import with_copy as with_copy
from aiq.measures.instrument.draws import Draw as Draw
from aiq.measures.instrument.draws import draws as draws
from aiq.measures.instrument.draws import within as within
from aiq.measures.instrument.dropping import FEWEST_TO_SPLIT as FEWEST_TO_SPLIT
from aiq.measures.instrument.dropping import Judges as Judges
from aiq.measures.instrument.dropping import dropping as dropping
from aiq.measures.instrument.dropping import rank_correlation as rank_correlation
from aiq.measures.instrument.subsets import values as values
from aiq.measures.instrument.worth import copies as copies
from aiq.measures.instrument.worth import worths as worths
