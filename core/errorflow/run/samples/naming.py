"""The order of files that are numbered."""

import re

_NUMBER = re.compile(r"([0-9]{1,18})")


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key by which `2.npy` comes before `10.npy`."""
    parts = _NUMBER.split(name)
    return tuple((1, int(part), "") if place % 2 else (0, 0, part) for place, part in enumerate(parts))
