"""The pieces of a block of text, each of which looks alike throughout."""

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextCursor


def over(block: QTextBlock, begin: int, length: int) -> QTextCursor:
    """With a piece selected."""
    cursor = QTextCursor(block)
    cursor.setPosition(begin)
    cursor.setPosition(begin + length, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def pieces(block: QTextBlock) -> Iterator[tuple[int, int, QTextCharFormat]]:
    """Where each begins, how long it is, and how it looks."""
    each = block.begin()
    while not each.atEnd():
        piece = each.fragment()
        if piece.isValid():
            yield piece.position(), piece.length(), piece.charFormat()
        each += 1
