"""Lay working copies of the lessons, restore one, or grade what students handed in."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from .copies import lay, restore
from .grade import grade


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser("python -m minigrad_widgets.lesson", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    words = "lay a working copy of every lesson; what you have written in stays as it is"
    copy = commands.add_parser("copy", help=words, description=words)
    copy.add_argument("folder", type=Path, help="where; it is made if need be")

    copy.add_argument(
        "--no-solutions",
        action="store_true",
        help="leave out the cells that open solutions; such copies stay so",
    )

    words = "restore a lesson as it came, and forget what was done of it; your file is kept beside"
    reset = commands.add_parser("reset", help=words, description=words)
    reset.add_argument("number", help="of the lesson, such as 02")
    reset.add_argument("folder", type=Path, nargs="?", default=Path(), help="here, if left out")

    words = "run every check on the notebooks below a folder, and write what came of it as CSV"
    grades = commands.add_parser("grade", help=words, description=words)
    grades.add_argument("folder", type=Path, help="with the notebooks; a folder for each student")
    grades.add_argument("--out", type=Path, default=Path("grades.csv"), help="%(default)s")
    grades.add_argument(
        "--limit",
        type=float,
        default=120,
        help="seconds for a notebook, %(default)s; a cell or check gets a third of them",
    )
    grades.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="how many at once, %(default)s"
    )

    options = parser.parse_args(arguments)
    try:
        if options.command == "copy":
            lines = lay(options.folder, not options.no_solutions)
        elif options.command == "reset":
            lines = restore(options.number, options.folder)
        else:
            lines = grade(options.folder, options.out, options.limit, options.jobs)
        for line in lines:
            print(line, flush=True)
    except (OSError, ValueError) as error:
        print(f"{parser.prog} {options.command}: {error}", file=sys.stderr)
        return 1
    if options.command == "grade":
        print(f"written to {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
