"""How wide the columns of a table are: Qt gives all much alike, and rounds each up until the page scrolls sideways."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, sqrt

from PySide6.QtGui import QFontMetricsF, QTextDocument, QTextLength, QTextTable

from errorflow_viewer.help.pieces import pieces

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
    """Where each column ends: on whole px, for Qt rounds."""
    words = _words(asked, room)
    more = [max(each.usual - word, 1.0) for each, word in zip(asked, words, strict=True)]
    spare = (room - sum(words)) / sum(more)
    end = 0.0
    for each, word, part in zip(asked, words, more, strict=True):
        end += min(word + part * spare, max(each.text, word))
        yield int(end)


def _words(asked: Sequence[_Asked], room: float) -> list[float]:
    """What each gets for its longest word: the longest names are broken first, and then the longest words."""
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
