"""What this machine's processor can do, as far as it says so without any library."""

from __future__ import annotations

from functools import cache
from pathlib import Path

BFLOAT16 = frozenset({"avx512_bf16", "amx_bf16", "bf16"})
"""Words of Linux for instructions that multiply in bfloat16: AMD and Intel, the last one ARM."""

LACKING = (
    "training.products is 'bfloat16', but this processor does not multiply in bfloat16 (no avx512_bf16, amx_bf16 or "
    "bf16 in /proc/cpuinfo); take float32, or train where it does"
)

TOLD = Path("/proc/cpuinfo")


@cache
def has_bfloat16() -> bool:
    """Whether the processor multiplies in bfloat16; False where the system does not tell (it is no Linux)."""
    try:
        lines = TOLD.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    words = (line.partition(":")[2].split() for line in lines if line.startswith(("flags", "Features")))
    return not BFLOAT16.isdisjoint(next(words, ()))
