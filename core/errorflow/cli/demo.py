"""`errorflow demo`: what the app can do, done to its own sample without a window; pictures and tables as files."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from errorflow.cli.command import Command
from errorflow.cli.render import PALETTES


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--out", metavar="DIR", default="demo", help="where the results go (default: ./demo)")
    parser.add_argument("--palette", choices=PALETTES, default="ember", help="colours of error (default: ember)")


def _run(options: Namespace) -> int:
    from errorflow.case.session.model import Painting
    from errorflow.report.demo import demo

    folder = Path(options.out)
    for line in demo(folder, painting=Painting(palette=options.palette)):
        print(line)
    print(f"\nOpen {folder / 'index.html'} in a browser; the tables are beside it.")
    return 0


DEMO = Command(
    "demo", "Run the built-in sample: graphs painted by error, tables, and a page that shows them.", _arguments, _run
)
