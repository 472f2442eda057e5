"""What is handed to Qt while another language is spoken, and what comes back."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import QComboBox, QFileDialog, QLabel, QMenu, QPushButton, QTextBrowser, QTreeWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from errorflow.base.language import ENGLISH, Verbatim, use
from errorflow.base.language.catalogue import Catalogue
from errorflow.base.language.model import CHINESE
from errorflow.base.language.tongue import speak
from errorflow_viewer.kit.translation import door

TEXTS = {"Open": "打开", "Close it": "关闭它", "Shape": "形状", "Verdict": "结论", "{count} nodes": "{count} 个节点"}
_NOTHING = QModelIndex()


@pytest.fixture(autouse=True)
def chinese(qtbot: QtBot) -> Iterator[None]:
    speak(CHINESE, Catalogue(TEXTS))
    door.open_door()
    yield
    door.close_door()
    use(ENGLISH.key)


class Told(QLabel):
    """Sets its text itself, by the constructor of Qt's class and by an own setter."""

    def __init__(self) -> None:
        super().__init__("Open")

    def setText(self, text: str) -> None:
        super().setText(text)


class Rows(QAbstractTableModel):
    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NOTHING) -> int:
        return 1

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _NOTHING) -> int:
        return 2

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return ("Shape", "Close it")[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return ("Shape", "Verdict")[section]


Rows.__module__ = "errorflow_viewer.rows_of_a_test"


def shown(text: str) -> str:
    """What Qt has: the door gives back English only."""
    return door.said(text)


def raw(thing: object, getter: str) -> str:
    """Past the door."""
    given = getattr(type(thing), getter)
    found: str = given.__wrapped__(thing)
    return found


@pytest.mark.parametrize(
    "made",
    [lambda: QLabel("Open"), lambda: QPushButton("Open"), lambda: QAction("Open"), Told],
    ids=["label", "button", "action", "own class"],
)
def test_a_text_is_translated_on_its_way_in_and_english_on_its_way_out(made: object, qtbot: QtBot) -> None:
    thing = made()  # type: ignore[operator]  # makes a widget
    assert (raw(thing, "text"), thing.text()) == ("打开", "Open")
    thing.setText("12 nodes")
    assert (raw(thing, "text"), thing.text()) == ("12 个节点", "12 nodes")


def test_tips_and_names_are_translated(qtbot: QtBot) -> None:
    widget = QWidget()
    widget.setToolTip("Close it")
    widget.setAccessibleName("Close it")
    assert (raw(widget, "toolTip"), raw(widget, "accessibleName")) == ("关闭它", "关闭它")


def test_menus_give_translated_actions(qtbot: QtBot) -> None:
    menu = QMenu()
    assert raw(menu.addAction("Open", lambda: None), "text") == "打开"
    assert raw(menu.addMenu("Close it"), "title") == "关闭它"


def test_keys_of_a_list_stay_and_its_texts_do_not(qtbot: QtBot) -> None:
    box = QComboBox()
    box.addItem("Open", "Open")
    box.setItemData(0, "Close it", Qt.ItemDataRole.ToolTipRole)
    assert box.itemData(0) == "Open"
    assert QComboBox.itemText.__wrapped__(box, 0) == "打开"  # type: ignore[attr-defined]  # while the door is open
    assert box.currentText() == "Open"


def test_a_dialog_for_files_is_told_its_title_and_kinds_and_gives_english_back(qtbot: QtBot) -> None:
    dialog = QFileDialog(None, "Open", "", "Verdict (*.csv);;Shape (*.txt)")
    assert (raw(dialog, "windowTitle"), dialog.windowTitle()) == ("打开", "Open")
    dialog.selectNameFilter("Shape (*.txt)")
    assert (raw(dialog, "selectedNameFilter"), dialog.selectedNameFilter()) == ("形状 (*.txt)", "Shape (*.txt)")


def test_a_text_may_be_shown_as_it_is(qtbot: QtBot) -> None:
    assert raw(QLabel(Verbatim("12 nodes as it is")), "text") == "12 nodes as it is"
    item = QTreeWidgetItem(["Open"])
    item.setToolTip(0, Verbatim("12 nodes of it"))
    assert QTreeWidgetItem.toolTip.__wrapped__(item, 0) == "12 nodes of it"  # type: ignore[attr-defined]  # while it is open


def test_pages_are_translated_between_their_tags(qtbot: QtBot) -> None:
    page = QTextBrowser()
    page.setHtml("<p><b>Verdict</b> 12 nodes</p>")
    assert page.toPlainText() == "结论 12 个节点"


def test_a_model_of_ours_gives_cells_and_headers_to_be_read(qtbot: QtBot) -> None:
    rows = Rows()
    assert rows.headerData(0, Qt.Orientation.Horizontal) == "形状"
    assert rows.data(rows.index(0, 1)) == "关闭它"
    assert rows.data(rows.index(0, 0)) == "Shape"  # it may be an operator
    assert rows.index(0, 1).data() == "Close it"
    assert rows.data(rows.index(0, 1), Qt.ItemDataRole.UserRole) == "Close it"


def test_what_is_measured_is_what_is_painted(qtbot: QtBot) -> None:
    metrics = QFontMetrics(QLabel().font())
    wide = metrics.horizontalAdvance("12 nodes")
    door.close_door()
    assert wide == metrics.horizontalAdvance("12 个节点")


def test_in_english_qt_is_as_it_was(qtbot: QtBot) -> None:
    door.close_door()
    assert not hasattr(QLabel.setText, "__wrapped__")
    assert QLabel("Open").text() == "Open"
    assert Rows().headerData(0, Qt.Orientation.Horizontal) == "Shape"


def test_the_door_opens_again(qtbot: QtBot) -> None:
    door.close_door()
    door.open_door()
    assert raw(QLabel("Open"), "text") == "打开"


def test_a_model_that_holds_what_was_not_written_for_the_window_is_shown_as_it_is() -> None:
    class Logged(Rows):
        is_verbatim = True

        def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
            return "Close it"

    Logged.__module__ = Rows.__module__
    logged = Logged()
    assert logged.data(logged.index(0, 1)) == "Close it"
    assert Rows().data(logged.index(0, 1)) != "Close it"


def test_methods_keep_their_names_and_nobody_asks_qt_for_its_help() -> None:
    """PySide would read the signatures of whole classes, a tenth of a second at each start."""
    assert QLabel.setText.__name__ == "setText" and QLabel.setText.__doc__ is None
