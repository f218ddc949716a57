"""A throw-away JupyterLab on this machine and a Chromium to look at it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from playwright.sync_api import Browser, Error, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE = 90_000  # ms that a slow machine may take for one thing


def find_chromium() -> str | None:
    """The Chromium to use: $CHROMIUM, one on the PATH, or the one that playwright installed."""
    given = os.environ.get("CHROMIUM")
    if given:
        return given
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found:
        return found
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


@contextmanager
def open_browser(executable: str) -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def serve(root: Path, scratch: Path, app: str = "jupyterlab") -> Iterator[str]:
    """JupyterLab on the notebooks of `root`, its own files in `scratch`; yields its address.

    `app` is "notebook" for Notebook 7.
    """
    owner = {"jupyterlab": "LabApp", "notebook": "JupyterNotebookApp"}[app]
    # No news from outside, and all cells of a notebook in the page, not just those in view.
    settings = {
        "apputils-extension/notification": '{"fetchNews": "false", "checkForUpdates": false}',
        "notebook-extension/tracker": '{"windowingMode": "none"}',
    }
    for name, text in settings.items():
        file = scratch / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    folders = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
    environment = os.environ | {f"JUPYTER_{k}": str(scratch / v) for k, v in folders.items()}
    environment |= {"IPYTHONDIR": str(scratch / "ipython"), "JUPYTER_PREFER_ENV_PATH": "1"}
    command = [
        sys.executable, "-m", app, "--no-browser", "--allow-root", "--ip=127.0.0.1",
        "--port=0", "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True",
        f"--ServerApp.root_dir={root}", f"--{owner}.expose_app_in_browser=True",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--ContentsManager.pre_save_hook=minigrad_widgets.saving.keep_pictures",
        "--LabApp.extension_manager=readonly", f"--{owner}.workspaces_dir={scratch / 'workspaces'}",
        f"--{owner}.user_settings_dir={scratch / 'settings'}",
    ]  # fmt: skip
    with started(command, environment, root) as address:
        yield address


@contextmanager
def started(command: list[str], environment: dict[str, str], folder: Path) -> Iterator[str]:
    """A server of this machine, in a folder; yields the address that it prints."""
    server = subprocess.Popen(
        command, env=environment, cwd=folder, text=True, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    log: list[str] = []
    address: list[str] = []
    told = threading.Event()

    def listen() -> None:
        for line in server.stdout or ():
            log.append(line)
            found = re.search(r"http://(127\.0\.0\.1|localhost):[1-9]\d*", line)
            if found and not address:
                address.append(found[0].replace("localhost", "127.0.0.1"))
                told.set()
        told.set()  # it ended: whoever waits must not wait on

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        told.wait(PATIENCE / 1000)
        if not address:
            raise RuntimeError(f"{command[2]} did not start:\n{''.join(log)}")
        yield address[0]
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
        listener.join(15)


def write_notebook(path: Path, *cells: str) -> Path:
    """A notebook of code cells, not yet run."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    nbformat.write(notebook, path)
    return path


class Watched:
    """A page, and what went wrong on it or left this machine."""

    def __init__(self, browser: Browser, **options: object) -> None:
        self.context = browser.new_context(
            **{"viewport": {"width": 1400, "height": 2600}, **options}
        )
        self.errors: list[str] = []
        self.outside: list[str] = []
        self._new_page()

    def _new_page(self) -> None:
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("pageerror", self._note_error)
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("websocket", lambda socket: self._note(socket.url))

    def _note_error(self, error: Error) -> None:
        """Note what was thrown, unless it is JupyterLab alone that throws, as it now and then does.

        A widget's script is loaded from a blob, and its frames say so.
        """
        stack = error.stack or ""
        if "blob:" in stack or not re.search("/static/(lab|notebook)/", stack):
            self.errors.append(f"{error.message}\n{stack}")

    def _note(self, url: str) -> None:
        if not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:", url):
            self.outside.append(url)


class Lab(Watched):
    """A page of JupyterLab with one notebook."""

    folder = "doc/tree"  # of a notebook's page

    def __init__(self, browser: Browser, address: str, **options: object) -> None:
        self.address = address
        super().__init__(browser, **options)

    def open(self, name: str) -> None:
        """Open a notebook and wait for its kernel."""
        if self.page.url != "about:blank":  # what it has under way is no fault
            self.page.close()
            self._new_page()
        self.page.goto(f"{self.address}/{self.folder}/{name}")
        self.page.wait_for_function(
            """() => {
                const panel = window.jupyterapp?.shell.currentWidget;
                const session = panel?.sessionContext;
                const kernel = session?.isReady && session.session?.kernel;
                return kernel && kernel.connectionStatus === 'connected';
            }"""
        )

    def command(self, name: str, **arguments: object) -> None:
        """Execute one of JupyterLab's commands and wait for its end."""
        execute = "([name, args]) => window.jupyterapp.commands.execute(name, args)"
        self.page.evaluate(execute, [name, arguments])

    def set_theme(self, light: bool) -> None:
        """Change to JupyterLab's light or dark theme."""
        self.command("apputils:change-theme", theme=f"JupyterLab {'Light' if light else 'Dark'}")
        self.page.locator(f"body[data-jp-theme-light='{str(light).lower()}']").wait_for(
            state="attached"
        )

    def run_all(self) -> None:
        """Run all cells; none may fail."""
        self.command("notebook:run-all-cells")
        failed = self.page.locator('[data-mime-type="application/vnd.jupyter.stderr"]')
        assert failed.count() == 0, failed.first.inner_text()

    def cell_count(self) -> int:
        """How many cells the notebook has."""
        return self.page.locator(".jp-Notebook .jp-Cell").count()

    def python(self, code: str) -> str:
        """Run code in the notebook's kernel and return what it prints."""
        return self.page.evaluate(
            """async code => {
                const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                const future = kernel.requestExecute({code});
                let out = '';
                future.onIOPub = message => {
                    if (message.header.msg_type === 'stream') out += message.content.text;
                    if (message.header.msg_type === 'error') out += message.content.evalue;
                };
                await future.done;
                return out.trim();
            }""",
            code,
        )

    def wait_for_python(self, expression: str, wanted: object) -> None:
        """Ask the kernel again and again until an expression has a value: messages take a while."""
        end = time.monotonic() + PATIENCE / 1000
        while (found := self.python(f"print({expression})")) != str(wanted):
            assert time.monotonic() < end, f"{expression} is {found}, not {wanted}"


class Notebook(Lab):
    """A page of Notebook 7 with one notebook."""

    folder = "notebooks"
