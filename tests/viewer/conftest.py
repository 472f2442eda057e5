"""A real window on no screen, in a home of its own; whatever a test leaves behind fails it."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import SignalBlocker

from errorflow.graph.model import Model
from errorflow_viewer.app.single import Listener, address, first_or_hand_over
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow
from viewer.deep import deep_graph, settled
from viewer.lending import LENT, Lending, Prepare, end_window, made_window
from viewer.simulated import open_model, simulate

# Milliseconds. What comes comes as soon as ever: only a test that fails waits so long, and one on a busy machine.
PATIENCE = 30_000


class PatientBot(QtBot):
    """Waits for a condition as long as it may take where other programs have the processor."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(
        self,
        signal: Any,  # as pytest-qt has it
        *,
        timeout: int = PATIENCE,
        raising: bool | None = None,
        check_params_cb: Callable[..., bool] | None = None,
    ) -> SignalBlocker:
        return super().waitSignal(signal, timeout=timeout, raising=raising, check_params_cb=check_params_cb)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """In place of the one of pytest-qt, which gives up after five seconds."""
    return PatientBot(request)


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    """Shows in a window what the tests of a module share: the sample, simulated."""

    def simulated(window: MainWindow, qtbot: QtBot) -> None:
        open_model(window, qtbot)
        simulate(window, qtbot)

    return simulated


@pytest.fixture(scope="module")
def lending(tmp_path_factory: pytest.TempPathFactory, appearance: Appearance, prepare: Prepare) -> Iterator[Lending]:
    lending = Lending(tmp_path_factory.mktemp("lent"), appearance, prepare)
    yield lending
    lending.end()


@pytest.fixture(autouse=True)
def nothing_left_behind(qapp: QApplication) -> Iterator[None]:
    """Fails a test that leaves threads or top-level widgets."""
    threads, widgets = set(threading.enumerate()), set(qapp.topLevelWidgets())
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    for lending in LENT:
        lending.settle()
        widgets |= lending.widgets
    left = [thread.name for thread in threading.enumerate() if thread not in threads]
    assert not left, f"threads left running: {left}"
    shown = [widget for widget in qapp.topLevelWidgets() if widget not in widgets and widget.isVisible()]
    assert not shown, f"windows left open: {shown}"


@pytest.fixture(scope="session")
def appearance(qapp: QApplication) -> Appearance:
    return Appearance(qapp, "light")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def own_window(qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Path) -> Iterator[MainWindow]:
    """The main window of a first start."""
    window = made_window(settings, appearance, tmp_path / "errorflow.log", qtbot)
    yield window
    end_window(window)


@pytest.fixture
def window(request: pytest.FixtureRequest) -> MainWindow:
    """One of its own, unless the test is among those that share one."""
    found = request.getfixturevalue("lent_window" if "lent_window" in request.fixturenames else "own_window")
    assert isinstance(found, MainWindow)
    return found


@pytest.fixture
def lent_window(lending: Lending, qtbot: QtBot) -> Iterator[MainWindow]:
    """The window that the tests of a module share, with what `prepare` shows in it."""
    yield lending.lend(qtbot)
    lending.take_back(qtbot)


@pytest.fixture
def deep(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with a graph of 216 nodes in groups of groups."""
    window.document.open(Model(Path("/models/deep.onnx"), "ONNX model", deep_graph()))
    for key in ("profile", "runs"):  # what is measured here is measured in the whole room
        window.panels.hide(key)
    settled(window, qtbot)
    return window


@pytest.fixture
def where(tmp_path: Path) -> str:
    """The address of the first start."""
    found = address(tmp_path)
    assert found is not None
    return found


@pytest.fixture
def first(qapp: object, where: str) -> Iterator[Listener]:
    """Listens there."""
    listener = first_or_hand_over(where, [])
    assert isinstance(listener, Listener)
    yield listener
    listener.close()
