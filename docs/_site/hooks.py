"""What the site needs beyond its pages: sections from folders, and pages that lie elsewhere in the repository."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = ("config/README.md", "studies/results/*.md", "benchmarks/results/*.md")
"""Pages outside docs that pages link to; they are shown under ``source/``."""

FOLDERS = {"Tutorial": "tutorial", "How to": "how-to", "Methods": "methods", "Reference": "reference",
           "What was run": "runs"}  # fmt: skip
"""Section of the navigation -> folder of its pages."""

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```[^\n]*$)", re.MULTILINE | re.DOTALL)


def on_config(config: Any) -> Any:
    """Add every page that the navigation does not name to its folder's section, in the order of the folder's index."""
    docs = Path(config.docs_dir)
    named = str(config.nav)
    sections = {title: pages for entry in config.nav for title, pages in entry.items() if isinstance(pages, list)}
    for title, folder in FOLDERS.items():
        index = docs / folder / "index.md"
        order = re.findall(r"\]\(([\w-]+\.md)\)", index.read_text()) if index.is_file() else []
        pages = [
            f"{folder}/{name}" for name in dict.fromkeys([*order, *sorted(p.name for p in index.parent.glob("*.md"))])
        ]
        sections[title] += [page for page in pages if f"'{page}'" not in named]
    measured = [
        f"source/{path.relative_to(ROOT)}"
        for place in ("studies/results", "benchmarks/results")
        for path in sorted((ROOT / place).glob("*.md"))
    ]
    config.nav += [{"Studies and benchmarks": measured}]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages outside docs."""
    for pattern in OUTSIDE:
        for path in sorted(ROOT.glob(pattern)):
            place = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, f"source/{place}", content=_moved(path.read_text(), place)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links of pages in docs to pages outside."""
    if page.file.generated_by is not None or page.file.src_uri.endswith(".ipynb"):
        return markdown
    return _moved(markdown, f"docs/{page.file.src_uri}")


def _moved(markdown: str, place: str) -> str:
    """Return a page of the repository with links as the site has them; code blocks stay as they are."""
    parts = _FENCE.split(markdown)
    return "".join(
        part if part.startswith("```") else _LINK.sub(lambda found: _link(found, place), part) for part in parts
    )


def _link(found: re.Match[str], place: str) -> str:
    """Return one link; what the site does not have (code, folders) stays as its text."""
    mark, text, target = found.groups()
    path, _, anchor = target.partition("#")
    if not path or "://" in target or target.startswith("mailto:"):
        return found.group(0)
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
    on_site = _on_site(whole)
    if on_site is None:
        return text if (ROOT / whole).exists() else found.group(0)  # a link to nothing is left, and refused
    start = posixpath.dirname(_on_site(place) or "index.md") or "."
    return f"{mark}[{text}]({posixpath.relpath(on_site, start)}{'#' if anchor else ''}{anchor})"


def _on_site(place: str) -> str | None:
    """Return where the site has a file of the repository."""
    if place.startswith("docs/") and (ROOT / place).is_file():
        return place.removeprefix("docs/")
    return f"source/{place}" if any(Path(place).match(pattern) for pattern in OUTSIDE) else None
