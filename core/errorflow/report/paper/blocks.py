"""Blocks of a report on paper. Nothing here knows how large a page is."""

from dataclasses import replace
from functools import singledispatch
from typing import Literal

from errorflow.base.language import ENGLISH, current, translated
from errorflow.base.language.drawn import drawn
from errorflow.base.values import dataclass
from errorflow.report.account.model import Tone
from errorflow.report.svg import Picture

Role = Literal["body", "muted", "strong", "warning"]


@dataclass(frozen=True, slots=True)
class Heading:
    """Begins a chapter; readers of PDFs list them beside the pages."""

    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph."""

    text: str
    role: Role = "body"
    # What somebody wrote of the case, which is no text of the program.
    is_noted: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """Lines of a list, and below each what is said more quietly; "": nothing."""

    lines: tuple[tuple[str, str], ...]
    # As of `Words`.
    is_noted: bool = False


@dataclass(frozen=True, slots=True)
class PairsBlock:
    """Names and what stands for them."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FindingBlock:
    """The verdict, which stands out."""

    head: str
    sentence: str
    rest: tuple[str, ...]
    tone: Tone


@dataclass(frozen=True, slots=True)
class NodeBlock:
    """A node that matters, with a picture as SVG; "": there is none."""

    title: str
    what: str
    share: str
    why: str
    told: str
    numbers: tuple[tuple[str, str], ...]
    picture: str


@dataclass(frozen=True, slots=True)
class GridBlock:
    """A table whose heads stand on each of its pages. `shares` of the width, `right`: columns of numbers."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    shares: tuple[float, ...]
    right: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """An SVG as wide as the page."""

    picture: str


@dataclass(frozen=True, eq=False)
class SheetBlock:
    """The graph on a page of its own, across."""

    picture: Picture


Block = Heading | Words | Bullets | PairsBlock | FindingBlock | NodeBlock | GridBlock | Plot | SheetBlock


@dataclass(frozen=True, eq=False)
class Paper:
    """Report on paper. `about`: date and versions, at the head of the first page; `title` stands at the foot of
    each.
    """

    title: str
    about: str
    blocks: tuple[Block, ...]


# The report on paper in the language in use; names, numbers and what users wrote stay.


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
