"""Markdown as it comes out of Qt, in the type of the app."""

from PySide6.QtGui import QFont, QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from errorflow_viewer.help.dressing import dressed
from errorflow_viewer.kit.look import LIGHT


def test_a_table_behind_code_has_its_head(qtbot: QtBot) -> None:
    """Qt gives its first cell an empty line, and does not make the head strong."""
    document = QTextDocument()
    text = "```sh\ncode\n```\n\n| option | what it does |\n| --- | --- |\n| a | b |\n"
    document.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
    dressed(document, LIGHT, 760.0)

    cursor = QTextCursor(document.findBlockByNumber(1))
    table = cursor.currentTable()
    assert table is not None
    heads = [table.cellAt(0, column).firstCursorPosition().block() for column in range(2)]
    assert [head.text() for head in heads] == ["option", "what it does"]
    assert all(head.begin().fragment().charFormat().fontWeight() == QFont.Weight.DemiBold for head in heads)


def test_a_cell_beside_empty_ones_begins_where_its_column_does(qtbot: QtBot) -> None:
    """Qt makes one of them: it was moved in as the last of them is."""
    document = QTextDocument()
    text = "| command | keys | what it does |\n| --- | --- | --- |\n| a | b | c |\n| d |  |  |\n"
    document.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
    dressed(document, LIGHT, 760.0)

    table = QTextCursor(document.findBlockByNumber(1)).currentTable()
    assert table is not None and table.cellAt(2, 2).column() == 0
    assert [table.cellAt(row, 0).format().toTableCellFormat().leftPadding() for row in (1, 2)] == [0, 0]
