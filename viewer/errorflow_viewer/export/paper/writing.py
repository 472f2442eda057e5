"""The PDF of a report: A4, upright, the graph across; letters stay letters."""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMarginsF, QPointF
from PySide6.QtGui import QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtWidgets import QApplication

from errorflow.base import SILENT, FileError, Progress, dataclass, field, fields, replace
from errorflow.base.files import replacing
from errorflow.base.language import current
from errorflow.base.workers import Plain, run_apart
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
    SheetBlock,
    Words,
)
from errorflow.report.svg import Picture, framed
from errorflow_viewer.export.packing import packed, sound, unpacked
from errorflow_viewer.export.paper.rows import (
    APART,
    BODY,
    BOTTOM,
    CHAPTER,
    HAIRLINE,
    HEAD,
    HEIGHT,
    LEADING,
    LEFT,
    MUTED,
    PAD,
    RIGHT,
    ROOM,
    SMALL,
    TEXT,
    TITLE,
    TOP,
    WARNING,
    WIDTH,
    Box,
    Drawn,
    PaintedRow,
    PaperRow,
    Rule,
    Several,
    Text,
    gap,
    nothing,
    printable,
)
from errorflow_viewer.export.poster import Poster
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.style import Appearance, font
from errorflow_viewer.kit.translation.door import speak

# Rows on pages: what belongs together stays together, and a table has its heads on each of its pages.
HIGH = HEIGHT - TOP - BOTTOM


@dataclass
class PaperPage:
    """Rows with their places from the top; or a picture across."""

    rows: list[tuple[float, PaperRow]] = field(default_factory=list)
    sheet: Picture | None = None
    chapters: list[str] = field(default_factory=list)
    used: float = 0.0

    def put(self, row: PaperRow) -> None:
        self.rows.append((self.used, row))
        self.used += row.height
        if row.chapter:
            self.chapters.append(row.chapter)


def pages_of(rows: Iterable[PaperRow]) -> list[PaperPage]:
    """Breaks rows into pages; what follows a page across goes on where it left off."""
    pages, across = [PaperPage()], list[PaperPage]()
    for unit in _units(rows):
        sheet = unit[0].sheet
        if sheet is not None:
            across.append(PaperPage(sheet=sheet, chapters=[unit[0].chapter]))
            pages += [across[-1], PaperPage()]
            continue
        if pages[-1].rows and pages[-1].used + sum(row.height for row in unit) > HIGH:
            pages.append(PaperPage())
            head = unit[0].head
            if head is not None:
                pages[-1].put(head)
        for row in unit:
            pages[-1].put(row)
    return [page for page in pages if page.rows or page.sheet is not None]


def _units(rows: Iterable[PaperRow]) -> Iterator[Sequence[PaperRow]]:
    """Rows that must not be parted."""
    unit: list[PaperRow] = []
    for row in rows:
        unit.append(row)
        if not row.sticks:
            yield unit
            unit = []
    if unit:
        yield unit


# Chinese letters of a PDF as people type them.
#
# A font draws 长 and the part of letters that looks like it with one glyph; Qt notes the part, which no search finds.
_MAP = re.compile(rb"begincmap.*?endcmap", re.DOTALL)
# What glyphs stand for: in a list, or at the end of a line.
_LETTERS = re.compile(rb"\[[^\]]*\]|(?<=> )<[0-9A-F]{4}>(?=\r?\n)")
_PART = re.compile(rb"<(2[EF][0-9A-F]{2})>")
# Those that Unicode does not take apart by itself.
_PARTS = "⺆⺈⺎⺒⺓⺔⺘⺜⺝⺟⺠⺧⺩⺬⺶⺼⺽⻁⻂⻄⻅⻆⻉⻋⻑⻓⻔⻖⻗⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲"
_WHOLE = "冂刀兀巳幺彑扌日月母民牛王示羊肉臼虎衤西见角贝车長长门阝雨青韦页风飞食马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀"
_OF_PART = dict(zip(_PARTS, _WHOLE, strict=True))


def typed(letter: str) -> str:
    """The same letter as it is typed."""
    return _OF_PART.get(letter, unicodedata.normalize("NFKC", letter))


def with_typed_letters(pdf: bytes) -> bytes:
    """Replaces letter by letter, so that all else stays where it was."""
    return _MAP.sub(lambda found: _LETTERS.sub(_in_list, found[0]), pdf)


def _in_list(found: re.Match[bytes]) -> bytes:
    return _PART.sub(_replaced, found[0])


def _replaced(found: re.Match[bytes]) -> bytes:
    whole = typed(chr(int(found[1], 16)))
    return b"<%04X>" % ord(whole) if len(whole) == 1 and ord(whole) <= 0xFFFF else found[0]


# Dots per inch of the coordinates in the file; a unit is a tenth of a point.
_RESOLUTION = 1200
_SCALE = _RESOLUTION / 720
# A px is 3/4 of a point.
_PX = 7.5
_TEXT = "Setting the pages"
_WHITE = replace(LIGHT, canvas="#FFFFFF")


def write_paper(paper: Paper, path: Path, progress: Progress = SILENT) -> int:
    """Writes the file, whole or not at all; answers how many pages it has."""
    progress.step(0, 1, _TEXT)
    pages = pages_of([*_opening(paper), *(row for block in paper.blocks for row in rows_of(block))])
    with replacing(path) as beside:
        beside.touch()  # says why where it cannot be written; Qt would not
        writer = QPdfWriter(str(beside))
        writer.setTitle(printable(paper.title))
        writer.setCreator("Errorflow")
        writer.setResolution(_RESOLUTION)
        _turn(writer, pages[0])
        painter = QPainter()
        if not painter.begin(writer):
            raise FileError("The pages could not be written.", "Choose another folder or free some space.")
        try:
            _paint(writer, painter, pages, paper, progress)
        finally:
            painter.end()
        chapters = [(name, number) for number, page in enumerate(pages) for name in page.chapters]
        beside.write_bytes(with_outline(with_typed_letters(beside.read_bytes()), chapters))
        progress.step(1, 1, _TEXT)  # a cancel meanwhile comes before the old file is replaced
    return len(pages)


def write_paper_apart(paper: Paper, path: Path, progress: Progress = SILENT) -> None:
    """The same in a process of its own: Qt ends a page in one go, for which a window would have to wait."""
    with replacing(path) as beside:
        words = packed_paper(paper), str(beside), current().key
        run_apart(_write, *words, text=_TEXT, progress=progress)


def _write(paper: list[Plain], path: str, language: str) -> None:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app = QApplication(["errorflow"])
    Appearance(app, "light")  # loads the fonts
    speak(language)
    write_paper(unpacked_paper(paper), Path(path))


def _opening(paper: Paper) -> list[PaperRow]:
    title, about = Text.of(paper.title, size=TITLE, strong=True), Text.of(paper.about, size=SMALL, ink=MUTED)
    return [PaperRow(title.height + 20, title, sticks=True), PaperRow(about.height, about, sticks=True), gap(60)]


def _turn(writer: QPdfWriter, page: PaperPage) -> None:
    way = QPageLayout.Orientation.Portrait if page.sheet is None else QPageLayout.Orientation.Landscape
    writer.setPageLayout(QPageLayout(QPageSize(QPageSize.PageSizeId.A4), way, QMarginsF()))


def _paint(writer: QPdfWriter, painter: QPainter, pages: list[PaperPage], paper: Paper, progress: Progress) -> None:
    for number, page in enumerate(pages):
        progress.step(number, len(pages), _TEXT)
        if number:
            _turn(writer, page)
            writer.newPage()
        painter.save()
        painter.scale(_SCALE, _SCALE)
        if page.sheet is not None:
            _paint_sheet(painter, page.sheet)
        for top, row in page.rows:
            row.paint(painter, QPointF(LEFT, TOP + top))
        across = page.sheet is not None
        _paint_foot(
            painter, paper.title, f"{number + 1} / {len(pages)}", (HEIGHT, WIDTH) if across else (WIDTH, HEIGHT)
        )
        painter.restore()


def _paint_foot(painter: QPainter, title: str, number: str, size: tuple[float, float]) -> None:
    room, top = size[0] - LEFT - RIGHT, size[1] - BOTTOM / 2 - SMALL
    short = title if len(title) <= 90 else f"{title[:89]}…"
    Text.of(short, room - 600, SMALL, ink=MUTED)(painter, QPointF(LEFT, top))
    Text.of(number, 550, SMALL, ink=MUTED, right=True)(painter, QPointF(LEFT + room - 550, top))


def _paint_sheet(painter: QPainter, picture: Picture) -> None:
    """Paints all of the graph, as large as there is room; title and legend can be read however large it is."""
    poster, (across, down) = Poster(picture, _WHITE, font()), picture.drawing.size
    room, high = (HEIGHT - LEFT - RIGHT) / _PX, (WIDTH - TOP * 0.8 - BOTTOM) / _PX
    around = partial(framed, title=picture.title, note=picture.note, paint=picture.paint, caption=picture.caption)
    left = high - around((room, 0.0)).height
    scale = min(room / max(across, 1.0), max(left, 1.0) / max(down, 1.0), 1.0)
    frame = around((room, left))
    painter.save()
    painter.translate((HEIGHT - frame.width * _PX) / 2, TOP * 0.8)
    painter.scale(_PX, _PX)
    poster.write_round(painter, frame)
    painter.translate((frame.width - across * scale) / 2, frame.top)
    painter.scale(scale, scale)
    poster.paint_graph(painter)
    painter.restore()


# A report as plain data and back, to be set on pages in another process.

_KINDS: tuple[type[Block], ...] = (Heading, Words, Bullets, PairsBlock, FindingBlock, NodeBlock, GridBlock, Plot)
_SHEET = "Sheet"


def packed_paper(paper: Paper) -> list[Plain]:
    return [sound(paper.title), sound(paper.about), [_packed(block) for block in paper.blocks]]


def unpacked_paper(data: list[Plain]) -> Paper:
    match data:
        case [str(title), str(about), list(blocks)]:
            return Paper(title, about, tuple(_unpacked(block) for block in blocks))
    raise ValueError("this was not packed here")


def _packed(block: Block) -> list[Plain]:
    if isinstance(block, SheetBlock):
        return [_SHEET, packed(block.picture)]
    return [type(block).__name__, [_plain(getattr(block, field.name)) for field in fields(block)]]


def _unpacked(data: Plain) -> Block:
    match data:
        case [str(kind), list(values)]:
            if kind == _SHEET:
                return SheetBlock(unpacked(values))
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


_ROOT = re.compile(rb"/Root (\d+) 0 R")
_SIZE = re.compile(rb"/Size (\d+)")
_START = re.compile(rb"startxref\s+(\d+)")
_INFO = re.compile(rb"/Info (\d+ 0 R)")
_ID = re.compile(rb"/ID \[.*?\]", re.DOTALL)
_PAGES = re.compile(rb"/Kids\s*\[(.*?)\]", re.DOTALL)
_REFERENCE = re.compile(rb"(\d+) 0 R")


def with_outline(pdf: bytes, chapters: Sequence[tuple[str, int]]) -> bytes:
    """`chapters`: each with the number of its page, from 0. What is not built as Qt builds it stays as it is."""
    trailer = pdf[pdf.rfind(b"trailer") :]
    root, size, start = _ROOT.search(trailer), _SIZE.search(trailer), _START.search(trailer)
    if root is None or size is None or start is None or not chapters:
        return pdf
    catalog, kids = _object(pdf, int(root[1])), _pages(pdf)
    if catalog is None or not kids or any(page >= len(kids) for _, page in chapters):
        return pdf
    first = int(size[1])
    found = {
        int(root[1]): catalog.rstrip().removesuffix(b">>") + b"/Outlines %d 0 R\n/PageMode /UseOutlines\n>>" % first
    }
    found |= _entries(first, chapters, kids)
    kept = b"".join(b"\n" + each[0] for each in (_INFO.search(trailer), _ID.search(trailer)) if each is not None)
    return pdf + _update(pdf, found, first + len(chapters) + 1, root[1], start[1], kept)


def _entries(first: int, chapters: Sequence[tuple[str, int]], kids: Sequence[int]) -> dict[int, bytes]:
    last = first + len(chapters)
    found = {first: b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (first + 1, last, len(chapters))}
    for number, (name, page) in enumerate(chapters, first + 1):
        title = b"<FEFF" + name.encode("utf-16-be", "replace").hex().encode() + b">"
        before = b"" if number == first + 1 else b" /Prev %d 0 R" % (number - 1)
        behind = b"" if number == last else b" /Next %d 0 R" % (number + 1)
        links = b"/Parent %d 0 R%b%b" % (first, before, behind)
        found[number] = b"<< /Title %b %b /Dest [%d 0 R /Fit] >>" % (title, links, kids[page])
    return found


def _update(pdf: bytes, found: dict[int, bytes], size: int, root: bytes, start: bytes, kept: bytes) -> bytes:
    text, places = b"\n", dict[int, int]()
    for number, body in found.items():
        places[number] = len(pdf) + len(text)
        text += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = len(pdf) + len(text)
    text += b"xref\n"
    for number in sorted(places):
        text += b"%d 1\n%010d 00000 n \n" % (number, places[number])
    return text + b"trailer\n<< /Size %d\n/Root %b 0 R%b\n/Prev %b\n>>\nstartxref\n%d\n%%%%EOF\n" % (
        *(size, root, kept, start),
        table,
    )


def _object(pdf: bytes, number: int) -> bytes | None:
    found = re.search(rb"(?:^|\n)%d 0 obj\s(.*?)\sendobj" % number, pdf, re.DOTALL)
    return None if found is None else found[1]


def _pages(pdf: bytes) -> list[int]:
    found = _PAGES.search(pdf)
    return [] if found is None else [int(each) for each in _REFERENCE.findall(found[1])]


# Blocks of a report as rows.

# Of the room, what names take before what they stand for; of a card, its picture.
_NAMES, _PICTURE = 0.27, 0.48
_CELL = 60.0
_FEW = 6
_INKS = {"body": TEXT, "muted": MUTED, "strong": TEXT, "warning": WARNING}


def rows_of(block: Block) -> Iterator[PaperRow]:
    yield from _SET[type(block)](block)


def _heading(block: Heading) -> Iterator[PaperRow]:
    text = Text.of(block.text, size=CHAPTER, strong=True)
    yield PaperRow(APART * 1.6, nothing, sticks=True)
    yield PaperRow(text.height + PAD, text, sticks=True, chapter=block.text)


def _words(block: Words) -> Iterator[PaperRow]:
    strong = block.role in ("strong", "warning")
    size = SMALL if block.role == "muted" else BODY
    yield from Text.of(block.text, size=size, strong=strong, ink=_INKS[block.role]).lines()
    yield gap(PAD)


def _bullets(block: Bullets) -> Iterator[PaperRow]:
    for text, below in block.lines:
        lines = Text.of(text, ROOM - 120).lines(120)
        first = lines[0]
        dot = Text.of("•", 100)
        yield PaperRow(first.height, Several(((20.0, 0.0, dot), (0.0, 0.0, first.paint))), sticks=bool(below))
        yield from lines[1:]
        if below:
            yield from Text.of(below, ROOM - 120, SMALL, ink=MUTED).lines(120)
        yield gap(25.0)


def _pairs(block: PairsBlock) -> Iterator[PaperRow]:
    for number, (label, text) in enumerate(block.rows):
        left = ROOM * _NAMES if label else 0.0
        name, value = Text.of(label, ROOM * _NAMES - _CELL, ink=MUTED), Text.of(text, ROOM - left)
        height = max(name.height, value.height) + 12
        # The first few are not parted from what stands above them.
        yield PaperRow(
            height, Several(((0.0, 0.0, name), (left, 0.0, value))), sticks=number < min(_FEW, len(block.rows)) - 1
        )


def _finding(block: FindingBlock) -> Iterator[PaperRow]:
    banner = {"calm": LIGHT.info, "warning": LIGHT.warning, "loud": LIGHT.error}[block.tone]
    parts, top = [], PAD * 1.5
    texts = [Text.of(block.head, ROOM - 200, CHAPTER, strong=True), Text.of(block.sentence, ROOM - 200, HEAD)]
    texts += [Text.of(line, ROOM - 200, SMALL, ink=MUTED) for line in block.rest]
    for text in texts:
        parts.append((110.0, top, text))
        top += text.height + 25
    height = top + PAD
    ground = Box(ROOM, height, banner.background, banner.mark)
    yield PaperRow(height, Several(((0.0, 0.0, ground), *parts)))


def _node(block: NodeBlock) -> Iterator[PaperRow]:
    picture = Drawn.of(block.picture, ROOM * _PICTURE - 2 * PAD) if block.picture else None
    room = ROOM * (1 - _PICTURE) - 3 * PAD if picture is not None else ROOM - 4 * PAD
    parts: list[tuple[float, float, PaintedRow]] = []
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
    yield PaperRow(height, Several(((0.0, 0.0, Box(ROOM, height, "#FFFFFF", outline=HAIRLINE)), *parts)))
    yield gap(APART)


def _grid(block: GridBlock) -> Iterator[PaperRow]:
    head = _line(block, block.heads, is_head=True)
    yield head
    for cells in block.rows:
        yield _line(block, cells, is_head=False, head=head)
    yield gap(PAD)


def _line(block: GridBlock, cells: tuple[str, ...], is_head: bool, head: PaperRow | None = None) -> PaperRow:
    parts: list[tuple[float, float, PaintedRow]] = []
    left, height = 0.0, SMALL * LEADING
    for column, (cell, share) in enumerate(zip(cells, block.shares, strict=True)):
        ink = MUTED if is_head else TEXT
        text = Text.of(cell, ROOM * share - _CELL, SMALL, strong=is_head, ink=ink, right=column in block.right)
        parts.append((left, 15.0, text))
        left, height = left + ROOM * share, max(height, text.height)
    height += 30
    return PaperRow(height, Several((*parts, (0.0, height, Rule()))), sticks=is_head, head=head)


def _plot(block: Plot) -> Iterator[PaperRow]:
    drawn = Drawn.of(block.picture, ROOM)
    if drawn is not None:
        yield PaperRow(drawn.height + PAD, drawn)


def _sheet(block: SheetBlock) -> Iterator[PaperRow]:
    yield PaperRow(0.0, nothing, chapter="Graph", sheet=block.picture)


_SET: Mapping[type, Callable[[Any], Iterator[PaperRow]]] = {
    Heading: _heading,
    Words: _words,
    Bullets: _bullets,
    PairsBlock: _pairs,
    FindingBlock: _finding,
    NodeBlock: _node,
    GridBlock: _grid,
    Plot: _plot,
    SheetBlock: _sheet,
}
