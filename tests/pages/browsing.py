"""A headless Chromium that looks at pages: what is clipped, too small, or said on its console."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WIDTHS = (1400, 400)
THEMES = ("light", "dark")
MUST_RUN = os.environ.get("CI", "").lower() in ("1", "true")
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-sandbox"]

FAULTS = """
() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} wide in a window of ${innerWidth}`);
  const seen = (node) => { const box = node.getBoundingClientRect(); return box.width > 1 && box.height > 1; };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.textContent.trim() || parent.closest("script, style, .visually-hidden, option, .skip")) continue;
    if (!parent.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 1) continue;
    const size = parseFloat(getComputedStyle(parent).fontSize);
    const words = node.textContent.trim().slice(0, 40);
    if (size < 11) found.push(`text of ${size} px: ${words}`);
    const holder = parent.closest(".scroll, nav ul, pre, fieldset.legend");
    if (!holder && (box.left < -0.5 || box.right > innerWidth + 0.5)) found.push(`outside the window: ${words}`);
    const svg = parent.closest("svg.main-svg");
    if (svg) {
      const frame = parent.closest(".plot").getBoundingClientRect();
      const beside = box.left < frame.left - 1 || box.right > frame.right + 1;
      if (beside || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        found.push(`clipped in ${parent.closest("figure").id}: ${words}`);
    }
  }
  for (const node of document.querySelectorAll("button, select, input, a, label, .plot, p, dd, h1, h2, h3")) {
    if (!seen(node) || !node.checkVisibility() || node.closest(".visually-hidden, .skip")) continue;
    const box = node.getBoundingClientRect();
    const holder = node.closest(".scroll, nav ul, pre, fieldset.legend");
    const named = `${node.tagName} ${node.textContent.slice(0, 30)}`;
    if (!holder && box.right > innerWidth + 0.5) found.push(`outside the window: ${named}`);
    if (!holder && node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX === "hidden")
      found.push(`cut off: ${named}`);
  }
  return [...new Set(found)];
}
"""


def missing() -> str | None:
    """Why no browser can be started, or None."""
    if shutil.which("chromium") is None:
        return "there is no Chromium here; on Debian: apt-get install chromium"
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "the package playwright is missing"
    return None


def install() -> None:
    """Install Debian's Chromium, as root."""
    for command in (["apt-get", "update"], ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"]):
        subprocess.run(command, check=True, capture_output=True)


@contextmanager
def browser() -> Iterator[Any]:
    """A Chromium without a window and without a network."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        try:
            yield started
        finally:
            started.close()


class Look:
    """One page in one window: opened from its file with everything drawn; ``said`` is what the console got."""

    def __init__(self, started: Any, file: Path, width: int = 1400, theme: str = "light", **more: Any) -> None:
        self.context = started.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, offline=True, **more
        )
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.goto(file.resolve().as_uri())
        if more.get("java_script_enabled", True):
            self.page.wait_for_selector("html[data-ready=yes]", timeout=30000)

    def draw_all(self) -> None:
        """Make the window as high as the page for a moment, so that the space and every table are made."""
        size = self.page.viewport_size
        for _ in range(2):  # tables grow as they are made
            height = self.page.evaluate("document.documentElement.scrollHeight")
            self.page.set_viewport_size({"width": size["width"], "height": height})
            self.page.wait_for_function(
                "[...document.querySelectorAll('figure.live')].every((one) => one.querySelector('.plot .main-svg'))"
                " && [...document.querySelectorAll('.sheet .numbers')].every((one) => one.dataset.started)",
                timeout=120000,
            )
        self.page.set_viewport_size(size)
        self.page.wait_for_timeout(200)

    def faults(self) -> list[str]:
        """What is clipped, outside the window, or smaller than 11 px."""
        return list(self.page.evaluate(FAULTS))

    def close(self) -> None:
        """Close the window."""
        self.context.close()
