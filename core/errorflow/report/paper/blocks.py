"""Blocks of a report on paper. Nothing here knows how large a page is."""

from typing import Literal

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
