"""Print the JSON schema of a configuration, or with ``--readme`` the page that explains every key."""

from __future__ import annotations

import argparse
import json
import types
import typing
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo

from aiq.config.base import RunSettings
from aiq.config.load import configurations, schema
from aiq.config.suite import Configuration
from aiq.settings import Settings

INTRODUCTION = """# Configuration

A run is described by one YAML file: `snakemake --configfile config/quickstart.yaml --cores 2`; `aiq estimate`
and `aiq shards` take the same file. Every key is listed here. A key that is not listed, a value of another type and
a number that is not finite are refused in one sentence. *needed* marks keys without default.

- **Domains** are chosen by a `source` and its parameters; any number of variants of one data set may stand
  in one suite. Names of domains and agents become parts of file names: letters, digits, `_`, `.`, `-`.
- **Growing adds, never redoes**: a larger `pool.size`, more `repetitions`, further domains and agents leave
  what is finished valid. Changing anything else redoes what depends on it and nothing more.
- **No result depends on** `jobs`, how work is cut into jobs and kept, nor on `store`.
- Write numbers such as 0.001 or 1.0e-3; YAML reads `yes`, `no`, `on`, `off` as truth values.

This page is made by `python -m aiq.config --readme`, the schema in `workflow/schemas/` by
`python -m aiq.config`.
"""


def readme() -> str:
    """Return the page: one section a settings class, one row a key."""
    places = _places()
    sections = [_section(model, where) for model, where in places.items()]
    return "\n".join([INTRODUCTION, *sections])


def classes() -> list[type[Settings]]:
    """Return every settings class that a configuration can hold, each measure's own configuration first."""
    return list(_places())


def _places() -> dict[type[Settings], list[str]]:
    """Return where each settings class stands, by dotted keys."""
    places: dict[type[Settings], list[str]] = {}
    for configuration in configurations().values():
        places[configuration] = [""]
        _walk(configuration, places)
    return places


def _walk(configuration: type[Settings], places: dict[type[Settings], list[str]]) -> None:
    waiting = [(configuration, "")]
    while waiting:
        model, place = waiting.pop(0)
        for name, field in typing.cast(type[BaseModel], model).model_fields.items():
            for inner, suffix in _models(field.annotation):
                here = f"{place}.{name}{suffix}".lstrip(".")
                places.setdefault(inner, []).append(here)
                waiting.append((inner, here))


def _models(hint: Any, suffix: str = "") -> Iterator[tuple[type[Settings], str]]:
    """Yield the settings classes in a type hint, with what stands between the key and them."""
    if isinstance(hint, type) and issubclass(hint, Settings):
        yield hint, suffix
    origin = typing.get_origin(hint)
    inside = ".NAME" if origin is dict else "[]" if origin is list else ""
    for part in typing.get_args(hint):
        yield from _models(part, suffix + inside)


def _section(model: type[Settings], where: list[str]) -> str:
    doc = " ".join((model.__doc__ or "").split())
    lines = [f"## {title(model)}", "", doc]
    if where != [""]:
        lines += ["", f"Stands at: {', '.join(f'`{place}`' for place in dict.fromkeys(where))}."]
    lines += ["", "| key | type | default | meaning |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        cells = (f"`{name}`", _type(field), _default(field), field.description or "")
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def title(model: type[Settings]) -> str:
    """Return the heading of a class."""
    if model is Configuration:
        return "The file"
    return f"The file of measure {model.word()}" if issubclass(model, RunSettings) else model.__name__


def _type(field: FieldInfo) -> str:
    return ", ".join([_words(field.annotation), *_limits(field.metadata)])


def _limits(metadata: list[Any]) -> list[str]:
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    return [f"{sign} {getattr(item, key)}" for item in metadata for key, sign in signs.items() if hasattr(item, key)]


def _words(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        limits = [limit for item in arguments[1:] if isinstance(item, FieldInfo) for limit in _limits(item.metadata)]
        return _words(arguments[0]) + (f" ({', '.join(limits)})" if limits else "")
    if origin is Literal:
        return " or ".join(f"`{word}`" for word in arguments)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(_words(part) for part in arguments))
    if origin is tuple:
        return f"[{', '.join(_words(part) for part in arguments)}]"
    if origin is list:
        return f"list of {_words(arguments[0])}"
    if origin is dict:
        return f"NAME: {_words(arguments[1])}"
    if isinstance(hint, type) and issubclass(hint, Settings):
        return f"[{title(hint)}](#{title(hint).lower().replace(' ', '-')})"
    if hint is JsonValue:
        return "any value"
    names = {int: "integer", float: "number", str: "text", bool: "true or false", type(None): "null"}
    return names[hint]


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "*needed*"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        return "all defaults"
    return f"`{json.dumps(value)}`"


def main() -> None:
    """Print one of the two generated texts to standard output."""
    parser = argparse.ArgumentParser(prog="python -m aiq.config", description=__doc__)
    parser.add_argument("--readme", action="store_true", help="print config/README.md instead of the JSON schema")
    text = readme() if parser.parse_args().readme else json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
    print(text, end="")


if __name__ == "__main__":
    main()
