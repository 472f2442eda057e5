"""Tables drawn with lines, as tools print them on a console: heavy or light boxes, or + - and |."""

from collections.abc import Iterator

from errorflow.base.values import dataclass

# What parts the cells of a line: of a head, of a body, and of tables in plain characters.
_BARS = "┃│|"
_RULES = frozenset("━─┏┓┗┛┡┩╇┳┻┠┨├┤┼┌┐└┘┬┴═╞╪╡╒╕╘╛╤╧+-=|:╭╮╰╯ ")


@dataclass(frozen=True, slots=True)
class Boxed:
    """`title` is the last line of text above it; `line` is where it begins, counted from 1."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    line: int


def tables(lines: list[str]) -> Iterator[Boxed]:
    """Every table among other output. A line between two rules may go on in the next line (`_merged`)."""
    title = ""
    block: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        text = line.strip()
        if _is_rule(text) or _is_row(text):
            block.append(text)
            continue
        if block:
            yield from _table(title, block, number - len(block))
            block, title = [], ""
        if text:
            title = text


def _is_rule(text: str) -> bool:
    return len(text) > 2 and text[0] in "┏┡┗├└┠╞╘╒┌+|-╭╰" and set(text) <= _RULES


def _is_row(text: str) -> bool:
    return len(text) > 1 and text[0] in _BARS and text[-1] in _BARS


def _table(title: str, block: list[str], line: int) -> Iterator[Boxed]:
    """The head ends at the first rule; where a body has rules between its rows, they say what belongs together."""
    groups: list[list[tuple[str, ...]]] = [[]]
    for text in block:
        if _is_rule(text):
            groups.append([])
        else:
            groups[-1].append(_cells(text))
    filled = [group for group in groups if group]
    if not filled:
        return
    header = _merged(filled[0])
    ruled = len(filled) > 2
    body = [_merged(group) for group in filled[1:]] if ruled and _continues(filled[1:]) else _flat(filled[1:])
    yield Boxed(title, header, tuple(body), line)


def _flat(groups: list[list[tuple[str, ...]]]) -> list[tuple[str, ...]]:
    return [row for group in groups for row in group]


def _continues(groups: list[list[tuple[str, ...]]]) -> bool:
    """Whether some group holds one row over several lines: its later lines leave cells empty that the first has."""
    return any(len(group) > 1 and all(not row[-1] for row in group[1:]) for group in groups)


def _merged(group: list[tuple[str, ...]]) -> tuple[str, ...]:
    width = max(map(len, group))
    padded = [(*row, *("",) * (width - len(row))) for row in group]
    return tuple(" ".join(cell for cell in column if cell) for column in zip(*padded, strict=True))


def _cells(text: str) -> tuple[str, ...]:
    bar = text[0]
    other = "│" if bar == "┃" else "┃"
    return tuple(cell.strip() for cell in text.replace(other, bar)[1:-1].split(bar))
