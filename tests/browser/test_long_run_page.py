"""A run of 2,000 steps in an exported page: no step keeps the page's main thread for long."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from minigrad import Tensor
from minigrad_widgets import export_html, step_backward

MOST = 0.2  # s that a step may take of the main thread
STEPS = 60


def chain(x):
    for _ in range(2000):
        x = x * 1.001
    return x


def test_a_step_of_a_long_run_is_quick(browser: Browser, tmp_path: Path) -> None:
    """The thread's own time counts, so what else the machine does is no matter."""
    file = export_html(step_backward(chain, Tensor(1.0)), tmp_path / "long.html")
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.goto(file.as_uri())
    widget = page.locator(".mgw-stepper")
    expect(widget.locator(".mgw-counter")).to_have_text("0 of 2000")
    widget.get_by_role("slider").focus()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    took = []
    for key in ["End", *["ArrowLeft"] * STEPS, "Home", *["ArrowRight"] * STEPS]:
        before = spent()
        page.keyboard.press(key)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        took.append(spent() - before)
    expect(widget.locator(".mgw-counter")).to_have_text(f"{STEPS} of 2000")
    expect(widget.locator(".mgw-box.mgw-now")).to_have_count(1)
    assert max(took) < MOST
    page.close()
