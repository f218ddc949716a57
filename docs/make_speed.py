"""Put what was measured into docs/speed.md: its tables are made from docs/measured.json.

python docs/make_speed.py          writes the tables
python docs/make_speed.py --take   first takes what `make bench`, `benchmarks/memory.py` and
                                   `benchmarks/growth.py` have measured last
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
BENCHMARKS = DOCS.parent / "benchmarks"
MEASURED = DOCS / "measured.json"
TARGET = DOCS / "speed.md"

WORK = {
    "chain": "chain of 300 ops on 8 numbers",
    "mlp": "training step, 784-256-256-10, 128 samples",
    "cnn": "training step, small CNN, 32 images",
    "large_array": "`sum(tanh(x w + b)²)`, 1000 × 1000",
    "scalars": "2,000 ops on single numbers",
    "logistic_hessian": "Hessian by 60 weights",
    "rnn": "tanh RNN, 100 steps",
}


def page() -> str:
    """The page with its tables as they should be."""
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    made = {
        "time": _time(measured),
        "memory": _memory(measured),
        "growth": _growth(measured),
        "faults": _faults(measured),
    }

    def table(piece: re.Match[str]) -> str:
        return f"<!-- {piece[1]} -->\n\n{made[piece[1]]}\n\n<!-- end -->"

    text = TARGET.read_text(encoding="utf-8")
    return re.sub(
        r"<!-- (time|memory|growth|faults) -->\n.*?<!-- end -->", table, text, flags=re.DOTALL
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _ratio(x: float | None) -> str:
    return "–" if x is None else f"{x:.0f}" if x >= 20 else f"{x:.2f}"


def _time(measured: dict[str, Any]) -> str:
    about = measured["about"]
    versions = ", ".join(f"{name} {v}" for name, v in about["versions"].items() if "_" not in name)
    rows = [
        f"{about['processor']}, {about['cores']} cores, {about['system']}; Python "
        f"{about['python']}, {versions}, {about['blas']}, one thread; {about['when'][:10]}.",
        "",
        _row("work", "by hand, ms", "eager", "goal", "jit", "goal", "HIPS autograd"),
        _row("---", *["---:"] * 6),
    ]
    for name, title in WORK.items():
        found = measured["time"][name]
        eager, jit = found["goals"]
        rows.append(
            _row(
                title,
                f"{found['by_hand_ms']:.2f}",
                _ratio(found["minigrad"]),
                _ratio(eager),
                _ratio(found.get("minigrad_jit")),
                _ratio(jit),
                _ratio(found.get("autograd")),
            )
        )
    return "\n".join(rows)


def _memory(measured: dict[str, Any]) -> str:
    rows = [_row("work", "by hand, kB", "eager", "jit"), _row("---", *["---:"] * 3)]
    for name, title in WORK.items():
        found = measured["memory"][name]
        by_hand = found["by_hand"]
        ratios = [found[n] / by_hand if n in found else None for n in ("minigrad", "minigrad_jit")]
        rows.append(_row(title, f"{by_hand / 1000:,.0f}", *map(_ratio, ratios)))
    return "\n".join(rows)


def _growth(measured: dict[str, Any]) -> str:
    rows = []
    for kind, sizes in measured["growth"]["sizes"].items():
        rows += [_row(kind, *(f"{n:,}" for n in sizes)), _row("---", *["---:"] * len(sizes))]
        for name, seconds in measured["growth"]["seconds"][kind].items():
            costs = [1e6 * t / n for t, n in zip(seconds, sizes, strict=True)]
            each = (f"{x:,.0f}" if x >= 100 else f"{x:.3g}" for x in costs)
            rows.append(_row(f"{name}, µs for each", *each))
        rows.append("")
    return "\n".join(rows[:-1])


def _faults(measured: dict[str, Any]) -> str:
    rows = [
        _row("", "as it is, ms", "page faults", "memory kept, ms", "page faults"),
        _row("---", *["---:"] * 4),
    ]
    for workload, found in measured["faults"].items():
        for contender, ((a, b), (c, d)) in found.items():
            name = f"{WORK[workload]}: {contender.replace('_', ' ')}"
            rows.append(_row(name, f"{a:.2f}", f"{b:,.0f}", f"{c:.2f}", f"{d:,.0f}"))
    return "\n".join(rows)


def take() -> None:
    """Take what was measured last, and measure memory, which is quick and the same everywhere."""
    sys.path.insert(0, str(BENCHMARKS))
    import memory
    from run import WORKLOADS

    results = json.loads((BENCHMARKS / "results.json").read_text(encoding="utf-8"))
    time = {}
    for name, found in results["workloads"].items():
        time[name] = {n: round(r["ratio"], 3) for n, r in found["ratios"].items() if n != "by_hand"}
        time[name]["goals"] = WORKLOADS[name].GOAL, getattr(WORKLOADS[name], "GOAL_JIT", None)
        time[name]["by_hand_ms"] = round(1000 * statistics.median(found["seconds"]["by_hand"]), 3)
    measured = {
        "about": results["about"],
        "time": time,
        "memory": memory.table(WORKLOADS),
        "growth": json.loads((BENCHMARKS / "growth.json").read_text(encoding="utf-8")),
        "faults": json.loads((BENCHMARKS / "page_faults.json").read_text(encoding="utf-8")),
    }
    MEASURED.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if "--take" in sys.argv:
        take()
    TARGET.write_text(page(), encoding="utf-8")
