"""Everything that is of use has a name and a role for readers, and a way for the keyboard."""

from collections import Counter
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QToolBar, QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.accessible.labels import label_of
from errorflow_viewer.panels import PANELS
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import open_model, simulate
from viewer.spoken import has_way, of_use, takes_mouse, told

_SAYS_NOTHING = (QAccessible.Role.Client, QAccessible.Role.NoRole, QAccessible.Role.Border)
PAGES: tuple[tuple[str, Callable[[MainWindow], None]], ...] = (
    ("verdict page", lambda window: window.whole_pages.turn_verdict()),
    ("ticket page", lambda window: window.whole_pages.show_ticket()),
    ("align page", lambda window: window.whole_pages.show_align()),
    ("guide", lambda window: window.guide()),
    ("compare page", lambda window: window.compare()),
    ("settings page", lambda window: window.whole_pages.show_settings()),
    ("keys page", lambda window: window.whole_pages.show_keys()),
)


def complaints(root: QWidget) -> list[str]:
    root.window().activateWindow()
    for field in root.findChildren(QLineEdit) + root.findChildren(QComboBox):
        field.setFocus()  # Qt leaves out names that are given then
    found = [told(widget) for widget in of_use(root)]
    bad = [f"no name: {each}" for each in found if not each.name.strip()]
    bad += [
        f"no role: {each}"
        for each in found
        if each.role in _SAYS_NOTHING
        and takes_mouse(each.widget)
        and not isinstance(each.widget, QLineEdit)
        and "Header" not in type(each.widget).__name__
        and type(each.widget).__name__ != "_Number"
    ]
    bad += [f"no key: {each}" for each in found if takes_mouse(each.widget) and not has_way(each.widget)]
    combos = [each.widget for each in found if isinstance(each.widget, QComboBox)]
    bad += [f"no label: {told(each)}" for each in combos if label_of(each) is None]
    buttons = Counter(each.name for each in found if isinstance(each.widget, QAbstractButton))
    return bad + [f"named twice: {name}" for name, count in buttons.items() if count > 1]


def complaints_of_window(window: MainWindow) -> list[str]:
    """Of all but the panels; what the toolbar has is in the menus, under the same names."""
    bar = f"< {QToolBar.__name__} < {MainWindow.__name__}"
    window.panels.hide_all()
    return [each for each in complaints(window) if not each.endswith(bar) and "named twice" not in each]


def complaints_everywhere(window: MainWindow, qtbot: QtBot) -> list[str]:
    bad = [f"window: {each}" for each in complaints_of_window(window)]
    for panel in PANELS:
        window.panels.hide_all()
        window.panels.show(panel.key)
        QCoreApplication.processEvents()
        bad += [f"{panel.key}: {each}" for each in complaints(window.panels.by_key[panel.key])]
    window.reset_layout()
    for name, show in PAGES:
        show(window)
        qtbot.waitUntil(lambda: not window.jobs.steps)
        QCoreApplication.processEvents()
        page = window.stack.currentWidget()
        assert page is not None
        bad += [f"{name}: {each}" for each in complaints(page)]
        window.leave_page()
    return bad


def test_a_first_start_can_be_read_aloud(window: MainWindow) -> None:
    found = complaints_of_window(window)
    assert not found, "\n".join(found)


def test_all_of_an_empty_window_can_be_read_aloud(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    window.resize(1600, 1000)
    found = complaints_everywhere(window, qtbot)
    assert not found, "\n".join(found)


def test_all_of_a_case_can_be_read_aloud(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    simulate(window, qtbot)
    window.resize(1600, 1000)
    window.document.select(node=3)
    qtbot.waitUntil(lambda: not window.jobs.steps)
    found = complaints_everywhere(window, qtbot)
    assert not found, "\n".join(found)
