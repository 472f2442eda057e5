"""Matches by hand on the command line: options of `errorflow compare`."""

from argparse import Namespace, _ArgumentGroup
from pathlib import Path


def add_pairs(group: _ArgumentGroup) -> None:
    # Of a session, whose names need not be such as can be typed.
    group.set_defaults(hand_pairs=())
    group.add_argument(
        "--pair",
        action="append",
        default=[],
        metavar="CANDIDATE=REFERENCE",
        help="match these two tensors by hand; CANDIDATE= or =REFERENCE parts a pair; repeatable",
    )
    group.add_argument("--pairs", metavar="FILE", default="", help="a CSV of such pairs: candidate,reference")


def pair_option(candidate: str, reference: str) -> str:
    """The option for a pair; "": it has names that cannot be typed."""
    from errorflow.compare.match.by_hand import parse_pair

    text = f"{candidate}={reference}"
    return f"--pair={text}" if parse_pair(text) == (candidate, reference) else ""


def check_pairs(options: Namespace) -> None:
    """Refuses what is no pair before anything is run."""
    wanted_pairs(options)


def wanted_pairs(options: Namespace) -> list[tuple[str, str]]:
    from errorflow.compare.match.by_hand import parse_pair, read_pairs

    table = read_pairs(Path(options.pairs)) if options.pairs else ()
    return [*options.hand_pairs, *table, *map(parse_pair, options.pair)]
