"""An exported page, looked at as its reader does: no kernel, no network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

LOCAL = ("file:", "blob:", "data:")


@contextmanager
def open_alone(browser: Browser, path: Path, **options: object) -> Iterator[Page]:
    """The page in a browser that is offline; in the end nothing was asked for or went wrong."""
    context = browser.new_context(
        **{"offline": True, "viewport": {"width": 1200, "height": 1000}, **options}
    )
    page, faults = context.new_page(), []
    page.on("pageerror", lambda error: faults.append(error.message))
    page.on("console", lambda message: faults.append(message.text))
    page.on("request", lambda r: None if r.url.startswith(LOCAL) else faults.append(r.url))
    page.goto(path.as_uri())
    try:
        yield page
    finally:
        context.close()
    assert faults == []
