"""Two graphs go in step."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.layout.folding import visible
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow
from viewer.pairs import CONV, beside, calm, node, paired, shown


def test_a_click_selects_the_partner_in_the_other_graph(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)

    window.document.select(node(window, CONV))
    other = window.pair.second.document
    assert other.state.node == node(window, CONV, second=True)

    other.select(node(window, "/block2/expand/conv/Conv", second=True))
    assert window.document.state.node == node(window, "/block2/expand/conv/Conv")


def test_what_is_waited_for_ends_with_the_window(
    qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Path
) -> None:
    settings.switch("still", True)
    window = MainWindow(settings, appearance, tmp_path / "errorflow.log")
    window.show()
    paired(window, qtbot)
    following = beside(window).following
    gone: list[object] = []
    following.destroyed.connect(lambda: gone.append(True))
    window.close()
    beside(window).view.canvas.moved.emit()
    window.view.moved.emit()

    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()

    assert len(gone) == 1


def test_the_partner_is_brought_into_sight(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    view = beside(window).view
    view.canvas.look_at(view.canvas.middle(), 2.0, animate=False)
    last = len(window.document.graph or ()) - 1

    window.document.show(last)
    calm(window, qtbot)

    partners = beside(window).outlines["second"].partners.tolist()
    assert partners
    assert any(view.canvas.in_sight(box) for box in partners)


def test_what_has_no_partner_selects_nothing_there_and_is_outlined(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    window.document.select(node(window, CONV))

    window.pair.second.document.select(node(window, "image_QuantizeLinear", second=True))

    assert window.document.state.is_bare
    picture = shown(beside(window).view)
    lonely = beside(window).outlines["second"].lonely
    assert picture.box_of(node(window, "image_QuantizeLinear", second=True)) in lonely
    assert picture.box_of(node(window, CONV, second=True)) not in lonely
    assert len(beside(window).outlines["main"].lonely) == 0
    assert beside(window).pane.title.lonely.text() == "72 inserted"


def test_a_group_that_opens_opens_the_groups_of_the_partners(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.close_all()
    calm(window, qtbot)
    assert visible(shown(beside(window).view).outline, beside(window).view.groups) == frozenset()

    window.folds.open_all()
    calm(window, qtbot)

    box = shown(beside(window).view).box_of(node(window, CONV, second=True))
    assert box is not None
    assert shown(beside(window).view).group_of(box) is None


def test_folds_of_the_second_graph_lead_as_well(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    beside(window).folds.close_all()
    calm(window, qtbot)
    closed = len(shown(window._graph_view).drawing)

    beside(window).folds.open_all()
    calm(window, qtbot)

    assert len(shown(window._graph_view).drawing) > closed


def test_zoom_and_pan_go_in_step_while_they_are_linked(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    main, other = window.view, beside(window).view.canvas
    box = shown(window._graph_view).box_of(node(window, CONV))
    partner = shown(beside(window).view).box_of(node(window, CONV, second=True))
    assert box is not None
    assert partner is not None

    main.centre_on(box, 1.5, animate=False)
    calm(window, qtbot)

    assert other.zoom == pytest.approx(1.5)
    assert (main.place_of(box).center() - other.place_of(partner).center()).manhattanLength() < 80
    here = other.middle()
    main.pan(0, -200)
    calm(window, qtbot)
    assert other.middle().y() > here.y()


def test_the_one_that_is_touched_leads(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    other = beside(window).view.canvas

    QTest.mouseClick(other, Qt.MouseButton.LeftButton, pos=QPoint(5, 40))
    other.zoom_to(1.25)
    calm(window, qtbot)

    assert beside(window).following.leader == "second"
    assert window.view.zoom == pytest.approx(1.25)


def test_unlinked_views_stay_where_they_are(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    window.commands.made["second.linked"].trigger()
    zoom, middle = beside(window).view.canvas.zoom, beside(window).view.canvas.middle()

    window.view.look_at(window.view.middle(), 2.0, animate=False)
    calm(window, qtbot)

    assert (beside(window).view.canvas.zoom, beside(window).view.canvas.middle()) == (zoom, middle)
    assert not beside(window).link_button.isChecked()


def test_the_pointer_rings_the_partner(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    box = shown(window._graph_view).box_of(node(window, CONV))

    window.view.hover(box)

    partner = shown(beside(window).view).box_of(node(window, CONV, second=True))
    assert beside(window).outlines["second"].hovered.tolist() == [partner]
    window.view.hover(None)
    assert len(beside(window).outlines["second"].hovered) == 0


def test_the_pointer_in_the_second_graph_points_in_lists_and_curves(window: MainWindow, qtbot: QtBot) -> None:
    paired(window, qtbot)
    window.folds.open_all()
    calm(window, qtbot)
    heard: list[object] = []
    window.document.pointed.connect(heard.append)

    beside(window).view.canvas.hover(shown(beside(window).view).box_of(node(window, CONV, second=True)))
    beside(window).view.canvas.hover(None)

    assert heard == [node(window, CONV), None]
    window.document.pointed.emit(node(window, CONV))
    partner = shown(beside(window).view).box_of(node(window, CONV, second=True))
    assert beside(window).outlines["second"].hovered.tolist() == [partner]
