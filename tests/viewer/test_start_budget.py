"""What a start loads, and when: the window must not pay for what it does not show yet."""

import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow_viewer.app.running import WARM
from errorflow_viewer.app.single import Listener
from errorflow_viewer.kit.settings import LAYOUT_VERSION, Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.panels import PANELS
from errorflow_viewer.panels.simulate.panel import SimulatePanel
from errorflow_viewer.window.window import MainWindow

# How many modules of the project a start may load. Whoever needs more: first look whether it can come later.
FRAME, VERSION, INSPECT = 365, 64, 230
ICONS = 15
HEAVY = {"onnx", "onnxruntime", "networkx", "pyqtgraph", "google.protobuf", "scipy"}
STARTED = """
import sys
from errorflow_viewer.app.start import main
from errorflow_viewer.app.running import FirstFrame
def tell(self):
    {seen}
FirstFrame._tell_frame, told = tell, FirstFrame._tell_frame
main(["--new-instance"])
"""
ALL = """names = *sys.modules, *(f"icon {name}" for name in followed())
    print(*(f"loaded {name}" for name in names), sep="\\n", flush=True)"""


def modules(code: str, home: Path, *arguments: str) -> set[str]:
    """What is loaded where a program prints the names, one a line."""
    own = {"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home}
    environment = {**os.environ, **{name: str(path) for name, path in own.items()}}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    loaded = {line.removeprefix("loaded ") for line in done.stdout.splitlines() if line.startswith("loaded ")}
    assert loaded, done.stderr
    return loaded


def ours(loaded: set[str]) -> list[str]:
    return sorted(name for name in loaded if name.split(".")[0] in ("errorflow", "errorflow_viewer"))


@pytest.fixture(scope="module")
def first_frame(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    seen = f"from errorflow_viewer.kit.icons import followed\n    {ALL}\n    self._window.close()"
    return modules(STARTED.format(seen=seen), tmp_path_factory.mktemp("home"))


def test_the_first_frame_needs_few_modules(first_frame: set[str]) -> None:
    loaded = ours(first_frame)
    assert len(loaded) <= FRAME, f"{len(loaded)} modules: {' '.join(loaded)}"


def test_a_start_that_hands_nothing_over_has_arrays_before_qt(tmp_path: Path) -> None:
    """Qt reads the source of each module that comes after it, and those of the arrays are the largest."""
    code = """
import sys
from errorflow_viewer.app import start
def tell(*_):
    names = list(sys.modules)
    print("loaded", "before" if names.index("numpy") < names.index("PySide6") else "after")
start._shown_or_handed_over = tell
start.main(["--new-instance"])"""
    assert modules(code, tmp_path) == {"before"}


def test_the_first_frame_needs_no_heavy_library_and_nothing_that_reads(first_frame: set[str]) -> None:
    assert HEAVY & first_frame == set()
    late = (
        "errorflow.formats",
        "errorflow.compare.results",
        "errorflow.run.engine",
        "errorflow.explain.inspect",
        "errorflow.report.toolchains",
    )
    assert [name for name in ours(first_frame) if name.startswith(late)] == []


def test_the_first_frame_needs_no_panel_and_no_texts_of_another_language(first_frame: set[str]) -> None:
    panels = {f"errorflow_viewer.panels.{panel.key}.panel" for panel in PANELS}
    single = {f"errorflow_viewer.panels.{key}" for key in ("nodes", "details", "problems", "log")}
    assert (
        panels | single | {"errorflow.base.language.catalogue", "errorflow.base.language.speaking"}
    ) & first_frame == set()


def test_the_first_frame_draws_few_icons(first_frame: set[str]) -> None:
    """Those of the toolbar and the start page; in a menu they are drawn when it opens."""
    drawn = {name for name in first_frame if name.startswith("icon ")}
    assert len(drawn) <= ICONS, " ".join(sorted(drawn))


def test_a_first_picture_needs_no_masked_arrays_and_no_list_of_problems(tmp_path: Path) -> None:
    """NumPy loads the former at the first plain `unique` and the first `median`."""
    code = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from errorflow.formats import read
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.drawings import Form, first_picture
from errorflow_viewer.document.finding import problems_text
from errorflow_viewer.document.state import State
model = read(Path(sys.argv[1]))
shown = first_picture(model.graph, Form())
app = QApplication([])
canvas = Canvas()
canvas.resize(800, 600)
canvas.show_drawing(shown.drawing, shown.draft.drawn)
canvas.grab()
assert problems_text(State(model=model)) == ""
print(*(f"loaded {name}" for name in sys.modules), sep="\\n")"""
    loaded = modules(code, tmp_path, str(SAMPLES[0].model))
    assert {"numpy.ma", "errorflow.explain.findings.problems", "onnx"} & loaded == set()


def test_soon_after_the_first_frame_what_will_be_needed_is_there(tmp_path: Path) -> None:
    seen = """told(self)
    from PySide6.QtCore import QTimer
    timer = QTimer(self._window, interval=10)
    def look():
        if all(dock.is_made for dock in self._window.panels.by_key.values()):
            print(*(f"loaded {name}" for name in sys.modules), sep="\\n", flush=True)
            self._window.close()
    timer.timeout.connect(look)
    timer.start()"""
    loaded = modules(STARTED.format(seen=seen), tmp_path)
    assert set(WARM) - loaded == set()


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(["--version"], VERSION), (["inspect", str(SAMPLES[0].model)], INSPECT)],
    ids=["version", "inspect"],
)
def test_the_command_line_loads_little(arguments: list[str], most: int, tmp_path: Path) -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print(*(f'loaded {name}' for name in sys.modules), sep='\\n'));"
        "from errorflow.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    loaded = modules(code, tmp_path, *arguments)
    assert {"PySide6", *HEAVY} & loaded == set()
    assert len(ours(loaded)) <= most, f"{len(ours(loaded))} modules: {' '.join(ours(loaded))}"


@pytest.mark.skipif(os.name == "nt", reason="Windows has pipes, which lie in no folder")
def test_a_second_start_loads_no_window(qtbot: QtBot, first: Listener, where: str) -> None:
    """It is over in a moment: without widgets, without arrays."""
    code = (
        "import atexit, sys; atexit.register(lambda: print(*(f'loaded {name}' for name in sys.modules), sep='\\n'));"
        "from errorflow_viewer.app import single; single.address = lambda: sys.argv[1];"
        "from errorflow_viewer.app.start import main; sys.exit(main(sys.argv[2:]))"
    )
    command, surroundings = [sys.executable, "-c", code, where, "/a.onnx"], {"XDG_RUNTIME_DIR": str(Path(where).parent)}
    with qtbot.waitSignal(first.received):
        second = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | surroundings)
    told = second.communicate()[0]
    loaded = {line.removeprefix("loaded ") for line in told.splitlines()}
    assert second.returncode == 0 and "PySide6.QtNetwork" in loaded
    assert {"PySide6.QtWidgets", "PySide6.QtGui", "numpy", "errorflow_viewer.app.running"} & loaded == set()


@pytest.fixture
def fresh(qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Path) -> Iterator[MainWindow]:
    """A window as it is at its first frame."""
    window = MainWindow(settings, appearance, tmp_path / "errorflow.log")
    window.resize(1280, 720)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.close()
    window.deleteLater()


def layout_of_the_last_time(qtbot: QtBot) -> QByteArray:
    """As a window keeps it, in which nobody moved a panel."""
    window, docks = QMainWindow(), {panel.key: QDockWidget() for panel in PANELS}
    qtbot.addWidget(window)
    for panel in PANELS:
        docks[panel.key].setObjectName(f"panel.{panel.key}")
        window.addDockWidget(panel.area, docks[panel.key])
        docks[panel.key].setVisible(panel.shown)
    for panel in PANELS:
        if panel.tab_of:
            window.tabifyDockWidget(docks[panel.tab_of], docks[panel.key])
    window.show()
    for panel in PANELS:
        if panel.shown and not panel.tab_of:
            docks[panel.key].raise_()
    return window.saveState(LAYOUT_VERSION)


class TestPanels:
    def test_none_is_made_before_it_is_needed(self, fresh: MainWindow) -> None:
        assert [key for key, dock in fresh.panels.by_key.items() if dock.is_made] == []

    def test_with_a_model_all_are_made_in_the_end(self, fresh: MainWindow, qtbot: QtBot) -> None:
        fresh.open(SAMPLES[0].model)
        qtbot.waitUntil(lambda: all(dock.is_made for dock in fresh.panels.by_key.values()))

    def test_those_that_lie_behind_others_wait_where_all_stood_the_last_time(
        self, qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Path
    ) -> None:
        """Each is seen for a moment while a layout is restored."""
        settings.layout = layout_of_the_last_time(qtbot)
        window = MainWindow(settings, appearance, tmp_path / "errorflow.log")
        window.show()
        qtbot.waitExposed(window)
        made: list[set[str]] = []

        def note(fields: Collection[str]) -> None:
            if "model" in fields:
                made.append({key for key, dock in window.panels.by_key.items() if dock.is_made})

        window.document.changed.connect(note)  # behind the window's own
        window.open(SAMPLES[0].model)
        qtbot.waitUntil(lambda: bool(made))
        assert {"nodes", "details", "profile"} <= made[0] and {"simulate", "runs"} & made[0] == set()
        window.close()
        window.deleteLater()

    def test_one_that_is_made_late_knows_what_is_on_view(self, fresh: MainWindow, qtbot: QtBot) -> None:
        fresh.open(SAMPLES[0].model)
        qtbot.waitUntil(lambda: fresh.document.model is not None)
        simulate = fresh.panels.by_key["simulate"]
        qtbot.waitUntil(lambda: simulate.is_made)
        content = simulate.content
        assert isinstance(content, SimulatePanel) and content.stack.currentWidget() is content.content

    def test_no_part_of_a_panel_is_a_window_for_a_moment(self, fresh: MainWindow, qtbot: QtBot) -> None:
        """It would flash, and take the keyboard away."""
        qtbot.waitUntil(fresh.isActiveWindow)
        fresh.panels.make_all()
        QApplication.processEvents()
        assert fresh.isActiveWindow()
