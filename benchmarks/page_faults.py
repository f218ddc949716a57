"""What getting memory costs: the same steps in two processes, one of which gives none back.

    python benchmarks/page_faults.py     prints a table in about a minute, writes page_faults.json

An array that is freed may go back to the system, and the next one of its size is got anew, page by
page: a page fault each. Whether that happens depends on which array lies last in memory, so it
can double the time of one program and not touch another that does the same. On Linux with the GNU C
library two environment variables keep the memory.
"""

import json
import os
import statistics
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from time import process_time

from measure import BY_HAND, ONE_THREAD, step_of

RESULTS = Path(__file__).with_name("page_faults.json")
WORKLOADS = ("mlp", "cnn", "large_array")
CONTENDERS = (BY_HAND, "minigrad", "minigrad_jit")
ALL = str(2**32)
KEEP = {"MALLOC_MMAP_THRESHOLD_": ALL, "MALLOC_TRIM_THRESHOLD_": ALL}


def here(workload, contender, steps):
    """In this process: the milliseconds of a step, the median, and the page faults of a step."""
    import resource

    step = step_of(import_module(workload), contender)
    for _ in range(10):
        step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    times = []
    for _ in range(steps):
        start = process_time()
        step()
        times.append(process_time() - start)
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    return 1000 * statistics.median(times), faults / steps


def in_a_process(workload, contender, keep, steps=200):
    """The same in a fresh process, which keeps its memory or not."""
    environment = os.environ | ONE_THREAD | (KEEP if keep else {})
    command = [sys.executable, __file__, workload, contender, str(steps)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main():
    """Print and write the table; with arguments, measure here."""
    if len(sys.argv) > 1:
        workload, contender, steps = sys.argv[1:]
        print(json.dumps(here(workload, contender, int(steps))))
        return
    found = {}
    print(f"{'':26}{'as it is: ms':>14}{'faults':>8}{'kept: ms':>12}{'faults':>8}")
    for workload in WORKLOADS:
        for contender in CONTENDERS:
            rows = [in_a_process(workload, contender, keep) for keep in (False, True)]
            found.setdefault(workload, {})[contender] = rows
            (a, b), (c, d) = rows
            print(f"{workload:12}{contender:14}{a:>14.2f}{b:>8.0f}{c:>12.2f}{d:>8.0f}", flush=True)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
