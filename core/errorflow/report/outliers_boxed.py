"""The outlier table as Pulsar2 prints it, which its users and their scripts know."""

from collections.abc import Iterator, Sequence

import numpy as np

from errorflow.explain.outliers.levels import LEVELS
from errorflow.explain.outliers.model import Outliers, OutlierTable

TITLE = "Ratio of outliers in tensor【 level=Log(Max_Pertensor/Max_Perchannel) 】"
HEAD = ("Op outputs", "Sparse channel ratio", *(f"level>={level} ratio" for level in LEVELS))
# They part the cells, so no name may hold one.
_BARS = str.maketrans("┃│", "¦¦")


def outliers_boxed(table: OutlierTable) -> str:
    """A row per tensor in the order of running, names in full; ends with a line break."""
    rows = [_cells(row) for row in table.rows]
    widths = [max(map(len, column)) for column in zip(HEAD, *rows, strict=True)]
    return "\n".join([*_lines(rows, widths), ""])


def _lines(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    whole = sum(widths) + 3 * len(widths) + 1
    yield TITLE.center(whole).rstrip()
    yield _rule(("┏", "┳", "┓"), "━", widths)
    yield _row("┃", HEAD, widths)
    yield _rule(("┡", "╇", "┩"), "━", widths)
    for number, row in enumerate(rows):
        if number:
            yield _rule(("├", "┼", "┤"), "─", widths)
        yield _row("│", row, widths)
    yield _rule(("└", "┴", "┘"), "─", widths)


def _cells(row: Outliers) -> tuple[str, ...]:
    name = "".join(letter if letter.isprintable() else " " for letter in row.tensor).translate(_BARS)
    return name, _ratio(row.sparse), *(_ratio(row.share(level)) for level in LEVELS)


def _ratio(share: float) -> str:
    """Pulsar2 counts in float32."""
    return repr(float(np.float32(share)))


def _rule(corners: tuple[str, str, str], line: str, widths: Sequence[int]) -> str:
    left, middle, right = corners
    return left + middle.join(line * (width + 2) for width in widths) + right


def _row(bar: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"{bar} {f' {bar} '.join(padded)} {bar}"
