"""All claims, in the order of the papers, by name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from papers.claims import agents, complexities, control, dissimilarities, earlier, recorded
from papers.claims.base import Claim


def _place(claim: Claim) -> tuple[int, int]:
    """Return the paper, newest first, and the number of the figure."""
    figure = re.search(r"F(\d+)$", claim.id)
    return -claim.year, int(figure.group(1)) if figure else 0


CLAIMS: Mapping[str, Claim] = {
    claim.id: claim
    for claim in sorted(
        (
            *complexities.CLAIMS,
            *dissimilarities.CLAIMS,
            *control.CLAIMS,
            *agents.CLAIMS,
            *earlier.CLAIMS,
            *recorded.CLAIMS,
        ),
        key=_place,
    )
}
"""Name -> claim."""
