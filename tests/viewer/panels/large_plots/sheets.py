"""What tests do in the window of a large plot."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.graph.dump import TensorInfo
from errorflow_viewer.panels.inspector.content import Content
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.profile.panel import ProfilePanel
from errorflow_viewer.plots.figure_sheet import FigureSheet
from errorflow_viewer.plots.map_sheet import MapSheet
from errorflow_viewer.plots.sheet import PlotSheet
from errorflow_viewer.plots.window import PlotWindow
from errorflow_viewer.window.palette import find
from errorflow_viewer.window.window import MainWindow

RELU, STEM = "/block2/depthwise/act/Relu", "/stem/conv/Conv"
NODES, WORST = 40, 20
LARGE = ("histogram", "errors", "scatter", "channels", "planes")
INFO = TensorInfo("", "float32", (1,), 4)


def profile_panel(window: MainWindow) -> ProfilePanel:
    content = window.panels.by_key["profile"].content
    assert isinstance(content, ProfilePanel)
    return content


def select(content: Content, window: MainWindow, qtbot: QtBot, name: str) -> None:
    graph = window.document.graph
    assert graph is not None
    window.document.select(node=graph.node_index(name))
    qtbot.waitUntil(lambda: is_complete(content), timeout=30_000)


def is_complete(content: Content) -> bool:
    subject = content.subject
    return subject is not None and subject.looked is not None and subject.looked.complete


def sheet_of(opened: PlotWindow | None, qtbot: QtBot) -> PlotSheet:
    assert opened is not None
    qtbot.waitExposed(opened)
    QApplication.processEvents()
    assert opened.sheet is not None
    return opened.sheet


def enlarge(panel: InspectorPanel, key: str, qtbot: QtBot) -> PlotWindow:
    QTest.mouseClick(panel.content.buttons.by_key[key], Qt.MouseButton.LeftButton)
    QTest.mouseClick(panel.enlarge, Qt.MouseButton.LeftButton)
    large = panel.content.views[key].large
    assert large is not None and large.window is not None
    sheet_of(large.window, qtbot)
    return large.window


def spot(sheet: PlotSheet, x: float, y: float) -> QPoint:
    """Where a place of the axes is in the first box."""
    found: QPoint = sheet.mapFromScene(sheet.boxes[0].mapViewToScene(QPointF(x, y)))
    return found


def heard(sheet: PlotSheet) -> list[str]:
    texts: list[str] = []
    sheet.said.connect(texts.append)
    return texts


def turn_wheel(sheet: PlotSheet, at: QPoint, notches: int) -> None:
    port = sheet.viewport()
    spot, none = QPointF(at), Qt.MouseButton.NoButton
    event = QWheelEvent(
        spot, QPointF(port.mapToGlobal(at)), QPoint(), QPoint(0, 120 * notches), none,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(port, event)


def hover(sheet: PlotSheet, at: QPoint) -> None:
    """On no screen the cursor would be over whatever window was there first."""
    port, none = sheet.viewport(), Qt.MouseButton.NoButton
    move, keys = QEvent.Type.MouseMove, Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(move, QPointF(at), QPointF(port.mapToGlobal(at)), none, none, keys)
    QApplication.sendEvent(port, event)


def drag(sheet: PlotSheet, start: QPoint, end: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    port, none = sheet.viewport(), Qt.KeyboardModifier.NoModifier
    QTest.mousePress(port, button, none, start)
    for share in (0.3, 0.6, 1.0):
        QTest.mouseMove(port, start + (end - start) * share, 15)
    QTest.mouseRelease(port, button, none, end, 15)


def commands(window: MainWindow) -> dict[str, Callable[[], None]]:
    """What the palette offers about large plots."""
    found = [item for item in find("plots in large size", window) if item.text.startswith("Plots in large size: ")]
    return {item.text.removeprefix("Plots in large size: "): item.run for item in found}


def figure_sheet(opened: PlotWindow) -> FigureSheet:
    assert isinstance(opened.sheet, FigureSheet)
    return opened.sheet


def map_sheet(opened: PlotWindow) -> MapSheet:
    assert isinstance(opened.sheet, MapSheet)
    return opened.sheet


def colors(sheet: PlotSheet) -> set[int]:
    """Some of those that are seen."""
    image = sheet.image(1.0)
    return {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 5)}
