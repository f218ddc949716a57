"""Compare minigrad with hand-written numpy, and with other engines that are installed.

    python benchmarks/run.py             all, in about two minutes
    python benchmarks/run.py --quick     a few rounds: to see that it works
    python benchmarks/run.py chain mlp   some of the work

Prints a table of ratios to hand-written numpy, and writes all the numbers to a file. Ends with
status 1 if minigrad is wrong, and never because something was slow.
"""

import argparse
import json
import os
import platform
import statistics
import sys
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import chain
import cnn
import importing
import large_array
import logistic_hessian
import mlp
import numpy as np
import rnn
import scalars
from measure import BY_HAND, Contender, fault, peers, ratios, split_by_installed, times

MODULES = (chain, mlp, cnn, large_array, scalars, logistic_hessian, rnn)
WORKLOADS = {module.__name__: module for module in MODULES}
RESULTS = Path(__file__).with_name("results.json")


def main(arguments=None):
    options = _options(arguments)
    names, missing = split_by_installed(peers(WORKLOADS.values()))
    results = {"about": about(names, missing), "workloads": {}}
    print(heading(results["about"]), flush=True)
    for workload in (WORKLOADS[name] for name in options.workloads or WORKLOADS):
        result = run(workload, names, options.seconds)
        results["workloads"][workload.__name__] = result
        print(table(workload, result), flush=True)
    if not options.workloads:
        results["import"] = importing.run(options.seconds)
        print(table(importing, results["import"]), flush=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"\nAll the numbers: {options.out.name}")
    return int(any("minigrad" in r["faults"] for r in results["workloads"].values()))


def _options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", metavar="workload", help=", ".join(WORKLOADS))
    parser.add_argument(
        "--seconds", type=float, default=12.0, help="of timing for each workload (default: 12)"
    )
    parser.add_argument(
        "--quick", action="store_const", dest="seconds", const=1.0, help="the same as --seconds 1"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=RESULTS,
        help=f"a file for the results (default: {RESULTS.name})",
    )
    options = parser.parse_args(arguments)
    for name in options.workloads:
        if name not in WORKLOADS:
            parser.error(f"there is no workload {name}; there are {', '.join(WORKLOADS)}")
    return options


def run(workload, names, seconds):
    """Check the contenders of one workload, and time those that are right."""
    names = [BY_HAND, *(n for n in names if hasattr(workload, f"with_{n}"))]
    with ExitStack() as stack:
        contenders = {n: stack.enter_context(closing(Contender(workload, n))) for n in names}
        answers = {n: contender.results() for n, contender in contenders.items()}
        faults = {n: fault(answers[n], answers[BY_HAND]) for n in names}
        if faults[BY_HAND]:
            raise RuntimeError(f"{workload.__name__} by hand: {faults[BY_HAND]}")
        seconds_of_step = times({n: contenders[n].time for n in names if not faults[n]}, seconds)
    return {
        "faults": {n: found for n, found in faults.items() if found},
        "ratios": ratios(seconds_of_step),
        "seconds": seconds_of_step,
    }


# -------------------------------------------------------------------------------- what is printed
_ROW = "  {:12}{:>8}{:>18}{:>14}{:>11}"


def heading(about):
    """The lines above the table."""
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    machine = "{processor}, {cores} cores, {system}, load {load}".format(**about)
    return "\n".join(
        [
            machine,
            f"Python {about['python']}, {versions}; {about['blas']}, one thread",
            *(f"skipped: {name} (not installed)" for name in about["not_installed"]),
            "",
            "Processor time of a step, as a ratio to hand-written numpy in the same round.",
            _ROW.format("", "median", "middle half", "goal", "ms"),
        ]
    )


def table(workload, result):
    """The lines for one workload: each contender's ratio, its spread, the goal, milliseconds."""
    lines = ["", workload.__doc__.splitlines()[0]]
    for name, found in result["ratios"].items():
        goals = {"minigrad": workload.GOAL, "minigrad_jit": getattr(workload, "GOAL_JIT", None)}
        wanted, goal = goals.get(name), ""
        if wanted:
            goal = f"{wanted:.2f} {'met' if found['ratio'] <= wanted else 'missed'}"
        spread = "" if name == BY_HAND else f"{found['low']:.2f} to {found['high']:.2f}"
        milliseconds = 1000 * statistics.median(result["seconds"][name])
        cells = name.replace("_", " "), f"{found['ratio']:.2f}", spread, goal, f"{milliseconds:.3f}"
        lines.append(_ROW.format(*cells))
    lines += [f"  {name:12} not timed: {found}" for name, found in result["faults"].items()]
    return "\n".join(lines)


def about(names, missing):
    """The machine and the versions: what one must know to compare with another run."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else "unknown",
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in ("numpy", *names)},
        "blas": f"{blas['name']} {blas['version']}",
        "not_installed": missing,
    }


def _version(name):
    try:
        return version("minigrad-lessons" if name.startswith("minigrad") else name)
    except PackageNotFoundError:
        return "of this folder"


def _processor():
    """The name of the processor; Linux keeps it where platform does not look."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


if __name__ == "__main__":
    sys.exit(main())
