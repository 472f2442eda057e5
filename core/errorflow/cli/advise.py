"""`errorflow advise -i RESULT.csv`: what msaccucmp's advisor says of a result table."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from errorflow.base.errors import FileError
from errorflow.base.files import write_atomic
from errorflow.cli.command import Command

SUMMARY = "advisor_summary.txt"


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-i", "--input_file", metavar="CSV", required=True, help="the table that compare wrote")
    parser.add_argument(
        "-input_nodes", metavar="A;B", default="", help="the operators that the inputs of the network come from"
    )
    parser.add_argument("-o", "--out_path", metavar="DIR", default="", help=f"where to write {SUMMARY}")


def _run(options: Namespace) -> int:
    from errorflow.report.advice import AdviceError, advise, parse_nodes

    try:
        advice = advise(Path(options.input_file), parse_nodes(options.input_nodes))
    except AdviceError as error:
        print(f"errorflow: {error.message}\n{error.hint}", file=sys.stderr)
        return error.code
    print(advice.summary, end="")
    if options.out_path:
        print(f"Written to {write_advice(Path(options.out_path), advice.summary)}.")
    return 0


def write_advice(folder: Path, summary: str) -> Path:
    """The summary in that folder, which is made if need be."""

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {folder} could not be made.", "Choose another one with -o.") from error
    path = folder / SUMMARY
    write_atomic(path, summary, follow=False)
    return path


ADVISE = Command("advise", "Say what a result table of msaccucmp points at, as its advisor does.", _arguments, _run)
