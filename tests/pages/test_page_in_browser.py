"""The page in a headless Chromium: nothing clipped, nothing too small, no error, all of it by keyboard alone."""

from __future__ import annotations

import fcntl
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsing
import page_of_suite
import pytest
from browsing import THEMES, WIDTHS, Look

HINT = "Canvas2D: Multiple readback operations"  # Chromium's advice to plotly.js about names in three dimensions


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A headless Chromium; where none is there the test is skipped, and in CI it is installed."""
    reason = browsing.missing()
    if reason is not None and not browsing.MUST_RUN:
        pytest.skip(reason)
    with Path(tempfile.gettempdir(), "aiq-chromium-install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process installs, the others wait
        if reason is not None and browsing.missing() is not None:
            browsing.install()
    with browsing.browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a suite of eight domains in three dimensions with four agents."""
    file = tmp_path_factory.mktemp("page") / "index.html"
    file.write_bytes(page_of_suite.page(domains=8, dimensions=4, agents=4))
    return file


def errors(look: Look) -> list[str]:
    return [message for message in look.said if HINT not in message]


@pytest.fixture(scope="module")
def drawn(chromium: Any, page_file: Path) -> Iterator[Look]:
    look = Look(chromium, page_file)
    look.draw_all()
    yield look
    look.close()


@pytest.fixture
def look(drawn: Look) -> Iterator[Look]:
    """The page in a wide, light window, as the test before left its space; no error may come of what is done."""
    drawn.page.set_viewport_size({"width": 1400, "height": 900})
    yield drawn
    drawn.page.emulate_media(media="screen", color_scheme="light")
    assert errors(drawn) == []


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_clipped_too_small_or_wrong(chromium: Any, page_file: Path, width: int, theme: str):
    look = Look(chromium, page_file, width, theme)
    look.draw_all()
    assert look.faults() == []
    look.page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    look.page.wait_for_timeout(300)
    assert look.faults() == []
    assert errors(look) == []
    look.close()


def test_the_check_sees_faults(chromium: Any, tmp_path: Path):
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<html data-ready=yes><link rel=icon href='data:,'><body style='margin:0'><p style='font-size:9px'>tiny</p>"
        "<p style='width:3000px'>wide</p><script>console.error('said')</script>"
    )
    look = Look(chromium, bad)
    faults = "\n".join(look.faults())
    assert "text of 9 px: tiny" in faults
    assert "the page is 3000 wide" in faults
    assert look.said == ["error: said"]
    look.close()


def tab_to(look: Look, selector: str, most: int = 400) -> None:
    """Press the tabulator until the element has the focus."""
    look.page.evaluate("document.activeElement?.blur()")
    for _ in range(most):
        look.page.keyboard.press("Tab")
        if look.page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"the tabulator does not reach {selector}")


def test_the_space_is_turned_and_hulls_switched_by_keys(look: Look):
    space = "#figure-space-solid"
    look.page.locator(f"{space} select").first.select_option(label="three dimensions")
    eye = f"() => document.querySelector('{space} .plot')._fullLayout.scene.camera.eye"
    tab_to(look, f"{space} .plot")
    before = look.page.evaluate(eye)
    look.page.keyboard.press("ArrowLeft")
    look.page.keyboard.press("ArrowUp")
    turned = look.page.evaluate(eye)
    assert abs(turned["x"] - before["x"]) > 0.01
    assert turned["z"] > before["z"]
    look.page.keyboard.press("+")
    nearer = look.page.evaluate(eye)
    assert sum(v**2 for v in nearer.values()) < sum(v**2 for v in turned.values())
    look.page.keyboard.press("0")
    assert look.page.evaluate(eye) == pytest.approx(before)
    meshes = f"() => document.querySelector('{space} .plot').data.filter((t) => t.type === 'mesh3d').map((t) => t.name)"
    assert look.page.evaluate(meshes) == ["suite", "agent-0"]
    tab_to(look, f"{space} fieldset label:nth-of-type(2) input")
    look.page.keyboard.press("Space")
    assert look.page.evaluate(meshes) == ["suite"]


def test_the_space_is_seen_in_any_two_dimensions(look: Look):
    figure = look.page.locator("#figure-space-solid")
    figure.locator("select").first.select_option(label="two dimensions")
    figure.get_by_label("across").select_option(index=1)
    figure.get_by_label("upright").select_option(index=3)
    plot = "document.querySelector('#figure-space-solid .plot')"
    titles = look.page.evaluate(f"[{plot}.layout.xaxis.title.text, {plot}.layout.yaxis.title.text]")
    assert titles[0].startswith("dimension 2")
    assert titles[1].startswith("dimension 4")
    hover = (
        "() => document.querySelector('#figure-space-solid .plot').data.find((t) => t.name === 'domains').hovertext[0]"
    )
    text = look.page.evaluate(hover)
    assert "digits" in text
    assert re.search(r"dimension 1 .*: -?[\d.]+ \[-?[\d.]+, -?[\d.]+\]", text)


def test_tables_are_sorted_filtered_and_downloaded_by_keys(look: Look):
    table = "[data-table='tables/performance.csv']"
    first = f'() => document.querySelector("{table} tbody td:nth-child(3)").textContent'
    tab_to(look, f"{table} th:nth-child(3) button")
    look.page.keyboard.press("Enter")
    ascending = float(look.page.evaluate(first))
    look.page.keyboard.press("Enter")
    assert float(look.page.evaluate(first)) > ascending
    column = (
        f'() => [...document.querySelectorAll("{table} tbody td:nth-child(3)")].map((cell) => Number(cell.textContent))'
    )
    values = look.page.evaluate(column)
    assert values == sorted(values, reverse=True)
    look.page.locator(f"{table} input").fill("agent-2")
    assert set(look.page.locator(f"{table} tbody td:first-child").all_inner_texts()) == {"agent-2"}
    tab_to(look, f"{table} .tools button")
    with look.page.expect_download() as waiting:
        look.page.keyboard.press("Enter")
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert waiting.value.suggested_filename == "performance.csv"
    assert text.startswith("agent,domain,performance,repetition\nagent-0,digits,")
    assert len(text.splitlines()) == 1 + 4 * 8 * 2


def test_every_figure_has_a_name_its_table_and_a_still_picture(look: Look):
    for figure in look.page.locator("figure").all():
        name = look.page.locator(f"#{figure.get_attribute('aria-labelledby')}").inner_text()
        assert len(name) > 3
        assert figure.locator("img").get_attribute("alt")
        assert figure.locator(".numbers table thead th").count() > 1
        for plot in figure.locator(".plot").all():
            assert len(plot.get_attribute("aria-label") or "") > 10
    controls = "[...document.querySelectorAll('button, select, input')]"
    named = "(one) => one.labels?.length || one.textContent || one.ariaLabel"
    assert look.page.evaluate(f"{controls}.every({named})")


def test_without_scripts_there_are_pictures_and_tables(chromium: Any, page_file: Path):
    look = Look(chromium, page_file, 400, java_script_enabled=False)
    assert all(image.is_visible() for image in look.page.locator("figure img").all())
    assert look.page.locator(".chart").first.is_hidden()
    assert look.page.locator("#lead table tbody tr").count() == 4
    look.close()


def test_on_paper_there_are_pictures(look: Look):
    look.page.emulate_media(media="print")
    assert all(image.is_visible() for image in look.page.locator("figure img").all())
    assert look.page.locator(".chart").first.is_hidden()
    look.page.set_viewport_size({"width": 718, "height": 1000})  # A4 between usual margins
    cut = "() => [...document.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > 719 && "
    cut += "one.getBoundingClientRect().width > 1).map((one) => one.tagName + ' ' + one.innerText).slice(0, 5)"
    assert look.page.evaluate(cut) == []


def test_another_theme_and_width_draw_the_space_anew(look: Look):
    ink = "() => document.querySelector('#figure-space-solid .plot').layout.font.color"
    light = look.page.evaluate(ink)
    look.page.emulate_media(color_scheme="dark")
    look.page.wait_for_function(f"(before) => ({ink})() !== before", arg=light)
    look.page.set_viewport_size({"width": 400, "height": 900})
    narrow = "[...document.querySelectorAll('.plot')].every((one) => one._fullLayout.width < 400)"
    look.page.wait_for_function(narrow)
    assert look.faults() == []
