"""What a reader is told of the graph, of plots and cards, and of what happens by itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAccessibleWidget, QApplication, QMenu
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit import motion
from errorflow_viewer.kit.accessible.regions import GraphFace, Pressed
from errorflow_viewer.kit.accessible.voice import VOICE
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.pages.start.recent_card import Card
from errorflow_viewer.panels.nodes import NodesPanel
from errorflow_viewer.panels.profile.plot import ProfileView
from errorflow_viewer.window.window import MainWindow
from viewer.pairs import beside, paired
from viewer.simulated import CULPRIT, open_model

Text, Role = QAccessible.Text, QAccessible.Role


@pytest.fixture
def case(lent_window: MainWindow) -> MainWindow:
    return lent_window


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """All that is said aloud."""
    found: list[str] = []

    def hear(text: str, _urgent: bool) -> None:
        found.append(text)

    VOICE.spoke.connect(hear)
    yield found
    VOICE.spoke.disconnect(hear)


def face_of(widget: object) -> QAccessibleInterface:
    face = QAccessible.queryAccessibleInterface(widget)  # type: ignore[arg-type]  # whatever has one
    assert face is not None
    return face


def test_the_graph_tells_what_is_selected_and_how_bad_it_is(case: MainWindow) -> None:
    face = face_of(case.view)
    assert isinstance(face, GraphFace)
    assert (face.text(Text.Name), face.role()) == ("Model graph", Role.Canvas)
    assert case.document.graph is not None
    case.document.select(node=case.document.graph.node_index(CULPRIT))
    now = face.child(0)
    assert now is not None and now.role() == Role.ListItem
    told = now.text(Text.Name)
    assert CULPRIT in told and "Conv" in told and "origin" in told.lower() and "elative error" in told


def test_another_node_is_another_thing_for_readers(own_window: MainWindow, qtbot: QtBot) -> None:
    case = own_window
    open_model(case, qtbot)
    face = face_of(case.view)
    case.document.select(node=2)
    before = face.child(0)
    case.document.select(node=3)
    after = face.child(0)
    assert before is not after and after is face.child(0)
    assert before is not None and after is not None
    assert before.text(Text.Name) != after.text(Text.Name), "two of one name are one for readers"
    assert face.indexOfChild(after) == 0


def test_the_limits_on_the_graph_count_among_what_it_holds(case: MainWindow) -> None:
    face = face_of(case.view)
    handles = [face_of(handle) for handle in case.view.limits.handles.values()]
    held = [face.child(number) for number in range(face.childCount())]
    for handle in handles:
        assert held[face.indexOfChild(handle)] is handle and face.indexOfChild(handle) > 0


def test_a_group_and_a_tensor_are_told_too(case: MainWindow, qtbot: QtBot) -> None:
    face = face_of(case.view)
    assert case.document.graph is not None
    case.document.select(tensor=int(case.document.graph.inputs[0]))
    tensor = face.text(Text.Description)
    case.document.select(group=0)
    group = face.text(Text.Description)
    assert "Input" in tensor and "open group" in group
    case.folds.close_all()
    qtbot.waitUntil(lambda: not case.jobs.steps)
    assert "none selected" not in face.text(Text.Description)


def test_the_list_of_nodes_follows_the_graph_and_leads_it(case: MainWindow) -> None:
    panel = case.panels.by_key["nodes"].content
    assert isinstance(panel, NodesPanel)
    view = panel.view
    case.document.select(node=4)
    assert panel.table.number_at(view.currentIndex().row()) == 4
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    chosen = panel.table.number_at(view.currentIndex().row())
    assert chosen == case.document.state.node
    assert chosen is not None and case.document.graph is not None
    assert case.document.graph.node_names[chosen] in face_of(case.view).text(Text.Description)


def test_the_second_graph_has_a_name_and_a_selection_of_its_own(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    face = face_of(beside(window).view.canvas)
    assert isinstance(face, GraphFace) and face.text(Text.Name) == "Second model graph"
    window.document.select(node=3)
    qtbot.waitUntil(lambda: "none selected" not in face.text(Text.Description))


def test_a_card_is_a_button_that_readers_can_press(window: MainWindow) -> None:
    card = next(each for each in window.start.findChildren(Card) if each.accessibleName().startswith("Open sample"))
    face = face_of(card)
    assert isinstance(face, Pressed) and face.role() == Role.Button
    chosen: list[bool] = []
    card.chosen.disconnect()
    card.chosen.connect(lambda: chosen.append(True))
    face.doAction(QAccessibleWidget.pressAction())
    assert chosen == [True]


def test_messages_and_answers_are_said(window: MainWindow, heard: list[str]) -> None:
    window.banners.show_notice(Notice("error", "It broke.", "Mend it."))
    window.say("Done so")
    assert heard == ["It broke. Mend it.", "Done so"]


def test_a_verdict_is_said_when_it_is_there(case: MainWindow, qtbot: QtBot, heard: list[str]) -> None:
    plan = case.document.session.simulation
    assert plan is not None
    case.studies.simulating.edit("Keep it in float", plan.plan.keeping_float(CULPRIT))
    qtbot.waitUntil(lambda: any("error" in text for text in heard))


def test_the_profile_is_brushed_by_keys(case: MainWindow, qtbot: QtBot) -> None:
    case.panels.show("profile")
    qtbot.waitUntil(lambda: bool(case.panels.by_key["profile"].findChildren(ProfileView)))
    plot = case.panels.by_key["profile"].findChildren(ProfileView)[0]
    qtbot.waitUntil(lambda: plot.profile is not None)
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Right):
        QTest.keyClick(plot, key)
    start = plot.selected
    for _ in range(3):
        QTest.keyClick(plot, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert plot.brush is not None and plot.brush[0] == start and plot.brush[1] > plot.brush[0]
    assert case.document.state.search.startswith("depth:")
    QTest.keyClick(plot, Qt.Key.Key_Escape)
    assert plot.brush is None


def test_what_the_legend_explains_is_found_by_keys(case: MainWindow) -> None:
    case.activateWindow()
    case.focus_graph()
    case.commands.refresh()
    case.commands.made["legend.find"].trigger()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.actions()[-1].trigger()
    menu.close()
    assert case.document.state.search


def test_shift_f10_on_a_limit_is_the_menu_of_the_legend(case: MainWindow) -> None:
    case.activateWindow()
    case.view.limits.handles["good"].setFocus()
    QTest.keyClick(case, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert case.commands.made["limits.reset"] in menu.actions()
    menu.close()


@pytest.mark.parametrize(("choice", "reduced"), [("on", True), ("off", False)])
def test_who_chose_about_motion_is_heard(tmp_path: Path, choice: str, reduced: bool) -> None:
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    settings.reduced_motion = choice  # type: ignore[assignment]  # one of them
    assert motion.is_reduced(settings) is reduced


@pytest.mark.parametrize(
    ("file", "text", "reduced"),
    [
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n", True),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n", False),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=false\n", True),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=1\n", False),
        ("kdeglobals", "no settings at all \x00", False),
    ],
)
def test_what_linux_desktops_keep_in_files_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str, reduced: bool
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)
    assert motion._linux() is reduced
