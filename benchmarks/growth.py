"""How the cost grows with the size of the work: it should be in proportion, and is drawn so.

    python benchmarks/growth.py          measures for about five minutes, prints, writes growth.json
    python benchmarks/growth.py --draw   and draws docs/pictures/growth.svg (needs matplotlib)

Three sizes: the ops of a chain, the samples of a batch, the boxes of a picture. For each the least
processor time of a few runs, and that by its size: a number that should stay, or fall, as it grows.
"""

import json
import os
import sys
from pathlib import Path
from time import process_time

from measure import ONE_THREAD

os.environ.update(ONE_THREAD)  # before numpy is loaded

import chain  # numpy must see one thread
import mlp  # as above
import numpy as np  # as above

RESULTS = Path(__file__).with_name("growth.json")
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "growth.svg"
SIZES = {
    "ops in a chain": (100, 1000, 10_000, 100_000, 1_000_000),
    "samples in a batch": (1, 4, 16, 64, 256, 1024, 4096),
    "boxes in a picture": (10, 30, 100, 300, 1000, 2000),
}


def steps(kind, size):
    """What is timed at a size: minigrad, and hand-written numpy where there is such a thing."""
    if kind == "ops in a chain":
        inputs = chain.inputs(ops=size)
        return {"minigrad": chain.with_minigrad(**inputs), "by hand": chain.by_hand(**inputs)}
    if kind == "samples in a batch":
        inputs = mlp.inputs(samples=size)
        return {"minigrad": mlp.with_minigrad(**inputs), "by hand": mlp.by_hand(**inputs)}
    return {"minigrad": _picture(size)}


def _picture(boxes):
    from minigrad import Tensor, ops
    from minigrad_widgets import show_graph

    def fn(x):
        for _ in range(boxes - 1):
            x = ops.sin(x)
        return x

    x = Tensor(np.float32(0.5))
    return lambda: show_graph(fn, x).to_svg()


def seconds(step):
    """The least processor time of a step: of twenty runs, or of as many as take two seconds."""
    step()
    runs = []
    while len(runs) < 2 or (len(runs) < 20 and sum(runs) < 2):
        start = process_time()
        step()
        runs.append(process_time() - start)
    return min(runs)


def measure():
    """For each kind of size, for each contender, the seconds at each size."""
    found = {}
    for kind, sizes in SIZES.items():
        found[kind] = {}
        for size in sizes:
            for name, step in steps(kind, size).items():
                found[kind].setdefault(name, []).append(seconds(step))
            latest = {name: f"{1e6 * times[-1] / size:.3g}" for name, times in found[kind].items()}
            print(f"{size:>9,} {kind}: microseconds for each {latest}", flush=True)
    return found


def draw(found):
    """The three plots: each axis logarithmic, and a dashed line for a cost in proportion."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams.update({"svg.hashsalt": "minigrad", "font.size": 9})
    figure, axes = pyplot.subplots(1, len(SIZES), figsize=(9, 3), layout="constrained")
    for axis, (kind, sizes) in zip(axes, SIZES.items(), strict=True):
        for (name, times), style in zip(found[kind].items(), ("o-", "s-"), strict=False):
            color = {"minigrad": "#6d28d9", "by hand": "#5b6470"}[name]
            axis.loglog(sizes, times, style, color=color, markersize=4, label=name)
        last = found[kind]["minigrad"][-1]
        line = [last * size / sizes[-1] for size in sizes]
        axis.loglog(sizes, line, "--", color="#b0b7bf", zorder=0, label="in proportion")
        axis.set_xlabel(kind)
    axes[0].set_ylabel("seconds of processor time")
    axes[0].legend(frameon=False)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(PICTURE, metadata={"Date": None})


def main():
    found = measure()
    RESULTS.write_text(json.dumps({"sizes": SIZES, "seconds": found}, indent=1) + "\n", "utf-8")
    if "--draw" in sys.argv:
        draw(found)


if __name__ == "__main__":
    main()
