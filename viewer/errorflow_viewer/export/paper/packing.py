"""A report as plain data and back, to be set on pages in another process."""

from dataclasses import fields

from errorflow.base.workers import Plain
from errorflow.report.paper.blocks import (
    Block,
    Bullets,
    Finding,
    Grid,
    Heading,
    Node,
    Pairs,
    Paper,
    Plot,
    Sheet,
    Words,
)
from errorflow_viewer.export.packing import packed, sound, unpacked

_KINDS: tuple[type[Block], ...] = (Heading, Words, Bullets, Pairs, Finding, Node, Grid, Plot)
_SHEET = "Sheet"


def packed_paper(paper: Paper) -> list[Plain]:
    return [sound(paper.title), sound(paper.about), [_packed(block) for block in paper.blocks]]


def unpacked_paper(data: list[Plain]) -> Paper:
    match data:
        case [str(title), str(about), list(blocks)]:
            return Paper(title, about, tuple(_unpacked(block) for block in blocks))
    raise ValueError("this was not packed here")


def _packed(block: Block) -> list[Plain]:
    if isinstance(block, Sheet):
        return [_SHEET, packed(block.picture)]
    return [type(block).__name__, [_plain(getattr(block, field.name)) for field in fields(block)]]


def _unpacked(data: Plain) -> Block:
    match data:
        case [str(kind), list(values)]:
            if kind == _SHEET:
                return Sheet(unpacked(values))
            made = next(each for each in _KINDS if each.__name__ == kind)
            return made(*map(_frozen, values))  # type: ignore[arg-type]  # they were that before they were packed
    raise ValueError("this was not packed here")


def _plain(value: object) -> Plain:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, str):
        return sound(value)
    assert isinstance(value, bool | int | float), "all that blocks are made of"
    return value


def _frozen(value: Plain) -> object:
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value
