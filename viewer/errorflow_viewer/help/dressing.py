"""A page of Markdown in the type of the app: Qt lays it out, and this dresses what it has laid out."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, sqrt

from PySide6.QtCore import QMarginsF, QSizeF
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrame,
    QTextFrameFormat,
    QTextImageFormat,
    QTextLength,
    QTextTable,
)

from errorflow.base.values import dataclass
from errorflow_viewer.kit.look import BODY, Theme
from errorflow_viewer.kit.scaling import px

# Px of text, of headings by their level, and of the column that is read.
TEXT, HEADINGS = 14, (24, 18, 15, 14)
_SMALL = BODY
_LINE = 145.0
# Px of a line in a table: cells of one row stand on one line, whatever letters are in them.
_ROW_LINE = 21
# Px of a line of code, and around code.
CODE_LINE, CODE_PADDING = 20, 8
_MONO = ("Cascadia Mono", "Consolas", "Menlo", "DejaVu Sans Mono", "monospace")
_CELL = 5.0
# Of lists, in px.
_INDENT = 22.0


def dressed(document: QTextDocument, theme: Theme, room: float) -> None:
    """`room`: px across for pictures and tables."""
    document.setIndentWidth(_INDENT)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for table in _tables(document.rootFrame()):
        _mend_head(table)
    block = document.begin()
    while block.isValid():
        _dress_block(block, theme, room)
        block = block.next()
    for table in _tables(document.rootFrame()):
        _dress_table(table, theme)
        fit_columns(table, document, room)
    cursor.endEditBlock()


def _dress_block(block: QTextBlock, theme: Theme, room: float) -> None:
    cursor, form = QTextCursor(block), QTextBlockFormat(block.blockFormat())
    level = form.headingLevel()
    is_code = _is_code(block)
    in_table = cursor.currentTable() is not None
    is_picture = any(piece.isImageFormat() for *_, piece in pieces(block))
    if is_code:
        form.setNonBreakableLines(False)
        form.setLineHeight(px(CODE_LINE), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        form.setLeftMargin(CODE_PADDING)
        form.setTopMargin(0 if _is_code(block.previous()) else 10 + CODE_PADDING)
        form.setBottomMargin(0 if _is_code(block.next()) else 12 + CODE_PADDING)
    elif level:
        form.setTopMargin(4 if level == 1 else 26 if level == 2 else 18)
        form.setBottomMargin(8)
    else:
        is_listed = block.textList() is not None
        form.setLineHeight(100.0 if is_picture else _LINE, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if in_table and not is_picture:
            form.setLineHeight(px(_ROW_LINE), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        form.setBottomMargin(0 if in_table else 4 if is_listed else 10)
        form.setTopMargin(0)
    form.setRightMargin(0 if is_picture else CODE_PADDING if is_code else BEHIND)
    cursor.setBlockFormat(form)
    for begin, length, old in list(pieces(block)):
        _dress_piece(block, begin, length, old, theme, level, is_code, room, in_table)


def _dress_piece(
    block: QTextBlock,
    begin: int,
    length: int,
    old: QTextCharFormat,
    theme: Theme,
    level: int,
    is_code: bool,
    room: float,
    in_table: bool,
) -> None:
    cursor = over(block, begin, length)
    if old.isImageFormat():
        _fit_picture(cursor, old.toImageFormat(), block.document(), room)
        return
    form = QTextCharFormat()
    size = HEADINGS[min(level, len(HEADINGS)) - 1] if level else _SMALL + 1 if in_table else TEXT
    form.setForeground(QColor(theme.text))
    if old.fontFixedPitch() or is_code:
        form.setFontFamilies(list(_MONO))
        form.setFontFixedPitch(True)
        size = size - 1
        if not is_code:
            form.setBackground(QBrush(QColor(theme.background)))
    if level or old.fontWeight() > QFont.Weight.Normal:
        form.setFontWeight(QFont.Weight.DemiBold)  # our font has no other bold
    if old.isAnchor():
        form.setForeground(QColor(theme.link))
        form.setFontUnderline(False)
    form.setProperty(QTextFormat.Property.FontPixelSize, px(size))
    form.clearProperty(QTextFormat.Property.FontSizeAdjustment)
    cursor.mergeCharFormat(form)


def _fit_picture(cursor: QTextCursor, form: QTextImageFormat, document: QTextDocument, room: float) -> None:
    """Fits a picture: as large as it is, but no wider than the page."""
    picture = document.resource(QTextDocument.ResourceType.ImageResource.value, form.name())
    size = picture.deviceIndependentSize() if isinstance(picture, QImage) else QSizeF()
    if size.width() > 0:
        form.setWidth(min(size.width(), room))
        form.setHeight(min(size.width(), room) * size.height() / size.width())
        cursor.setCharFormat(form)


def _mend_head(table: QTextTable) -> None:
    """Mends a table's head: behind a code block Qt begins with an empty line, and forgets that heads are strong."""
    first = table.cellAt(0, 0)
    if first.firstCursorPosition().block() != first.lastCursorPosition().block():
        cursor = first.firstCursorPosition()
        if not cursor.block().text():
            cursor.deleteChar()
    strong = QTextCharFormat()
    strong.setFontWeight(QFont.Weight.Bold)
    for column in range(table.columns()):
        block = table.cellAt(0, column).firstCursorPosition().block()
        for begin, length, form in list(pieces(block)):
            if not form.fontFixedPitch():
                over(block, begin, length).mergeCharFormat(strong)


def _dress_table(table: QTextTable, theme: Theme) -> None:
    """Lines between the rows, a strong head, room around what is written."""
    form = table.format()
    form.setBorder(0)
    form.setCellPadding(0)
    form.setCellSpacing(0)
    form.setBorderCollapse(True)
    form.setTopMargin(4)
    form.setBottomMargin(16)
    form.setWidth(QTextLength())
    table.setFormat(form)
    line = QBrush(QColor(theme.hairline))
    for row in range(table.rows()):
        for column in range(table.columns()):
            cell = table.cellAt(row, column)
            if cell.column() != column:  # one that is empty is a part of the one before it
                continue
            held = cell.format().toTableCellFormat()
            held.setTopPadding(_CELL)
            held.setBottomPadding(_CELL)
            held.setLeftPadding(0 if column == 0 else 8)
            held.setRightPadding(8)
            held.setBottomBorder(1)
            held.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            held.setBottomBorderBrush(line)
            held.clearBackground()
            cell.setFormat(held)


def code_runs(document: QTextDocument) -> Iterator[tuple[QTextBlock, QTextBlock]]:
    """The first and the last line of each piece of code, for the ground behind all of it."""
    block, first = document.begin(), None
    while block.isValid():
        if _is_code(block):
            first = block if first is None else first
            if not _is_code(block.next()):
                yield first, block
                first = None
        block = block.next()


def _is_code(block: QTextBlock) -> bool:
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)


def _tables(frame: QTextFrame) -> Iterator[QTextTable]:
    for child in frame.childFrames():
        if isinstance(child, QTextTable):
            yield child
        yield from _tables(child)


def margins(room: float, column: float) -> QMarginsF:
    """Computes margins round a column of text in the middle of a room; whole px, for a part of one makes the page
    scroll.
    """
    side = max(ceil((room - column) / 2), 24)
    return QMarginsF(side, 24, side, 32)


# Chinese is broken anywhere, but columns of single letters are hard to read.
_WORDS = re.compile(r"[\u2e80-\uffff]{1,4}|[^\s\u2e80-\uffff]+")
# What is not broken where one reads; names with dots and lines in them are, wherever there is no room for them.
_WORD = re.compile(r"\W*\w[^\W\d_]{0,13}\W*")
# Of the room: what names get at most, and what words do, so that something is left for texts.
_NAMES_ROOM, _WORDS_ROOM = 0.7, 0.97
# Px at the end of a line, by parts of which Qt lets it go on, as behind slanted letters.
BEHIND = 3.0
# Px: no name is broken into less for the sake of texts, and of words.
_NARROW, _NARROWEST = 80, 48


@dataclass(frozen=True, slots=True)
class _Asked:
    """Px that a column asks for: for its longest word, its longest name, its longest text, and a usual text."""

    word: float
    name: float
    text: float
    usual: float


def fit_columns(table: QTextTable, document: QTextDocument, room: float) -> None:
    """A table that is wider than the room gets columns as wide as their words, and the rest by how much they say."""
    asked = [_asked(table, column, document) for column in range(table.columns())]
    if sum(each.text for each in asked) <= room:
        return
    ends = [0, *_ends(asked, room)]
    lengths = [QTextLength(QTextLength.Type.FixedLength, end - begin) for begin, end in pairwise(ends)]
    form = table.format()
    form.setColumnWidthConstraints(lengths)
    form.setWidth(QTextLength(QTextLength.Type.FixedLength, ends[-1]))
    table.setFormat(form)


def _ends(asked: Sequence[_Asked], room: float) -> Iterator[int]:
    """Yields where each column ends: on whole px, for Qt rounds."""
    words = _words(asked, room)
    more = [max(each.usual - word, 1.0) for each, word in zip(asked, words, strict=True)]
    spare = (room - sum(words)) / sum(more)
    end = 0.0
    for each, word, part in zip(asked, words, more, strict=True):
        end += min(word + part * spare, max(each.text, word))
        yield int(end)


def _words(asked: Sequence[_Asked], room: float) -> list[float]:
    """Gives each column room for its longest word: the longest names are broken first, and then the longest words."""
    kept = [each.word for each in asked]
    names = _shortened([each.name for each in asked], room * _NAMES_ROOM, _NARROW, kept)
    names = _shortened(names, room * _WORDS_ROOM, _NARROWEST, kept)
    return _shortened(names, room * _WORDS_ROOM, 1, [0.0] * len(asked))


def _shortened(widths: Sequence[float], room: float, least: float, kept: Sequence[float]) -> list[float]:
    """The widest become narrower until all have room, but none narrower than `least` and than what is kept of it."""
    most = max(widths)
    found = [max(width, keep) for width, keep in zip(widths, kept, strict=True)]
    while most > least and sum(found) > room:
        most -= 1
        found = [max(min(width, most), keep) for width, keep in zip(widths, kept, strict=True)]
    return found


def _asked(table: QTextTable, column: int, document: QTextDocument) -> _Asked:
    widths = {True: 0.0, False: 0.0}
    texts = [0.0]
    for row in range(table.rows()):
        cell = table.cellAt(row, column)
        if cell.columnSpan() > 1:  # beside an empty one, whose room it has too
            continue
        form = cell.format().toTableCellFormat()
        around = form.leftPadding() + form.rightPadding() + BEHIND + 1
        block, whole = cell.firstCursorPosition().block(), 0.0
        for begin, length, letters in pieces(block):
            text = block.text()[begin - block.position() :][:length]
            metrics = QFontMetricsF(letters.font().resolve(document.defaultFont()))
            whole += metrics.horizontalAdvance(text)
            for word in _WORDS.findall(text):
                is_word = not letters.fontFixedPitch() and _WORD.fullmatch(word) is not None
                widths[is_word] = max(widths[is_word], metrics.horizontalAdvance(word) + around)
        texts.append(whole + around)
    usual = sqrt(sum(text * text for text in texts) / len(texts))
    return _Asked(ceil(widths[True]), ceil(widths[False]), ceil(max(texts)), usual)


# The pieces of a block of text, each of which looks alike throughout.


def over(block: QTextBlock, begin: int, length: int) -> QTextCursor:
    """Makes a cursor with a piece selected."""
    cursor = QTextCursor(block)
    cursor.setPosition(begin)
    cursor.setPosition(begin + length, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def pieces(block: QTextBlock) -> Iterator[tuple[int, int, QTextCharFormat]]:
    """Yields where each piece begins, how long it is, and how it looks."""
    each = block.begin()
    while not each.atEnd():
        piece = each.fragment()
        if piece.isValid():
            yield piece.position(), piece.length(), piece.charFormat()
        each += 1
