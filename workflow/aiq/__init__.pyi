from aiq.api.comparison import compare as compare
from aiq.api.complexity import complexity as complexity
from aiq.api.dissimilarity import dissimilarity as dissimilarity
from aiq.api.dissimilarity import similarity as similarity
from aiq.api.runs import load as load
from aiq.api.space import score as score
from aiq.api.space import space as space
from aiq.api.suites import read as read
from aiq.api.suites import suite as suite
from aiq.errors import InputError as InputError

__version__: str
