"""Work outside the workflow's controller: an array of jobs, requeued when time runs out (submitit)."""

from aiq.execution.array import CLUSTERS as CLUSTERS
from aiq.execution.array import Array as Array
from aiq.execution.array import Outcome as Outcome
from aiq.execution.array import Place as Place
