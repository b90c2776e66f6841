"""Lines of responses, one a subject: ``{"subject_id": …, "responses": {item: 0, 1, or successes and trials}}``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiq.readers.base import Raw, Reading, Wanted, number, part
from aiq.readers.documents import DamagedError, Document


def knows(document: Document) -> bool:
    """Say whether a file of JSON lines holds subjects with their responses."""
    first = document.first
    return isinstance(first, Mapping) and {"subject_id", "responses"} <= set(first)


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read every response; the test is named as the folder is, an item without a response is missing."""
    reading = Reading()
    for document in documents:
        with reading.of(document):
            task = document.path.resolve().parent.name
            for line, row in document.objects():
                subject = part(row).get("subject_id")
                if subject is None or not isinstance(part(row).get("responses"), Mapping):
                    raise DamagedError(f"{document.name} line {line} has no subject_id with responses")
                for item, response in part(row, "responses").items():
                    _take(
                        reading, document, Raw(str(subject), task, 0.0, document.name, line=line, item=item), response
                    )
    return reading


def _take(reading: Reading, document: Document, raw: Raw, response: object) -> None:
    """Take one response."""
    if isinstance(response, Mapping):
        successes, trials = number(response.get("successes")), number(response.get("trials"))
        if successes is None or trials is None or not 0 <= successes <= trials:
            raise DamagedError(f"{document.name} line {raw.line}: {raw.item} has no successes within its trials")
        if trials == 0:
            reading.skip(f"{raw.agent} on {raw.item}", "no trial")
        else:
            reading.add(raw._replace(value=successes / trials, weight=trials))
        return
    value = float(response) if isinstance(response, bool) else number(response)
    if value is None and response is not None:
        raise DamagedError(f"{document.name} line {raw.line}: {raw.item} is {response!r}, it must be a number")
    if value is not None:
        reading.add(raw._replace(value=value))
