"""The PDF of a report: A4, upright, the graph across; letters stay letters."""

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMarginsF, QPointF
from PySide6.QtGui import QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtWidgets import QApplication

from errorflow.base.errors import FileError
from errorflow.base.files import replacing
from errorflow.base.language import current
from errorflow.base.progress import SILENT, Progress
from errorflow.base.workers import Plain, run_apart
from errorflow.report.paper.blocks import Paper
from errorflow.report.svg import Picture, framed
from errorflow_viewer.export.paper.ink import BOTTOM, HEIGHT, LEFT, MUTED, RIGHT, SMALL, TITLE, TOP, WIDTH, printable
from errorflow_viewer.export.paper.outline import with_outline
from errorflow_viewer.export.paper.packing import packed_paper, unpacked_paper
from errorflow_viewer.export.paper.rows import Row, Text, gap
from errorflow_viewer.export.paper.setting import rows_of
from errorflow_viewer.export.poster import Poster
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.style import Appearance, font
from errorflow_viewer.kit.translation.door import speak

# Rows on pages: what belongs together stays together, and a table has its heads on each of its pages.
HIGH = HEIGHT - TOP - BOTTOM


@dataclass
class Page:
    """Rows with their places from the top; or a picture across."""

    rows: list[tuple[float, Row]] = field(default_factory=list)
    sheet: Picture | None = None
    chapters: list[str] = field(default_factory=list)
    used: float = 0.0

    def put(self, row: Row) -> None:
        self.rows.append((self.used, row))
        self.used += row.height
        if row.chapter:
            self.chapters.append(row.chapter)


def pages_of(rows: Iterable[Row]) -> list[Page]:
    """What follows a page across goes on where it left off."""
    pages, across = [Page()], list[Page]()
    for unit in _units(rows):
        sheet = unit[0].sheet
        if sheet is not None:
            across.append(Page(sheet=sheet, chapters=[unit[0].chapter]))
            pages += [across[-1], Page()]
            continue
        if pages[-1].rows and pages[-1].used + sum(row.height for row in unit) > HIGH:
            pages.append(Page())
            head = unit[0].head
            if head is not None:
                pages[-1].put(head)
        for row in unit:
            pages[-1].put(row)
    return [page for page in pages if page.rows or page.sheet is not None]


def _units(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    """Rows that must not be parted."""
    unit: list[Row] = []
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
    """As long as before, letter by letter: all else is where it was."""
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


def _opening(paper: Paper) -> list[Row]:
    title, about = Text.of(paper.title, size=TITLE, strong=True), Text.of(paper.about, size=SMALL, ink=MUTED)
    return [Row(title.height + 20, title, sticks=True), Row(about.height, about, sticks=True), gap(60)]


def _turn(writer: QPdfWriter, page: Page) -> None:
    way = QPageLayout.Orientation.Portrait if page.sheet is None else QPageLayout.Orientation.Landscape
    writer.setPageLayout(QPageLayout(QPageSize(QPageSize.PageSizeId.A4), way, QMarginsF()))


def _paint(writer: QPdfWriter, painter: QPainter, pages: list[Page], paper: Paper, progress: Progress) -> None:
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
    """All of the graph, as large as there is room; title and legend can be read however large it is."""
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
