"""Who is right, and how long who takes, as a ratio to hand-written numpy.

A workload is a module: ``inputs()``, and for each contender a function that takes the inputs and
returns a ``step``. A step does the work once and returns ``(value, *gradients)``; if those are laid
out otherwise than by hand, ``step.read`` turns them round, outside of what is timed.

Every contender has a process of its own: in a shared one the arrays that one contender frees decide
how fast the next gets memory, which was seen to change a ratio from 0.5 to 1. The processes take
turns, and those whose turn it is not wait for a message. So two samples that are compared are
a moment apart, and the machine's moods hit both alike. What is measured is the time that the
processor spent on the process, not the time on the wall.
"""

import gc
import os
import random
import statistics
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from time import monotonic, process_time

import numpy as np

BY_HAND = "by_hand"
TOLERANCE = 1e-3  # float32, after hundreds of ops
CHECKED_STEPS = 3  # a training step that fails to change the weights differs in the second
FEWEST_ROUNDS, MOST_ROUNDS = 5, 101
SAMPLE = 0.02  # seconds

# The libraries that numpy multiplies matrices with read these once, when they are loaded.
LIBRARIES = ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "BLIS_NUM", "VECLIB_MAXIMUM")
ONE_THREAD = {f"{library}_THREADS": "1" for library in LIBRARIES}


def peers(workloads):
    """The names of the contenders that any of the workloads has, but for hand-written numpy."""
    names = [n.removeprefix("with_") for w in workloads for n in vars(w) if n.startswith("with_")]
    return list(dict.fromkeys(names))


def split_by_installed(names):
    """The peers that can be imported, and the others."""
    installed = [n for n in names if find_spec(n.removesuffix("_jit")) is not None]
    return installed, [n for n in names if n not in installed]


# ---------------------------------------------------------------------------- a process for each
class Contender:
    """One contender at one workload, in a process that does what it is told and otherwise waits."""

    def __init__(self, workload, name):
        os.environ.update(ONE_THREAD)
        context = get_context("spawn")  # a fresh Python on every system, nothing inherited
        self.pipe, end = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(end, workload.__name__, name), daemon=True
        )
        self.process.start()
        end.close()  # so that the pipe breaks if the process dies

    def results(self):
        """What the first steps return, or the error that came instead, as text."""
        return self._ask("results")

    def time(self, repeats):
        """The seconds that the processor takes to run the step so often."""
        return self._ask(repeats)

    def close(self):
        """End the process."""
        self.pipe.close()
        self.process.join()

    def _ask(self, question):
        self.pipe.send(question)
        return self.pipe.recv()


def _serve(pipe, workload, name):
    step = None
    while True:
        try:
            question = pipe.recv()
        except EOFError:  # the other end is closed
            return
        try:
            step = step or step_of(import_module(workload), name)
            answer = first_results(step) if question == "results" else _time(step, question)
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        pipe.send(answer)


def step_of(workload, name, **sizes):
    """A contender's step, ready to run; ``sizes`` are handed to the workload's ``inputs``."""
    prepare = workload.by_hand if name == BY_HAND else getattr(workload, f"with_{name}")
    return prepare(**workload.inputs(**sizes))


def first_results(step):
    """What the first steps return, as arrays of their own: later steps may write into them."""
    read = getattr(step, "read", tuple)
    return [[np.array(r) for r in read(step())] for _ in range(CHECKED_STEPS)]


def _time(step, repeats):
    gc.collect()
    start = process_time()
    for _ in range(repeats):
        step()
    return process_time() - start


# ------------------------------------------------------------------------------- what they answer
def fault(got, expected):
    """What is wrong with a contender's results, or None: each array is compared for itself."""
    if isinstance(got, str):
        return got
    for n, (arrays, others) in enumerate(zip(got, expected, strict=True), 1):
        shapes, wanted = [[a.shape for a in each] for each in (arrays, others)]
        if shapes != wanted:
            return f"step {n}: the shapes should be {wanted}, but are {shapes}"
        for i, (a, b) in enumerate(zip(arrays, others, strict=True)):
            off = np.max(np.abs(a - b.astype(float))) / max(np.max(np.abs(b)), 1e-30)
            if not off <= TOLERANCE:  # nan is not
                return f"step {n}: {f'gradient {i}' if i else 'the value'} is off by {off:.1e}"
    return None


def times(timers, seconds, clock=monotonic):
    """The seconds that a step takes: for each of ``{name: timer}`` a list, one number a round.

    A timer is told how often to run its step and says how many seconds that took. A round asks each
    once, in a new order, for about SAMPLE seconds. Rounds go on until ``seconds`` are over.
    """
    repeats = {name: _repeats(timer) for name, timer in timers.items()}
    found = {name: [] for name in timers}
    end = clock() + seconds
    for n in range(MOST_ROUNDS):
        if n >= FEWEST_ROUNDS and clock() >= end:
            break
        for name in random.sample(list(timers), len(timers)):
            found[name].append(timers[name](repeats[name]) / repeats[name])
    return found


def _repeats(timer):
    """How often to run a step so that it takes about SAMPLE seconds. Finding out warms it up."""
    repeats = 1
    while (taken := timer(repeats)) < SAMPLE / 2:
        repeats *= 2
    return max(1, round(repeats * SAMPLE / taken))


def ratios(times):
    """Each contender's ratio to hand-written numpy in the same round: median and quartiles."""
    found = {}
    for name, samples in times.items():
        pairs = [t / by_hand for t, by_hand in zip(samples, times[BY_HAND], strict=True)]
        low, median, high = statistics.quantiles(pairs, n=4, method="inclusive")
        found[name] = {"ratio": median, "low": low, "high": high}
    return found
