"""`errorflow count MODEL`: how many nodes of each type a model has."""

from argparse import ArgumentParser, Namespace

from errorflow.cli.command import Command


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a model")


def _run(options: Namespace) -> int:
    from collections import Counter

    from errorflow.formats import read_model

    for kind, count in Counter(read_model(options.model).graph.op_types).most_common():
        print(f"{kind}: {count:,}")
    return 0


COUNT = Command("count", "Count the nodes of a model by their types.", _arguments, _run)
