"""The most memory that a step takes: arrays and Python's objects, beyond what its inputs take.

    python benchmarks/memory.py      prints a table of ratios to hand-written numpy

What a program keeps between calls is counted as well, and what is loaded once is not. These are
counts, alike on every machine, so a test holds them.
"""

import gc
import tracemalloc

from measure import BY_HAND, step_of


def peak(workload, contender, **sizes):
    """The most bytes during a step, after two that make what is kept; beyond the inputs."""
    step_of(workload, contender, **sizes)()  # what is loaded once is no part of it
    inputs = workload.inputs(**sizes)
    prepare = workload.by_hand if contender == BY_HAND else getattr(workload, f"with_{contender}")
    tracemalloc.start()
    try:
        step = prepare(**inputs)
        own = tracemalloc.get_traced_memory()[0]
        for _ in range(2):
            step()
        gc.collect()  # recording leaves cycles
        tracemalloc.reset_peak()
        step()
        return tracemalloc.get_traced_memory()[1] - own
    finally:
        tracemalloc.stop()


def table(workloads):
    """For each workload the bytes by hand, and the others as ratios to it."""
    found = {}
    for name, workload in workloads.items():
        names = [n for n in ("minigrad", "minigrad_jit") if hasattr(workload, f"with_{n}")]
        found[name] = {n: peak(workload, n) for n in (BY_HAND, *names)}
    return found


def main():
    """Print the table."""
    from run import WORKLOADS

    print(f"{'':18}{'by hand, kB':>12}{'minigrad':>10}{'jit':>8}")
    for name, found in table(WORKLOADS).items():
        by_hand = found.pop(BY_HAND)
        ratios = "".join(
            f"{n / by_hand:>{w}.2f}" for n, w in zip(found.values(), (10, 8), strict=False)
        )
        print(f"{name:18}{by_hand / 1000:>12.0f}{ratios}")


if __name__ == "__main__":
    main()
