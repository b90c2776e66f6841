"""What all settings are made of: strict models, and one sentence for what is refused."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, computed_field, model_validator
from pydantic_core import to_jsonable_python

from aiq.errors import ConfigurationError, choice, did_you_mean

Place = tuple[str | int, ...]

_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "list": "a list",
    "tuple": "a list",
    "dict": "a mapping of keys",
    "model": "a mapping of keys",
    "string": "text",
    "bool": "true or false",
}
_WRONG_TYPE = re.compile(
    r"(int|float|list|tuple|dict|model|string|bool)_(attributes_)?(type|parsing|from_float)|finite_number"
)


def explain(error: ValidationError, raw: object, root: str = "configuration") -> str:
    """Return one sentence about the first problem: where, what, the value, what is allowed; and how many more.

    Args:
        error: pydantic's report.
        raw: what was refused; keys and indices of the sentence's place are those of this value.
        root: what to call it.
    """
    problems = [(_place(problem, raw), problem) for problem in error.errors(include_url=False)]
    first = problems[0][0]
    alike = [(place, problem) for place, problem in problems if _nested(place, first)]
    place, sentence = _judge(alike, raw)
    others = {place for place, _ in problems} - {place for place, _ in alike}
    more = f" (and {len(others)} more problem{'s' if len(others) > 1 else ''})" if others else ""
    where = ".".join(str(part) for part in (place[:-1] if sentence.endswith("is missing") else place))
    return " ".join(f"{root}{' at ' + where if where else ''}: {sentence}{more}".splitlines())


def _place(problem: Mapping[str, Any], raw: object) -> Place:
    """Drop from pydantic's location what is no key or index of the data: names of variants and types.

    A missing key is kept: it tells two of them apart.
    """
    place: list[str | int] = []
    node = raw
    location = problem["loc"]
    for part in location:
        if _holds(node, part):
            node = node[part]  # type: ignore[index]
            place.append(part)
    if problem["type"] == "missing":
        place.append(location[-1])
    return tuple(place)


def _holds(node: object, part: str | int) -> bool:
    if isinstance(node, Mapping):
        return part in node
    return isinstance(node, list | tuple) and isinstance(part, int) and part < len(node)


def _nested(a: Place, b: Place) -> bool:
    """Whether one place lies in the other: then both speak of alternatives for one value."""
    shared = min(len(a), len(b))
    return a[:shared] == b[:shared] and (a == b or shared > 0)


def _judge(alike: Sequence[tuple[Place, Any]], raw: object) -> tuple[Place, str]:
    """Choose, among reports on the alternatives of one value, what a person would say of it."""
    specific = [(place, problem) for place, problem in alike if not _is_wrong_type(problem)]
    depth = max(len(place) for place, _ in alike)
    deepest = [(place, problem) for place, problem in alike if len(place) == depth]
    if specific and (len(specific) == 1 or len(specific) < len(alike)):
        place, problem = max(specific, key=lambda report: len(report[0]))
        return place, _sentence(problem, place, raw)
    place, problem = deepest[0]
    if len(deepest) == 1 or specific:
        return place, _sentence(problem, place, raw)
    allowed = list(dict.fromkeys(_allowed(problem) for _, problem in deepest))
    return place, f"must be {' or '.join(allowed)}{_shown(problem)}"


def _is_wrong_type(problem: Mapping[str, Any]) -> bool:
    """Whether a problem only says that another alternative was meant."""
    return bool(_WRONG_TYPE.fullmatch(problem["type"])) or problem["type"] == "literal_error"


def _allowed(problem: Mapping[str, Any]) -> str:
    if problem["type"] == "literal_error":
        return str(problem["ctx"]["expected"])
    return _TYPES[problem["type"].split("_")[0]]


def _sentence(problem: Mapping[str, Any], place: Place, raw: object) -> str:
    kind, last = problem["type"], problem["loc"][-1] if problem["loc"] else ""
    if kind == "missing":
        return f"item {last + 1} is missing" if isinstance(last, int) else f"the key '{last}' is missing"
    if kind == "union_tag_not_found":
        return f"the key {problem['ctx']['discriminator']} is missing, it decides which other keys are allowed"
    if kind == "union_tag_invalid":
        context = problem["ctx"]
        return choice(
            context["discriminator"].strip("'"), context["tag"], re.findall(r"'([^']*)'", context["expected_tags"])
        )
    if kind == "literal_error":
        what = f"item {int(place[-1]) + 1}" if str(place[-1]).isdigit() else str(place[-1])
        return choice(what, problem["input"], re.findall(r"'([^']*)'", problem["ctx"]["expected"]))
    if kind == "value_error":
        return str(problem["msg"]).removeprefix("Value error, ")
    if _is_wrong_type(problem) and last == "[key]":
        return f"the key {place[-1]!r} must be text, write it in quotes"
    return f"{_requirement(problem)}{_shown(problem)}"


def _requirement(problem: Mapping[str, Any]) -> str:
    """Return what one problem asks for, as the end of a sentence."""
    if _is_wrong_type(problem):
        return f"must be {_allowed(problem)}"
    if problem["type"] in ("too_long", "too_short"):
        most = problem["type"] == "too_long"
        count = problem["ctx"]["max_length" if most else "min_length"]
        return f"must have {'at most' if most else 'at least'} {count} entries"
    message = re.sub(r"^Input should be", "must be", str(problem["msg"]).removeprefix("Value error, "))
    return f"{message[:1].lower()}{message[1:]}"


def _shown(problem: Mapping[str, Any]) -> str:
    given = "nothing" if problem["input"] is None else repr(problem["input"])
    given = str(problem["input"]) if given.startswith("datetime.") else given
    return f" (given: {given})" if len(given) <= 60 else ""


def fixed(value: Any) -> Any:
    """Return what stands in settings for a key of before that has one value now.

    Dumps and fingerprints hold it as they did, so that finished results stay valid; another value is refused.
    """
    return computed_field(return_type=type(value), repr=False)(property(lambda _: value))


class Settings(BaseModel):
    """Base of all settings: immutable, unknown keys, NaN and misplaced truth values refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=False)
    gone: ClassVar[Mapping[str, str]] = {}
    """Keys of before: what became of each. Those that dumps still hold are ``fixed``."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, value: Any) -> Any:
        """Refuse keys that there are not; of one that is fixed, its value may be given, as dumps of before do."""
        if not isinstance(value, Mapping):
            return value
        fields, kept = list(cls.model_fields), dict(value)
        for key in value:
            if key in cls.gone:
                raise ValueError(f"{key} {cls.gone[key]}; leave the key out")
            if key in cls.model_computed_fields:
                only = cls.model_computed_fields[key].wrapped_property.fget(None)  # type: ignore[misc]
                for place, allowed in _differing(key, to_jsonable_python(kept.pop(key)), to_jsonable_python(only)):
                    raise ValueError(f"{place} can be set no more: it is always {allowed}; leave the key out")
            elif key not in fields:
                hint = did_you_mean(str(key), fields)
                raise ValueError(f"unknown key '{key}'{hint}; allowed are {', '.join(fields)}")
        return kept

    @model_validator(mode="before")
    @classmethod
    def _refuse_truth_values(cls, value: Any) -> Any:
        """Refuse true for a number: it would count as 1."""
        if isinstance(value, Mapping):
            for key, field in cls.model_fields.items():
                given = value.get(key)
                truth = isinstance(given, bool) or (isinstance(given, list) and any(isinstance(v, bool) for v in given))
                if truth and bool not in _leaves(field.annotation):
                    raise ValueError(f"{key} is {given}, it cannot be true or false (YAML reads yes, no, on, off so)")
        return value


def _differing(key: str, given: Any, only: Any) -> list[tuple[str, Any]]:
    """Return what is given otherwise than fixed, with the value that it has; of a section some keys may be given."""
    if isinstance(given, dict) and isinstance(only, dict) and set(given) <= set(only):
        return [(f"{key}.{inner}", only[inner]) for inner, value in given.items() if value != only[inner]]
    return [] if given == only else [(key, only)]


def default_of(settings: type[BaseModel], key: str) -> Any:
    """Return the default of a key: functions and verbs that have the same option take theirs from here."""
    return settings.model_fields[key].default


def _leaves(hint: Any) -> set[Any]:
    arguments = typing.get_args(hint)
    return set().union(*(_leaves(part) for part in arguments)) if arguments else {hint}


S = TypeVar("S", bound=Settings)


def validate(model: type[S], raw: Mapping[str, Any], root: str = "configuration") -> S:
    """Build ``model`` from a raw mapping.

    Raises:
        ConfigurationError: one sentence naming the place, the problem and the value.
    """
    try:
        return model.model_validate(dict(raw))
    except ValidationError as error:
        raise ConfigurationError(explain(error, raw, root)) from error
