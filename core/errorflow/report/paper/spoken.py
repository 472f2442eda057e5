"""The report on paper in the language in use; names, numbers and what users wrote stay."""

from dataclasses import replace
from functools import singledispatch

from errorflow.base.language import ENGLISH, current, translated
from errorflow.base.language.drawn import drawn
from errorflow.report.paper.blocks import (
    Block,
    Bullets,
    FindingBlock,
    GridBlock,
    Heading,
    NodeBlock,
    PairsBlock,
    Paper,
    Plot,
    Words,
)


def spoken(paper: Paper) -> Paper:
    """Translates a paper; in English it stays what it was."""
    if current() is ENGLISH:
        return paper
    return replace(paper, about=translated(paper.about), blocks=tuple(map(_block, paper.blocks)))


def _label(text: str) -> str:
    return translated(text, label=True)


def _pairs(rows: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((_label(name), translated(value)) for name, value in rows)


@singledispatch
def _block(block: Block) -> Block:
    """Translates a block; one without words of its own, as the sheet of the graph, stays."""
    return block


@_block.register
def _(block: Heading) -> Block:
    return Heading(_label(block.text))


@_block.register
def _(block: Words) -> Block:
    return block if block.is_noted else replace(block, text=translated(block.text))


@_block.register
def _(block: Bullets) -> Block:
    said = tuple((translated(line), translated(below)) for line, below in block.lines)
    return block if block.is_noted else Bullets(said)


@_block.register
def _(block: PairsBlock) -> Block:
    return PairsBlock(_pairs(block.rows))


@_block.register
def _(block: FindingBlock) -> Block:
    rest = tuple(map(translated, block.rest))
    return replace(block, head=_label(block.head), sentence=translated(block.sentence), rest=rest)


@_block.register
def _(block: NodeBlock) -> Block:
    return replace(
        block,
        what=translated(block.what),
        share=translated(block.share),
        why=translated(block.why),
        told=translated(block.told),
        numbers=_pairs(block.numbers),
        picture=drawn(block.picture),
    )


@_block.register
def _(block: GridBlock) -> Block:
    rows = tuple(tuple(map(translated, row)) for row in block.rows)
    return replace(block, heads=tuple(map(_label, block.heads)), rows=rows)


@_block.register
def _(block: Plot) -> Block:
    return Plot(drawn(block.picture))
