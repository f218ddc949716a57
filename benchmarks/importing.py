"""Import in a fresh Python: of minigrad, and of numpy alone, which stands as the work by hand."""

import os
import subprocess
import sys

from measure import BY_HAND, ONE_THREAD, ratios, times

GOAL = 1.3
PROGRAM = "from time import process_time as t; start = t(); import {}; print(t() - start)"


def run(seconds):
    """Time both in turns. A first try, which does not count, leaves the compiled files."""
    found = times({BY_HAND: timer("numpy"), "minigrad": timer("minigrad")}, seconds)
    return {"faults": {}, "ratios": ratios(found), "seconds": found}


def timer(module):
    """What imports the module so often, each time in a new process, and says how long it took."""
    command = [sys.executable, "-c", PROGRAM.format(module)]
    environment = {**os.environ, **ONE_THREAD, "PYTHONDONTWRITEBYTECODE": ""}

    def time(repeats):
        runs = (subprocess.check_output(command, env=environment) for _ in range(repeats))
        return sum(map(float, runs))

    return time
