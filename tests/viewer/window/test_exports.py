"""Exporting from the window, dialog and all."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from errorflow import __version__
from errorflow.base.sample import SAMPLES
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.window.exports import with_ending
from errorflow_viewer.window.window import MainWindow
from since_cases import write_case
from viewer.lending import Prepare
from viewer.models import branching_model
from viewer.simulated import open_model, simulate

MODEL = SAMPLES[0].model
KINDS = ("svg", "pdf", "png")


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    def sample(window: MainWindow, qtbot: QtBot) -> None:
        open_model(window, qtbot, MODEL)
        qtbot.waitUntil(lambda: not window.jobs.steps)
        window.banners.leave_model()  # the story of the sample: from here on only what is said of exports counts

    return sample


@pytest.fixture
def opened(lent_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """With the settings of a first start."""
    window = lent_window
    window.settings.remember_export(tmp_path, window.document.folder)
    window.settings.picture_scale = 2
    window.switches.choose_view("auto")
    if not window.commands.made["export.caption"].isChecked():
        window.commands.made["export.caption"].trigger()
    yield window
    for dialog in window.findChildren(QFileDialog):
        dialog.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _dialog(window: MainWindow) -> QFileDialog:
    [dialog] = [dialog for dialog in window.findChildren(QFileDialog) if dialog.isVisible()]
    return dialog


def _export(window: MainWindow, qtbot: QtBot, command: str, path: Path, filter_: str = "") -> None:
    """Runs a command and answers its dialog; waits for what comes of it."""
    window.commands.made[command].trigger()
    dialog = _dialog(window)
    if filter_:
        dialog.selectNameFilter(filter_)
    dialog.selectFile(str(path))
    dialog.fileSelected.emit(str(path))
    dialog.close()
    qtbot.waitUntil(lambda: not window.jobs.steps and bool(window.banners.rows))


class TestName:
    def test_the_dialog_proposes_model_and_view_where_the_last_picture_went(
        self, opened: MainWindow, tmp_path: Path
    ) -> None:
        opened.commands.made["export.view"].trigger()
        [chosen] = _dialog(opened).selectedFiles()
        assert Path(chosen) == tmp_path / f"{MODEL.stem}-view.png"

    @pytest.mark.parametrize("kind", KINDS)
    def test_columns_are_named(self, opened: MainWindow, qtbot: QtBot, kind: str) -> None:
        opened.switches.choose_view("columns")
        qtbot.waitUntil(lambda: not opened.jobs.steps)
        opened.commands.made[f"export.{kind}"].trigger()
        [chosen] = _dialog(opened).selectedFiles()
        assert Path(chosen).name == f"{MODEL.stem}-columns.{kind}"

    def test_a_body_is_named_without_signs_that_no_file_name_takes(self, opened: MainWindow, qtbot: QtBot) -> None:
        opened.document.open(branching_model())
        opened.document.go(Place((0,)))
        qtbot.waitUntil(lambda: opened.view.counts is not None and not opened.jobs.steps)
        opened.commands.made["export.svg"].trigger()
        [chosen] = _dialog(opened).selectedFiles()
        assert "if1_then_branch" in Path(chosen).name

    @pytest.mark.parametrize(
        ("name", "found"),
        [("a", "a.png"), ("a.png", "a.png"), ("A.PNG", "A.PNG"), ("a.svg", "a.svg.png"), ("a.b", "a.b.png")],
    )
    def test_every_file_gets_its_ending(self, name: str, found: str) -> None:
        assert with_ending(Path("/x") / name, "png") == Path("/x") / found


class TestView:
    @pytest.mark.parametrize("scale", [1, 4])
    def test_it_is_written_as_fine_as_one_chose(
        self, opened: MainWindow, qtbot: QtBot, tmp_path: Path, scale: int
    ) -> None:
        opened.commands.made["export.caption"].trigger()
        text = f"PNG, {scale}× the pixels of the screen (*.png)"
        width, height = opened.view.width(), opened.view.height()
        _export(opened, qtbot, "export.view", tmp_path / "view.png", text)

        image = QImage(str(tmp_path / "view.png"))
        assert (image.width(), image.height()) == (scale * width, scale * height)
        assert opened.settings.picture_scale == scale

    @pytest.mark.parametrize("scale", [1, 3])
    def test_round_it_stands_what_it_shows(self, opened: MainWindow, qtbot: QtBot, scale: int) -> None:
        opened.settings.picture_scale = scale
        opened.commands.made["export.copy"].trigger()
        image, view = QGuiApplication.clipboard().image(), opened.view.picture(scale, legend=False)

        assert image.height() > view.height() + 100 * scale
        assert _contains(image, view)

    def test_both_graphs_are_on_it(self, opened: MainWindow, qtbot: QtBot) -> None:
        opened.pair.open(SAMPLES[1].model)
        qtbot.waitUntil(lambda: opened.pair.second.model is not None and not opened.jobs.steps)
        opened.settings.picture_scale = 1
        beside = opened.pair.beside
        assert beside is not None
        qtbot.waitUntil(lambda: beside.view.shown is not None)
        opened.commands.made["export.copy"].trigger()

        image = QGuiApplication.clipboard().image()
        assert _contains(image, opened.view.picture(1, legend=False))
        assert _contains(image, beside.view.canvas.picture(1, legend=False))

    def test_a_mark_in_the_legend_covers_nothing(self, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        """The legend of a change ends with a filled arrow."""
        before, now = (write_case(tmp_path, name, {"a": error}) for name, error in (("before", 1e-3), ("now", 0.5)))
        window.settings.picture_scale = 1
        window.open(now)
        qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)
        window.studies.earlier.compare(before)
        qtbot.waitUntil(lambda: window.view.counts is not None and _is_diverging(window))
        window.commands.made["export.copy"].trigger()

        assert _contains(QGuiApplication.clipboard().image(), window.view.picture(1, legend=False))

    def test_the_caption_can_be_left_out_and_that_is_remembered(self, opened: MainWindow) -> None:
        opened.commands.made["export.caption"].trigger()

        assert not opened.commands.made["export.caption"].isChecked()
        assert not opened.settings.is_on("caption", True)

    def test_it_goes_to_the_clipboard(self, opened: MainWindow) -> None:
        opened.commands.made["export.caption"].trigger()
        opened.commands.made["export.copy"].trigger()

        assert QGuiApplication.clipboard().image().width() == 2 * opened.view.width()


def _line(image: QImage, row: int) -> bytes:
    begin = row * image.bytesPerLine()
    return bytes(image.constBits()[begin : begin + 4 * image.width()])


def _is_diverging(window: MainWindow) -> bool:
    paint = window._graph_view.errors.paint
    return paint is not None and paint.diverging


def _contains(page: QImage, part: QImage) -> bool:
    """Whether a part of a page is that picture, but for the hairline round it."""
    inner = part.copy(part.rect().adjusted(1, 1, -1, -1)).convertToFormat(QImage.Format.Format_RGB32)
    row = _line(inner, inner.height() // 2)
    page = page.convertToFormat(QImage.Format.Format_RGB32)
    for top in range(page.height() - inner.height()):
        left = _line(page, top + inner.height() // 2).find(row)
        if left >= 0 and left % 4 == 0 and page.copy(left // 4, top, inner.width(), inner.height()) == inner:
            return True
    return False


class TestGraph:
    def test_an_svg_says_what_was_compared_when_and_by_what(
        self, opened: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        _export(opened, qtbot, "export.svg", tmp_path / "graph.svg")

        text = (tmp_path / "graph.svg").read_text("utf-8")
        assert "The two runs of the built-in sample" in text
        assert f"Errorflow {__version__}" in text

    def test_an_svg_holds_all_boxes_of_the_drawing(self, opened: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        opened.folds.open_all()
        _export(opened, qtbot, "export.svg", tmp_path / "graph.svg")

        root = ET.parse(tmp_path / "graph.svg").getroot()
        ids = [str(group.get("id")) for group in root.iter("{http://www.w3.org/2000/svg}g") if group.get("id")]
        assert opened.document.model is not None
        assert sum(name.startswith("node-") for name in ids) == len(opened.document.model.graph)

    def test_a_pdf_is_one(self, opened: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        _export(opened, qtbot, "export.pdf", tmp_path / "graph.pdf")

        assert (tmp_path / "graph.pdf").read_bytes().startswith(b"%PDF-")

    def test_a_png_is_as_fine_as_one_chose(self, opened: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        sizes = {}
        for scale in (1, 3):
            path = tmp_path / f"graph{scale}.png"
            _export(opened, qtbot, "export.png", path, f"PNG, {scale}× the pixels of the screen (*.png)")
            sizes[scale] = QImage(str(path)).width()

        assert sizes[3] == pytest.approx(3 * sizes[1], abs=3)

    def test_it_wears_the_theme_of_the_window(self, opened: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        opened.set_theme("dark")
        _export(opened, qtbot, "export.svg", tmp_path / "graph.svg")
        _export(opened, qtbot, "export.png", tmp_path / "graph.png")

        assert opened.appearance.theme.canvas in (tmp_path / "graph.svg").read_text("utf-8")
        assert QImage(str(tmp_path / "graph.png")).pixelColor(0, 0).name().upper() == opened.appearance.theme.canvas


class TestHowItWent:
    def test_a_banner_says_where_it_is_and_opens_the_folder(
        self, opened: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shown: list[str] = []

        def show(url: QUrl) -> bool:
            shown.append(url.toLocalFile())
            return True

        monkeypatch.setattr(QDesktopServices, "openUrl", show)
        folder = tmp_path / "new"
        folder.mkdir()
        _export(opened, qtbot, "export.svg", folder / "graph.svg")

        row = opened.banners.rows[0]
        assert (row.notice.kind, row.notice.text, row.notice.hint) == ("info", "graph.svg is written.", str(folder))
        next(button for button in row.buttons() if button.text() == "Open folder").click()
        assert shown == [str(folder)]
        assert opened.settings.export_folder(opened.document.folder) == str(folder)

    @pytest.mark.parametrize("command", ["export.view", *(f"export.{kind}" for kind in KINDS)])
    def test_a_failure_is_a_sentence_and_leaves_nothing(
        self, opened: MainWindow, qtbot: QtBot, tmp_path: Path, command: str
    ) -> None:
        ending = "png" if command == "export.view" else command.split(".")[1]
        folder = tmp_path / "gone"
        _export(opened, qtbot, command, folder / f"graph.{ending}")

        notice = opened.banners.rows[0].notice
        assert notice.kind == "error"
        assert "could not be written" in notice.text
        assert not folder.exists()

    def test_a_cancel_leaves_nothing(
        self, own_window: MainWindow, prepare: Prepare, qtbot: QtBot, tmp_path: Path
    ) -> None:
        opened = own_window
        prepare(opened, qtbot)
        opened.commands.made["export.png"].trigger()
        dialog = _dialog(opened)
        opened.jobs.changed.connect(lambda steps: opened.cancel() if steps else None)
        dialog.fileSelected.emit(str(tmp_path / "graph.png"))
        dialog.close()
        assert opened.jobs.stop()

        assert list(tmp_path.glob("*graph*")) == []
        assert opened.banners.rows == []

    def test_with_nothing_open_nothing_is_asked(self, window: MainWindow) -> None:
        for key in ("export.view", "export.copy", *(f"export.{kind}" for kind in KINDS)):
            assert not window.commands.made[key].isEnabled()
        window.exports.save_view()
        window.exports.save_graph("svg")

        assert window.findChildren(QFileDialog) == []


class TestSettings:
    def test_folder_and_scale_are_remembered(self, settings: Settings, tmp_path: Path) -> None:
        beside = tmp_path / "models"
        settings.remember_export(tmp_path, beside)
        settings.picture_scale = 3

        assert (settings.export_folder(beside), settings.picture_scale) == (str(tmp_path), 3)

    @pytest.mark.parametrize("known", [True, False])
    def test_a_folder_that_is_gone_counts_as_none(self, settings: Settings, tmp_path: Path, known: bool) -> None:
        beside = tmp_path if known else None
        settings.remember_export(tmp_path / "gone", beside)

        assert settings.export_folder(beside) == str(tmp_path if known else Path.home())

    def test_what_is_written_begins_beside_its_model_wherever_others_went(
        self, settings: Settings, tmp_path: Path
    ) -> None:
        for name in ("here", "there", "elsewhere"):
            (tmp_path / name).mkdir()
        settings.remember_export(tmp_path / "elsewhere", tmp_path / "there")
        settings.add_recent(tmp_path / "elsewhere" / "m.onnx")

        assert settings.export_folder(tmp_path / "here") == str(tmp_path / "here")
        assert settings.export_folder(None) == str(Path.home())

    @pytest.mark.parametrize("rubbish", ["", "x", "7", "2.5"])
    def test_a_scale_that_is_none_counts_as_two(self, settings: Settings, rubbish: str) -> None:
        settings._store.setValue("files/scale", rubbish)

        assert settings.picture_scale == 2


class TestReport:
    def test_what_is_on_view_becomes_a_page(self, opened: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        qtbot.waitUntil(lambda: opened.document.state.findings is not None)
        _export(opened, qtbot, "export.report", tmp_path / "case.html")
        assert [row.notice.text for row in opened.banners.rows] == ["case.html is written."]
        page = (tmp_path / "case.html").read_text(encoding="utf-8")
        verdict = opened.document.state.case
        assert verdict is not None and verdict.blame is not None
        assert verdict.blame.model.kind.capitalize() in page
        assert f'id="node-{len(opened.document.state.findings.graph) - 1}"' in page  # type: ignore[union-attr]  # waited for

    def test_it_becomes_a_document_to_print(self, opened: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        qtbot.waitUntil(lambda: opened.document.state.findings is not None)
        _export(opened, qtbot, "export.paper", tmp_path / "case.pdf")
        assert [row.notice.text for row in opened.banners.rows] == ["case.pdf is written."]
        assert (tmp_path / "case.pdf").read_bytes().count(b"/Type /Page\n") > 2

    def test_it_becomes_tables(self, opened: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        qtbot.waitUntil(lambda: opened.document.state.findings is not None)
        _export(opened, qtbot, "export.tables", tmp_path / "case.csv")
        assert {path.name for path in tmp_path.glob("*.csv")} == {"case.csv", "case-tensors.csv"}

    def test_a_simulation_tells_what_was_tried(self, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        open_model(window, qtbot)
        outcome = simulate(window, qtbot)
        window.settings.remember_export(tmp_path, window.document.folder)
        window.banners.leave_model()
        window.exports._save_report(tmp_path / "case.html", 0)
        qtbot.waitUntil(lambda: (tmp_path / "case.html").exists() and not window.jobs.steps)
        page = (tmp_path / "case.html").read_text(encoding="utf-8")
        assert outcome.findings.blame is not None
        assert "What was tried" in page and "Run 1 (on view)" in page
        assert "class='card'" in page and "onnxruntime" in page

    def test_a_folder_that_is_gone_is_told(self, opened: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        _export(opened, qtbot, "export.report", tmp_path / "gone" / "case.html")
        assert [row.notice.kind for row in opened.banners.rows] == ["error"]
