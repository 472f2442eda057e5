"""Target that a user types, such as `top1>=0.9`."""

import math
import re

from errorflow.base.errors import UsageError
from errorflow.base.values import dataclass
from errorflow.study.evaluate.model import AcceptRule, Kind

_TARGET = re.compile(r"\s*(?P<measure>[A-Za-z_][\w-]*)?\s*(?P<sign>>=|<=|=>|=<|≥|≤|>|<)\s*(?P<number>\S+)\s*")
_UP = frozenset((">=", "=>", ">", "≥"))
_WRITE = 'Write --target "top1>=0.9", --target "relative_l2<=0.05", or --max-drop 0.01.'


@dataclass(frozen=True, slots=True)
class Target:
    """`measure`: "" where only a number was given; `up`: whether it is a least value."""

    measure: str
    rule: AcceptRule
    up: bool


def parse_target(text: str) -> Target:
    found = _TARGET.fullmatch(text)
    if found is None:
        raise UsageError(f"“{text[:60]}” is no target.", _WRITE)
    measure = found["measure"]
    return Target(
        "" if measure is None else measure.lower(), AcceptRule("bound", _number(found["number"])), found["sign"] in _UP
    )


def parse_drop(text: str) -> AcceptRule:
    """`0.01` is a drop by so much; `1%` by a share of the original."""
    kind: Kind = "relative" if text.strip().endswith("%") else "drop"
    number = _number(text.strip().removesuffix("%"))
    if number < 0:
        raise UsageError("A drop is not below zero.", _WRITE)
    return AcceptRule(kind, number / 100 if kind == "relative" else number)


def _number(text: str) -> float:
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"“{text[:40]}” is no number.", _WRITE)
    return number
