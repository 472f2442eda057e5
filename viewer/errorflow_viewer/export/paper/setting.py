"""Blocks of a report as rows."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from errorflow.report.paper.blocks import Block, Bullets, Finding, Grid, Heading, Node, Pairs, Plot, Sheet, Words
from errorflow_viewer.export.paper.ink import (
    APART,
    BODY,
    CHAPTER,
    HAIRLINE,
    HEAD,
    LEADING,
    MUTED,
    PAD,
    ROOM,
    SMALL,
    TEXT,
    WARNING,
)
from errorflow_viewer.export.paper.rows import Box, Drawn, Painted, Row, Rule, Several, Text, gap, nothing
from errorflow_viewer.kit.look import LIGHT

# Of the room, what names take before what they stand for; of a card, its picture.
_NAMES, _PICTURE = 0.27, 0.48
_CELL = 60.0
_FEW = 6
_INKS = {"body": TEXT, "muted": MUTED, "strong": TEXT, "warning": WARNING}


def rows_of(block: Block) -> Iterator[Row]:
    yield from _SET[type(block)](block)


def _heading(block: Heading) -> Iterator[Row]:
    text = Text.of(block.text, size=CHAPTER, strong=True)
    yield Row(APART * 1.6, nothing, sticks=True)
    yield Row(text.height + PAD, text, sticks=True, chapter=block.text)


def _words(block: Words) -> Iterator[Row]:
    strong = block.role in ("strong", "warning")
    size = SMALL if block.role == "muted" else BODY
    yield from Text.of(block.text, size=size, strong=strong, ink=_INKS[block.role]).lines()
    yield gap(PAD)


def _bullets(block: Bullets) -> Iterator[Row]:
    for text, below in block.lines:
        lines = Text.of(text, ROOM - 120).lines(120)
        first = lines[0]
        dot = Text.of("•", 100)
        yield Row(first.height, Several(((20.0, 0.0, dot), (0.0, 0.0, first.paint))), sticks=bool(below))
        yield from lines[1:]
        if below:
            yield from Text.of(below, ROOM - 120, SMALL, ink=MUTED).lines(120)
        yield gap(25.0)


def _pairs(block: Pairs) -> Iterator[Row]:
    for number, (label, text) in enumerate(block.rows):
        left = ROOM * _NAMES if label else 0.0
        name, value = Text.of(label, ROOM * _NAMES - _CELL, ink=MUTED), Text.of(text, ROOM - left)
        height = max(name.height, value.height) + 12
        # The first few are not parted from what stands above them.
        yield Row(
            height, Several(((0.0, 0.0, name), (left, 0.0, value))), sticks=number < min(_FEW, len(block.rows)) - 1
        )


def _finding(block: Finding) -> Iterator[Row]:
    banner = {"calm": LIGHT.info, "warning": LIGHT.warning, "loud": LIGHT.error}[block.tone]
    parts, top = [], PAD * 1.5
    texts = [Text.of(block.head, ROOM - 200, CHAPTER, strong=True), Text.of(block.sentence, ROOM - 200, HEAD)]
    texts += [Text.of(line, ROOM - 200, SMALL, ink=MUTED) for line in block.rest]
    for text in texts:
        parts.append((110.0, top, text))
        top += text.height + 25
    height = top + PAD
    ground = Box(ROOM, height, banner.background, banner.mark)
    yield Row(height, Several(((0.0, 0.0, ground), *parts)))


def _node(block: Node) -> Iterator[Row]:
    picture = Drawn.of(block.picture, ROOM * _PICTURE - 2 * PAD) if block.picture else None
    room = ROOM * (1 - _PICTURE) - 3 * PAD if picture is not None else ROOM - 4 * PAD
    parts: list[tuple[float, float, Painted]] = []
    top = side = PAD * 1.5
    for text in (Text.of(block.title, room, HEAD, strong=True), Text.of(block.what, room, SMALL, ink=MUTED)):
        parts.append((2 * PAD, top, text))
        top += text.height + 15
    for said, strong in ((block.share, True), (block.why, False), (block.told, False)):
        if said:
            text = Text.of(said, room, BODY, strong=strong)
            parts.append((2 * PAD, top + 10, text))
            top += text.height + 30
    for label, value in block.numbers:
        name, number = Text.of(label, room * 0.68, SMALL, ink=MUTED), Text.of(value, room * 0.3, SMALL, right=True)
        parts += [(2 * PAD, top + 10, name), (2 * PAD + room * 0.7, top + 10, number)]
        top += name.height + 10
    if picture is not None:
        parts.append((ROOM * (1 - _PICTURE) + PAD, side, picture))
        top = max(top, side + picture.height)
    height = top + PAD * 1.5
    yield Row(height, Several(((0.0, 0.0, Box(ROOM, height, "#FFFFFF", outline=HAIRLINE)), *parts)))
    yield gap(APART)


def _grid(block: Grid) -> Iterator[Row]:
    head = _line(block, block.heads, is_head=True)
    yield head
    for cells in block.rows:
        yield _line(block, cells, is_head=False, head=head)
    yield gap(PAD)


def _line(block: Grid, cells: tuple[str, ...], is_head: bool, head: Row | None = None) -> Row:
    parts: list[tuple[float, float, Painted]] = []
    left, height = 0.0, SMALL * LEADING
    for column, (cell, share) in enumerate(zip(cells, block.shares, strict=True)):
        ink = MUTED if is_head else TEXT
        text = Text.of(cell, ROOM * share - _CELL, SMALL, strong=is_head, ink=ink, right=column in block.right)
        parts.append((left, 15.0, text))
        left, height = left + ROOM * share, max(height, text.height)
    height += 30
    return Row(height, Several((*parts, (0.0, height, Rule()))), sticks=is_head, head=head)


def _plot(block: Plot) -> Iterator[Row]:
    drawn = Drawn.of(block.picture, ROOM)
    if drawn is not None:
        yield Row(drawn.height + PAD, drawn)


def _sheet(block: Sheet) -> Iterator[Row]:
    yield Row(0.0, nothing, chapter="Graph", sheet=block.picture)


_SET: Mapping[type, Callable[[Any], Iterator[Row]]] = {
    Heading: _heading,
    Words: _words,
    Bullets: _bullets,
    Pairs: _pairs,
    Finding: _finding,
    Node: _node,
    Grid: _grid,
    Plot: _plot,
    Sheet: _sheet,
}
