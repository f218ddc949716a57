"""Look for inputs of the property tests that lead to lines of the engine in a new order.

    python tests/fuzz.py --seconds 300                  every test of test_properties.py
    python tests/fuzz.py test_picking test_writing      some of them

The property tests draw examples at random. Here they are drawn from bytes, and what came of the
bytes is looked at: those that made the engine go from one line to another as none before are kept,
and are what later ones are changed from. An example that fails is shown, and its bytes with it.
"""

import argparse
import random
import sys
import time
import traceback
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENGINE = str(ROOT / "minigrad")
LONGEST = 1000  # bytes of an example


def tests():
    """The property tests by name."""
    import test_properties

    return {name: test for name, test in vars(test_properties).items() if _is_property(test)}


def _is_property(test):
    return hasattr(test, "hypothesis") and not getattr(test, "pytestmark", None)


class Steps:
    """The steps from line to line of the engine that were seen."""

    def __init__(self):
        self.seen, self.now = set(), set()

    def during(self, run, *args):
        """Run; whether a step was new, and the error, if there was one."""
        self.now = set()
        sys.settrace(self._enter)
        try:
            run(*args)
            error = None
        except Exception as failed:  # of any kind: it is what is looked for
            error = failed
        finally:
            sys.settrace(None)
        new = not self.now <= self.seen
        self.seen |= self.now
        return new, error

    def _enter(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(ENGINE):
            return None
        before = frame.f_lineno

        def line(frame, event, _):
            nonlocal before
            self.now.add((frame.f_code, before, frame.f_lineno))
            before = frame.f_lineno
            return line

        return line


def changed(parent, others, draw):
    """Bytes made from others: some replaced, put in, taken out, or the end of another."""
    child = bytearray(parent)
    for _ in range(draw.choice((1, 1, 2, 4, 8))):
        i = draw.randrange(len(child) + 1)
        match draw.randrange(5):
            case 0:
                child[i : i + 1] = draw.randbytes(1)
            case 1:
                child[i:i] = draw.randbytes(draw.randrange(1, 9))
            case 2:
                del child[i : i + draw.randrange(1, 9)]
            case 3:
                child[i:] = draw.choice(others)[i:]
            case 4:
                child[i : i + 4] = draw.choice((0, 1, 127, 128, 255)).to_bytes() * 4
    return bytes(child[:LONGEST])


def main():
    """Run until the time is over; status 1 if an example failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="of property tests; without, all")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    known = tests()
    if unknown := set(options.names) - known.keys():
        parser.error(
            f"no property test is called {', '.join(unknown)}; there are {', '.join(known)}"
        )
    draw, steps = random.Random(options.seed), Steps()
    names = options.names or sorted(known)
    kept = {name: [draw.randbytes(200)] for name in names}
    tried, failed = defaultdict(int), defaultdict(set)
    end, later = time.monotonic() + options.seconds, 0
    while time.monotonic() < end:
        name = draw.choice(names)
        parent = draw.choice(kept[name])
        bytes_ = changed(parent, kept[name], draw) if draw.random() < 0.9 else draw.randbytes(400)
        tried[name] += 1
        new, error = steps.during(known[name].hypothesis.fuzz_one_input, bytes_)
        if new:
            kept[name].append(bytes_)
            later += tried[name] > 100
        kind = error and (type(error), str(error).partition("\n")[0])
        if kind and kind not in failed[name]:
            failed[name].add(kind)
            print(f"{name}: {bytes_.hex()}")
            traceback.print_exception(error)
    found = sum(map(len, failed.values()))
    print(
        f"{sum(tried.values())} examples of {len(names)} tests, {len(steps.seen)} steps from line "
        f"to line, {later} examples with a new one after the first 100 of a test; {found} failed"
    )
    return bool(found)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    sys.exit(main())
