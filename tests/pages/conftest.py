"""Pages for tests, and a Chromium that opens them."""

from __future__ import annotations

import fcntl
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import browsing
import made_pages


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless Chromium; where none is there the test is skipped, and in CI it is installed."""
    reason = browsing.missing()
    if reason is not None and not browsing.MUST_RUN:
        pytest.skip(reason)
    with Path(tempfile.gettempdir(), "aiq-chromium-install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process installs, the others wait
        if reason is not None and browsing.missing() is not None:
            browsing.install()
    with browsing.browser() as started:
        yield started


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a suite of eight domains in three dimensions with four agents."""
    folder = tmp_path_factory.mktemp("page")
    file = folder / "index.html"
    file.write_bytes(made_pages.page(domains=8, dimensions=4, agents=4))
    return file
