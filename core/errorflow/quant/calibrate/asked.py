"""Methods by what users call them."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from errorflow.base.errors import UsageError
from errorflow.quant.calibrate import METHODS
from errorflow.quant.calibrate.percentile import percentile
from errorflow.quant.calibrate.seen import Method

ALL = "all"
_PERCENTILE = re.compile(r"percentile-(\d{1,3}(?:\.\d{1,9})?)", re.ASCII)


def methods_of(words: Iterable[str]) -> tuple[Method, ...]:
    """Finds methods by keys, each of which may be several with commas between; `percentile-99.97` is one of any
    number.
    """
    keys = [key.strip() for word in words for key in word.split(",") if key.strip()]
    if ALL in keys:
        keys = [*(method.key for method in METHODS), *(key for key in keys if key != ALL)]
    found = [method_of(key) for key in keys]
    return tuple({method.key: method for method in found}.values())


def method_of(key: str) -> Method:
    known = {method.key: method for method in METHODS}
    if key in known:
        return known[key]
    number = _PERCENTILE.fullmatch(key)
    if number and 50 <= float(number[1]) <= 100:
        return percentile(float(number[1]), key)
    near = get_close_matches(key, known, 1)
    guess = f"Did you mean {near[0]}? " if near else ""
    raise UsageError(
        f"There is no calibration method “{key[:40]}”.",
        f"{guess}There are: {', '.join(known)}, and percentile-P with P from 50 to 100.",
    )
