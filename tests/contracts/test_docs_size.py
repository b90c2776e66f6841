"""The docs stay small and connected: few files and words, a short README, no lost link, every picture shown."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    [
        *DOCS.rglob("*.md"),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tests/README.md")),
    ]
)
METHODS = [page for page in sorted((DOCS / "methods").glob("*.md")) if page.name != "index.md"]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```[^\n]*$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"\b(docs/[\w./-]+\.(?:md|csv|png|ipynb))\b")


def links(page: Path) -> list[str]:
    """Return what a page links to inside the repository, without anchors."""
    found = LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return [link.partition("#")[0] for link in found if "://" not in link and not link.startswith(("#", "mailto:"))]


def test_the_docs_are_few_files_and_words():
    files = [path for path in DOCS.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    texts = [page.read_text(encoding="utf-8").split() for page in DOCS.rglob("*.md")]
    words = sum(any(letter.isalnum() for letter in word) for text in texts for word in text)  # a table's bars are none
    assert len(files) <= 110
    assert words <= 50_000


def test_the_readme_is_short():
    assert (ROOT / "README.md").stat().st_size <= 6 * 1024


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_into_the_repository_leads_somewhere(page: Path):
    assert [link for link in links(page) if not (page.parent / link).exists()] == []


def test_every_picture_is_shown():
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    assert [str(picture) for picture in DOCS.rglob("*.png") if picture.resolve() not in shown] == []


def test_pages_that_code_and_configurations_name_exist():
    parts = ("workflow", "config", "profiles", "scripts", "studies", "benchmarks", "envs", "tests")
    files = [path for part in parts for path in (ROOT / part).rglob("*") if path.suffix in (".py", ".yaml", ".smk")]
    files += [ROOT / "Makefile", ROOT / "Containerfile"]
    named = {(str(path.relative_to(ROOT)), page) for path in files for page in NAMED.findall(path.read_text("utf-8"))}
    assert {(file, page) for file, page in named if not (ROOT / page).exists()} == set()


@pytest.mark.parametrize("page", METHODS, ids=lambda page: page.stem)
def test_every_method_says_what_it_cannot_tell(page: Path):
    text = page.read_text(encoding="utf-8")
    assert re.search(r"(?i)\bcannot tell|what to know|speaks against|does not say", text)
