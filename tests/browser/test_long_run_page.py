"""A run of 2,000 steps in an exported page: a step touches a few elements, not all."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from minigrad import Tensor
from minigrad_widgets import export_html, step_backward

MOST = 1000  # elements that one key may change, of a page with thousands of values
STEPS = 60
COUNT_CHANGES = """root => {
  window.changes = 0;
  const count = records => { window.changes += records.length; };
  new MutationObserver(count).observe(
    root, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


def chain(x):
    for _ in range(2000):
        x = x * 1.001
    return x


def test_a_step_of_a_long_run_changes_little(browser: Browser, tmp_path: Path) -> None:
    file = export_html(step_backward(chain, Tensor(1.0)), tmp_path / "long.html")
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.goto(file.as_uri())
    widget = page.locator(".mgw-stepper")
    expect(widget.locator(".mgw-counter")).to_have_text("0 of 2000")
    widget.get_by_role("slider").focus()
    widget.evaluate(COUNT_CHANGES)
    changed = []
    for key in ["End", *["ArrowLeft"] * STEPS, "Home", *["ArrowRight"] * STEPS]:
        page.keyboard.press(key)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        changed.append(
            page.evaluate("() => { const n = window.changes; window.changes = 0; return n; }")
        )
    expect(widget.locator(".mgw-counter")).to_have_text(f"{STEPS} of 2000")
    expect(widget.locator(".mgw-box.mgw-now")).to_have_count(1)
    assert min(changed) > 0, "the count of changes counts nothing"
    assert max(changed) < MOST, changed
    page.close()
