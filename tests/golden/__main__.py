"""``python -m tests.golden``: write the numbers of all small runs again, after a version was raised.

Numbers that changed under an unchanged version are not written unless ``--unversioned`` says so: for a table whose
layout changed, or for a number that nobody could have yet.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE / "workflow")]


def main(arguments: list[str]) -> int:
    """Write; return 1 where numbers changed under an unchanged version."""
    from tests.golden import kept, runs

    anyway = "--unversioned" in arguments
    names = [word for word in arguments if not word.startswith("-")] or list(runs.SMALL)
    status = 0
    for name in names:
        old = kept.load(name)
        stages = runs.make(name, {} if anyway else old)
        differing = kept.differences(name, stages, old)
        print(*(difference.sentence for difference in differing), sep="\n")
        if any(difference.unversioned for difference in differing) and not anyway:
            status = 1
            print(f"{name}: nothing is written; --unversioned writes all the same")
            continue
        changed = {difference.stage for difference in differing}
        kept.keep(name, [made if made.name in changed else old[made.name] for made in stages])
        print(f"{name}: {len(changed)} of {len(stages)} stages written again")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
