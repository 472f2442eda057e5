"""A page of Markdown in the type of the app: Qt lays it out, and this dresses what it has laid out."""

from collections.abc import Iterator
from math import ceil

from PySide6.QtCore import QMarginsF, QSizeF
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
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

from errorflow_viewer.help.columns import BEHIND, fit_columns
from errorflow_viewer.help.pieces import over, pieces
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
    """As large as it is, but no wider than the page."""
    picture = document.resource(QTextDocument.ResourceType.ImageResource.value, form.name())
    size = picture.deviceIndependentSize() if isinstance(picture, QImage) else QSizeF()
    if size.width() > 0:
        form.setWidth(min(size.width(), room))
        form.setHeight(min(size.width(), room) * size.height() / size.width())
        cursor.setCharFormat(form)


def _mend_head(table: QTextTable) -> None:
    """Behind a code block Qt begins a table with an empty line, and forgets that heads are strong."""
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
    """Round a column of text in the middle of a room; whole px, for a part of one makes the page scroll."""
    side = max(ceil((room - column) / 2), 24)
    return QMarginsF(side, 24, side, 32)
