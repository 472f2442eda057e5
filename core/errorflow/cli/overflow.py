"""`errorflow overflow -d DIR -out DIR`: which operators overflowed on the NPU."""

import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

from errorflow.base.errors import FileError
from errorflow.base.files import write_atomic
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter
from errorflow.cli.tool_exit import with_tool_codes


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-d", "--dump_path", metavar="DIR", required=True, help="the folder with the dumps")
    parser.add_argument("-out", "--output", metavar="DIR", required=True, help="where to write")
    parser.add_argument(
        "-n", "--top_n", type=int, choices=(1, 2, 3, 4, 5), default=1, help="how many, the first first (default: 1)"
    )


def _run(options: Namespace) -> int:
    from errorflow.report.overflow_text import analyse

    folder, out = Path(options.dump_path), Path(options.output)
    if not folder.is_dir():
        raise FileError(f"There is no folder {folder}.", "Name the folder that the dumps lie in.")
    with Meter() as meter:
        made = analyse(folder.resolve(), out, options.top_n, meter)
    for name, error in made.failures:
        print(f"errorflow: {name}: {error.message}\n{error.hint}", file=sys.stderr)
    if not made.found:
        print(f"No overflow is recorded in {folder}.")
    elif made.text:
        path = out / f"overflow_summary_{time.strftime('%Y%m%d%H%M%S')}.txt"
        write_atomic(path, made.text, follow=False)
        print(f"{made.text}{made.found:,} recorded, written to {path}.")
    return made.code


OVERFLOW = Command(
    "overflow", "Say which operators overflowed on the NPU, and what they held.", _arguments, with_tool_codes(_run)
)
