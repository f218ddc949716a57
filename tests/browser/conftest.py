"""One JupyterLab and one Chromium for all browser tests; a page for each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_page import Lab, find_chromium, open_browser, serve
from playwright.sync_api import Browser, expect

expect.set_options(timeout=30_000)  # what a busy machine may need; what is awaited comes at once

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium. Without one the tests skip; where CI=true they fail."""
    executable = find_chromium()
    if executable is None:
        reason = "no Chromium found: set CHROMIUM to one, or run `playwright install chromium`"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with open_browser(executable) as browser:
        yield browser


@pytest.fixture(scope="session")
def notebooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that JupyterLab shows."""
    return tmp_path_factory.mktemp("notebooks")


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of JupyterLab's own files."""
    return tmp_path_factory.mktemp("jupyter")


@pytest.fixture(scope="session")
def address(browser: Browser, notebooks: Path, scratch: Path) -> Iterator[str]:
    """The address of a throw-away JupyterLab."""
    with serve(notebooks, scratch) as address:
        yield address


@pytest.fixture(scope="module")
def lab(browser: Browser, address: str) -> Iterator[Lab]:
    """A page for the tests of one file; in the end nothing went wrong or left the machine."""
    lab = Lab(browser, address, reduced_motion="reduce")
    yield lab
    lab.context.close()
    assert lab.outside == []
    assert lab.errors == []
