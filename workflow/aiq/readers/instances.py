"""Items by name: lists of resolved instances as SWE-bench writes them, and lines of responses, one a subject.

SWE-bench has reports of runs, of single instances, and of its site. A line of responses is
``{"subject_id": ..., "responses": {item: 0, 1, or successes and trials}}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiq.readers.base import Raw, Reading, Wanted, number, part, parts, text
from aiq.readers.documents import DamagedError, Document

_LISTS: tuple[str, ...] = (
    *("completed_ids", "incomplete_ids", "empty_patch_ids", "submitted_ids", "resolved_ids", "unresolved_ids"),
    *("error_ids", "resolved", "no_generation", "no_logs", "generated", "applied"),
)


def knows_resolved(document: Document) -> bool:
    """Say whether a file lists what was resolved."""
    content = part(document.json)
    lists = any(isinstance(content.get(key), list) for key in ("resolved_ids", "resolved"))
    return lists or bool(_single(content)) or bool(_boards(content))


def _single(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return instance -> whether it is resolved, of the report of single instances."""
    outcomes = {str(name): part(row).get("resolved") for name, row in content.items()}
    return outcomes if all(isinstance(value, bool) for value in outcomes.values()) else {}


def _boards(content: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the rows of the site's leaderboards that have details by instance."""
    return [
        {**row, "board": board.get("name")}
        for board in parts(content.get("leaderboards"))
        for row in parts(board.get("results"))
        if part(row, "per_instance_details")
    ]


def resolved(reading: Reading, documents: Sequence[Document], wanted: Wanted) -> None:
    """Read 1 for every instance that is resolved, and 0 for every other that any file of the source names.

    An instance that failed, was empty or was not submitted counts as 0, as SWE-bench counts it. Clusters are the
    repositories: the name of an instance without its number.
    """
    solved: dict[tuple[str, str], dict[str, bool]] = {}
    instances: dict[str, dict[str, None]] = {}
    total = 0
    for document in documents:
        with reading.of(document):
            content = part(document.json)
            total = max(total, int(number(content.get("total_instances"), 0)))
            for agent, task, held, every in _found(document, content):
                solved.setdefault((agent, task), {}).update(held)
                instances.setdefault(task, {}).update(dict.fromkeys(every))
    for (agent, task), held in solved.items():
        for item in instances[task]:
            cluster, value = item.rpartition("-")[0] or item, float(held.get(item, False))
            reading.add(Raw(agent, task, value, agent, item=item, cluster=cluster, metric="resolved"))
    for task, named in instances.items():
        reading.decide(
            f"{task}: an instance that is not listed as resolved counts as 0, over the {len(named)} instances that any "
            "file names" + (f" (the reports speak of {total})" if total > len(named) else "")
        )
    reading.decide("clusters are the repositories: the names of instances without their numbers")


def _found(document: Document, content: Mapping[str, object]) -> Iterable[tuple[str, str, dict[str, bool], list[str]]]:
    """Yield agent, test, what is resolved, and all instances that a file names."""
    boards = _boards(content)
    if boards:
        for row in boards:
            held = {name: bool(part(case).get("resolved")) for name, case in part(row, "per_instance_details").items()}
            yield text(row.get("name"), "unnamed"), text(row["board"], document.stem), held, list(held)
        return
    single = _single(content)
    if single:
        yield document.path.resolve().parent.parent.name, "resolved", single, list(single)
        return
    names = {key: [str(x) for x in value] for key in _LISTS if isinstance(value := content.get(key), list)}
    resolved = names.get("resolved_ids", names.get("resolved", []))
    every = list(dict.fromkeys(name for some in names.values() for name in some))
    folder = document.path.resolve().parent
    agent = document.stem.partition(".")[0] if "resolved_ids" in names else folder.name
    agent = folder.parent.name if agent == "results" else agent
    yield agent.replace("__", "/"), "resolved", dict.fromkeys(resolved, True), every


def responses(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read every response; the test is named as the folder is, an item without a response is missing."""
    task = document.path.resolve().parent.name
    for line, row in document.objects():
        subject = part(row).get("subject_id")
        if subject is None or not isinstance(part(row).get("responses"), Mapping):
            raise DamagedError(f"{document.name} line {line} has no subject_id with responses")
        for item, response in part(row, "responses").items():
            _response(reading, Raw(str(subject), task, 0.0, document.name, line=line, item=item), response)


def _response(reading: Reading, raw: Raw, response: object) -> None:
    if isinstance(response, Mapping):
        successes, trials = number(response.get("successes")), number(response.get("trials"))
        if successes is None or trials is None or not 0 <= successes <= trials:
            raise DamagedError(f"{raw.where} line {raw.line}: {raw.item} has no successes within its trials")
        if trials == 0:
            reading.skip(f"{raw.agent} on {raw.item}", "no trial")
        else:
            reading.add(raw._replace(value=successes / trials, weight=trials))
        return
    value = float(response) if isinstance(response, bool) else number(response)
    if value is None and response is not None:
        raise DamagedError(f"{raw.where} line {raw.line}: {raw.item} is {response!r}, it must be a number")
    if value is not None:
        reading.add(raw._replace(value=value))
