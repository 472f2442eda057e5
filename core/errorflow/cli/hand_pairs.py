"""Matches by hand on the command line: options of `errorflow compare`."""

from argparse import Namespace, _ArgumentGroup
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errorflow.match.plan import Plan


def add_pairs(group: _ArgumentGroup) -> None:
    group.add_argument(
        "--pair",
        action="append",
        default=[],
        metavar="CANDIDATE=REFERENCE",
        help="match these two tensors by hand; CANDIDATE= or =REFERENCE parts a pair; repeatable",
    )
    group.add_argument("--pairs", metavar="FILE", default="", help="a CSV of such pairs: candidate,reference")


def with_pairs(options: Namespace, planned: "Plan") -> "Plan":
    """The plan with what the call brings together by hand: the file first, then the options."""
    from errorflow.match.by_hand import parse_pair, read_pairs, with_hand_pairs

    wanted = [*(read_pairs(Path(options.pairs)) if options.pairs else ()), *map(parse_pair, options.pair)]
    return replace(planned, match=with_hand_pairs(planned.match, wanted)) if wanted else planned
