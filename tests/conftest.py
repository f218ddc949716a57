"""What every test stands on: nothing of the person's own machine, and no clock."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import hypothesis
import pytest

from minigrad import Parameter, Tensor

# A slow machine is no fault of the code. CI draws the same examples each time, so that a red run
# can be repeated.
hypothesis.settings.register_profile("anywhere", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") == "true" else "anywhere")


def pytest_configure(config):
    """Give what tests start an empty profile, signatures of its own, and no student's progress."""
    profile = tempfile.TemporaryDirectory(prefix="minigrad-ipython-", ignore_cleanup_errors=True)
    config.add_cleanup(profile.cleanup)
    os.environ["IPYTHONDIR"] = profile.name
    os.environ["JUPYTER_DATA_DIR"] = profile.name
    os.environ["MINIGRAD_PROGRESS"] = "off"


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site of two lessons, as its command makes it."""
    out = tmp_path_factory.mktemp("site")
    script = Path(__file__).parents[1] / "lessons" / "source" / "make_site.py"
    subprocess.run([sys.executable, script, "02", "06", "--out", out], check=True)
    return out


@pytest.fixture
def p():
    return Parameter(Tensor([1.0, 2.0]), name="p")


@pytest.fixture
def q():
    return Parameter(Tensor([3.0, 5.0]), name="q")
