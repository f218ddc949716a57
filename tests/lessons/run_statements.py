"""Run statements one after another and tell what each prints: on minigrad, or on MindSpore.

    python tests/lessons/run_statements.py < statements.json > told.json

Reads a JSON list of sources, which share their names, and writes a JSON list: for each the text
that it printed, and the class and the first line of the error that stopped it.
"""

import contextlib
import io
import json
import linecache
import sys


def run(statements: list[str]) -> list[str]:
    names: dict = {"__name__": "__main__"}
    told = []
    for number, source in enumerate(statements):
        file = f"<statement {number}>"  # some transforms of MindSpore read the source
        linecache.cache[file] = len(source), None, source.splitlines(True), file
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(source, file, "exec"), names)
            except Exception as error:
                first, *_ = [*str(error).strip().splitlines(), ""]
                print(f"{type(error).__name__}: {first}")
        told.append(printed.getvalue())
    return told


if __name__ == "__main__":
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # whatever an import may print
        told = run(json.load(sys.stdin))
    json.dump(told, out)
