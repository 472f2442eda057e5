"""`errorflow report SESSION -o FILE`: what a session found, as a page, a document, tables, a picture or a ticket."""

from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import Progress, WrongFileError
from errorflow.base.files import is_file
from errorflow.base.language import ENGLISH, LANGUAGES, use
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter, plain
from errorflow.cli.render import scale_of
from errorflow.cli.ticket import EXAMPLES as TICKETS
from errorflow.cli.ticket import SUFFIX as TICKET
from errorflow.cli.ticket import add_ticket, write_ticket

if TYPE_CHECKING:
    from errorflow.report.content import Content

EXAMPLES = f"""\
examples:
  errorflow report case.errorflow -o case.html                one page: graph, verdict, tables, plots
  errorflow report case.errorflow -o case.pdf                 the same to print, with page numbers and bookmarks
  errorflow report case.errorflow -o case.csv                 all nodes; case-tensors.csv has all tensors
  errorflow report case.errorflow -o case.png --scale 3       the painted graph with its legend; .svg too
  errorflow report case.errorflow -o case.html --title "Build 412 on the board"
{TICKETS}"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument(
        "session", metavar="SESSION", help="a session that the window saved: case.errorflow; or a ticket bundle"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="where to write it: a name in .html, .pdf, .csv, .svg, .png or .zip",
    )
    parser.add_argument("--title", default="", metavar="TEXT", help="what stands above it (default: the model's name)")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="colours of .svg and .png")
    parser.add_argument("--scale", type=scale_of, metavar="S", help="of .svg and .png: pixels per unit of the drawing")
    keys = [each.key for each in LANGUAGES]
    parser.add_argument("--language", choices=keys, default=ENGLISH.key, help="what it speaks (.csv stays English)")
    add_ticket(parser)


def _run(options: Namespace) -> int:
    from errorflow.report.session_files import ReportRequest, check, write_report

    use(options.language)
    source, output = Path(options.session), Path(options.output)
    _check_source(source)
    check(output, TICKET)
    if output.suffix.lower() == TICKET:
        return write_ticket(options, source, output)
    problems: list[str] = []
    content = partial(_content, source, options.title, problems)
    with Meter() as meter:
        said = write_report(ReportRequest(source, content, output, options.title, options.theme, options.scale), meter)
    print(plain("\n".join((said, *(f"! {problem}" for problem in problems)))))
    return 0


def _check_source(source: Path) -> None:
    """A picture could be made of a model too, which would be no report."""
    from errorflow.report.bundle.archive import is_bundle
    from errorflow.report.session_files import SUFFIXES

    if is_file(source) and source.suffix.lower() not in SUFFIXES and not is_bundle(source):
        raise WrongFileError(
            f"{source.name} is no session and no ticket bundle.",
            "Give a file that ends with .errorflow or .zip; `errorflow render` draws a model.",
        )


def _content(source: Path, title: str, problems: list[str], progress: Progress) -> "Content":
    from errorflow.report.bundle.contents import content_in

    content, found = content_in(source, title, progress)
    problems.extend(found)
    return content


REPORT = Command(
    "report",
    "Write what a session found: a page that needs nothing else, a PDF, tables, the painted graph, or a ticket bundle.",
    _arguments,
    _run,
)
