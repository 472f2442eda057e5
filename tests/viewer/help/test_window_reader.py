"""Pages as they are laid out: nothing of them is lost, and no line needs a bar to be read."""

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize, QUrl
from PySide6.QtGui import QColor, QImage, QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.base.language import ENGLISH, use
from errorflow_viewer.help.dressing import code_runs
from errorflow_viewer.help.manual import CONTENTS, Manual
from errorflow_viewer.help.window import FEATURES, ManualReader
from errorflow_viewer.kit.style import Appearance

MANUAL = Manual.read()
# Of the page in the window as it opens, in one of 1280 × 720, and in a narrow one.
SIZES = (QSize(799, 760), QSize(999, 720), QSize(460, 500))
# What the marks of Markdown are made of, what links lead to, and what pictures are said to show.
_MARKS = re.compile(r"^```\w+|!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|^[|\s:-]+$|\*\*|\\(?=[<|])", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z]{2,}|[\u4e00-\u9fff]+")


@pytest.fixture(params=["en", "zh_CN"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    use(request.param)
    yield request.param
    use(ENGLISH.key)


@pytest.fixture
def reader(appearance: Appearance, qtbot: QtBot) -> ManualReader:
    reader = ManualReader(MANUAL, appearance.theme)
    qtbot.addWidget(reader)
    reader.resize(SIZES[0])
    reader.show()
    return reader


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.width()}")
def test_no_page_scrolls_sideways(size: QSize, language: str, reader: ManualReader) -> None:
    """Not even by the px that a rounded number makes, and not for a moment until all is laid out."""
    reader.resize(size)
    wide = {}
    for path in (CONTENTS, *MANUAL.pages):
        reader.show_page(path)
        if reader.horizontalScrollBar().maximum():
            wide[path] = reader.horizontalScrollBar().maximum()
    assert wide == {}


def test_no_word_of_a_page_is_lost(language: str) -> None:
    """Qt loses what follows a tag that does not end."""
    lost = {}
    for path in MANUAL.pages:
        document = QTextDocument()
        document.setMarkdown(MANUAL.text(path), FEATURES)
        seen = document.toPlainText()
        missing = [word for word in _WORD.findall(_MARKS.sub(" ", MANUAL.text(path))) if word not in seen]
        if missing:
            lost[path] = missing[:5]
    assert lost == {}


def test_a_page_is_as_long_as_its_bar_says_at_once(reader: ManualReader) -> None:
    """Else a heading far below would not be reached, and one's place not kept."""
    reader.show_page("metrics.md")
    length = reader.verticalScrollBar().maximum()
    QApplication.processEvents()
    assert length == reader.verticalScrollBar().maximum() > 5000


def test_a_wide_table_breaks_names_and_no_word(reader: ManualReader) -> None:
    reader.resize(SIZES[1])
    reader.show_page("metrics.md")
    found = reader.document().find("when it misleads", options=QTextDocument.FindFlag.FindCaseSensitively)
    table = QTextCursor(found.block()).currentTable()

    assert table is not None and table.columns() == 8
    rows = [[table.cellAt(row, column).firstCursorPosition().block() for column in range(8)] for row in (0, 1)]
    assert [block.text() for block in rows[0][4:6]] == ["better", "measures"]
    assert [block.layout().lineCount() for block in (*rows[0][:7], rows[1][5])] == [1] * 8
    assert rows[1][0].layout().lineCount() == 2


def test_code_lies_on_one_ground(language: str, reader: ManualReader, appearance: Appearance) -> None:
    """In Chinese as well, whose letters are higher: between lines of its own ground the page would show."""
    reader.resize(SIZES[0])
    reader.show_page("how-to/start-a-comparison.md")
    (first, last), *_ = code_runs(reader.document())
    layout = reader.document().documentLayout()
    top = int(layout.blockBoundingRect(first).top())
    bottom = int(layout.blockBoundingRect(last).bottom())
    reader.verticalScrollBar().setValue(top - 50)
    begin = top - reader.verticalScrollBar().value()
    image = reader.viewport().grab().toImage()
    ends = {image.pixelColor(reader.viewport().width() - 30, y).name() for y in range(begin, begin + bottom - top)}
    assert ends == {QColor(appearance.theme.background).name()}


def test_pictures_are_made_as_large_as_they_are_shown(reader: ManualReader) -> None:
    """Qt would leave out pixels, and Chinese in them could not be read."""
    reader.resize(SIZES[0])
    reader.show_page("sample.md")
    image = reader.document().resource(QTextDocument.ResourceType.ImageResource.value, QUrl("pictures/start.png"))
    assert isinstance(image, QImage)
    assert image.width() == reader.viewport().width() - 48 < QImage(str(MANUAL.folder / "pictures/start.png")).width()
