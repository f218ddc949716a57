"""Record in `signatures.json` how MindSpore's functions of `ops` name their arguments.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 1.26.4 and Python 3.11. It is run by hand, in
an environment of its own that has MindSpore, when functions are added:

    python tests/data/record_signatures.py

A function that does not tell, or takes `*args` for all, is left out.
"""

import inspect
import json
from pathlib import Path

from mindspore import ops


def names(function):
    """The names of its arguments, or None."""
    try:
        found = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    return None if found in (["args", "kwargs"], ["args"]) else found


if __name__ == "__main__":
    functions = {n: f for n, f in vars(ops).items() if n[0] != "_" and callable(f)}
    found = {n: names(f) for n, f in sorted(functions.items()) if not inspect.isclass(f)}
    text = ",\n".join(f"{json.dumps(n)}: {json.dumps(args)}" for n, args in found.items() if args)
    Path(__file__).with_name("signatures.json").write_text(f"{{\n{text}\n}}\n")
