"""`errorflow report SESSION -o report.html`: what a session found, as one file that anybody can open."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from errorflow.cli.command import Command

EXAMPLES = """\
examples:
  errorflow report case.errorflow -o case.html                one page: graph, verdict, tables, plots
  errorflow report case.errorflow -o case.html --title "Build 412 on the board"
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument("session", metavar="SESSION", help="a session that the window saved: case.errorflow")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="where to write it: a name in .html")
    parser.add_argument("--title", default="", metavar="TEXT", help="what stands above it (default: the model's name)")


def _run(options: Namespace) -> int:
    from errorflow.cli.meter import Meter
    from errorflow.cli.plain import plain
    from errorflow.errors import FileError, UsageError
    from errorflow.report.html.writing import write_report
    from errorflow.session.file import read_session

    output = Path(options.output)
    if output.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"A report cannot be written as {output.suffix or output.name}.", "Name it report.html.")
    if not output.parent.is_dir():  # said before all the work, not after it
        raise FileError(f"There is no folder {output.parent}.", "Make it, or write the report to another one.")
    opened = read_session(Path(options.session))
    with Meter() as meter:
        said = write_report(opened.session, output, options.title, meter)
    print(plain(said))
    for problem in opened.problems:
        print(plain(f"! {problem}"))
    return 0


REPORT = Command("report", "Write what a session found as one HTML page that needs nothing else.", _arguments, _run)
