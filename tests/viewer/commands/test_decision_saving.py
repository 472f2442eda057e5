"""What was decided is handed over from the window, and a toolchain's setting is taken over."""

import json
import re
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from errorflow.quant.plan import FLOAT
from errorflow.quant.plan_file import write_plan
from errorflow.quant.steps import Equalize
from errorflow.quant.switching import overrides
from errorflow.report.toolchains import TOOLCHAINS
from errorflow_viewer.commands.copy_save.tables import COPY_TABLE
from errorflow_viewer.commands.decision_saving import KEY, LeftOutList, entries, take_over_from
from errorflow_viewer.commands.switching import selected, switch
from errorflow_viewer.document.simulation_work import OPEN
from errorflow_viewer.kit.look import ROW
from errorflow_viewer.window.window import MainWindow
from viewer.commands.copy_save.menus import choose, menu_at
from viewer.lending import Prepare
from viewer.moments import once_running
from viewer.simulated import CULPRIT, open_model, seen_through, simulate, simulation


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    def switched(window: MainWindow, qtbot: QtBot) -> None:
        open_model(window, qtbot)
        simulate(window, qtbot)
        graph = window.document.graph
        assert graph is not None
        window.document.select(graph.node_index(CULPRIT))
        switch(window, selected, FLOAT)
        seen_through(window, qtbot)
        window.banners.leave_model()

    return switched


@pytest.fixture
def shown(lent_window: MainWindow, tmp_path: Path) -> MainWindow:
    """A window with the sample on the bench, and its culprit in float."""
    lent_window.settings.remember_export(tmp_path, lent_window.document.folder)
    return lent_window


def hand_over(window: MainWindow, qtbot: QtBot, label: str, path: Path) -> None:
    """Chooses a line of the menu and answers its dialog."""
    entry = next(entry for entry in entries(window) if entry.text.startswith(label))
    entry.run(window)
    answer(window, qtbot, path)
    qtbot.waitUntil(lambda: not window.jobs.running(KEY) and bool(window.banners.rows), timeout=30_000)


def answer(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    """The dialog that is there, or comes when its file name is known."""

    def asking() -> list[QFileDialog]:
        return [dialog for dialog in window.findChildren(QFileDialog) if dialog.isVisible()]

    qtbot.waitUntil(lambda: len(asking()) == 1, timeout=30_000)
    [dialog] = asking()
    dialog.fileSelected.emit(str(path))
    dialog.close()


def notice(window: MainWindow) -> str:
    return window.banners.rows[0].notice.text


class TestHandingOver:
    def test_the_menu_has_a_line_for_each_toolchain_and_for_all(self, shown: MainWindow) -> None:
        texts = [entry.text for entry in entries(shown)]
        assert texts[: len(TOOLCHAINS) + 1] == [f"{each.label}…" for each in TOOLCHAINS] + ["All…"]

    def test_nothing_is_offered_while_nothing_is_simulated(self, window: MainWindow, qtbot: QtBot) -> None:
        open_model(window, qtbot)
        assert entries(window) == ()

    def test_one_file_goes_where_the_user_says(self, shown: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        hand_over(shown, qtbot, "Axera Pulsar2…", tmp_path / "mine.json")
        assert [path.name for path in tmp_path.glob("*.json")] == ["mine.json"]
        assert json.loads((tmp_path / "mine.json").read_text("utf-8"))["quant"]["layer_configs"]
        assert notice(shown).startswith("Wrote mine.json.")

    def test_all_go_into_a_folder(self, shown: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        hand_over(shown, qtbot, "All…", tmp_path)
        names = {path.name for path in tmp_path.iterdir()}
        assert {"plan.json", "amct_quant_config.json", "pulsar2_config.json", "horizon_node_info.yaml"} <= names
        assert {"quantize_onnxruntime.py", "node_fault_qdq.onnx", "amct_left_out.txt"} <= names

    def test_the_users_own_setting_is_kept(self, shown: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        base = tmp_path / "own.json"
        base.write_text(json.dumps({"npu_mode": "NPU3", "quant": {"input_configs": [1]}}), "utf-8")
        entry = next(entry for entry in entries(shown) if entry.text == "Axera Pulsar2, starting from your own file…")
        entry.run(shown)
        answer(shown, qtbot, base)
        answer(shown, qtbot, tmp_path / "out.json")
        qtbot.waitUntil(lambda: (tmp_path / "out.json").exists())
        found = json.loads((tmp_path / "out.json").read_text("utf-8"))
        assert (found["npu_mode"], found["quant"]["input_configs"]) == ("NPU3", [1])

    def test_a_file_that_is_none_of_theirs_is_told(self, shown: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        base = tmp_path / "letter.txt"
        base.write_text("Dear reader, {this is: no setting", "utf-8")
        with_base = [entry for entry in entries(shown) if entry.text.endswith(", starting from your own file…")]
        assert len(with_base) == sum(each.takes_base for each in TOOLCHAINS)
        for entry in with_base:
            shown.banners.leave_model()
            entry.run(shown)
            answer(shown, qtbot, base)
            qtbot.waitUntil(lambda: bool(shown.banners.rows), timeout=30_000)
            assert shown.banners.rows[0].notice.kind == "error" and shown.banners.rows[0].notice.hint
            assert not any(dialog.isVisible() for dialog in shown.findChildren(QFileDialog))

    def test_of_all_toolchains_each_node_counts_once_and_each_has_a_group(
        self, shown: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        hand_over(shown, qtbot, "All…", tmp_path)
        [row] = shown.banners.rows
        graph = shown.document.graph
        assert graph is not None and row.notice.details
        count = int(re.findall(r"for ([0-9]+) node", row.notice.text)[0])
        assert 0 < count <= len(graph)
        button = next(button for button in row.buttons() if button.text() == "Show")
        button.click()
        assert shown.banners.rows == [row], "the notes under Details are still of use"
        [dialog] = shown.findChildren(LeftOutList)
        tops = [dialog.lines.index(place, 0) for place in range(dialog.lines.rowCount())]
        assert [top.data().rpartition("  ")[0] for top in tops] == [
            each.label for each in TOOLCHAINS if any(top.data().startswith(each.label) for top in tops)
        ]
        nodes = set()
        for top in tops:
            dialog.tree.setCurrentIndex(top)
            names = [each.name for each in dialog._selected()]
            assert len(names) == len(set(names)) == int(top.data().rpartition("  ")[2])
            nodes.update(names)
        assert len(nodes) == count
        assert dialog.tree.visualRect(tops[0]).height() == ROW

    def test_what_cannot_be_told_is_shown_and_leads_to_its_node(
        self, shown: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        hand_over(shown, qtbot, "Axera Pulsar2…", tmp_path / "mine.json")
        row = shown.banners.rows[0].notice
        assert "cannot express what was decided for" in row.text
        assert row.pressed is not None
        shown.document.select()
        row.pressed()
        [dialog] = shown.findChildren(LeftOutList)
        dialog.tree.setCurrentIndex(dialog.lines.find(lambda line: line.name == CULPRIT))
        graph = shown.document.graph
        assert graph is not None
        assert shown.document.state.node == graph.node_index(CULPRIT)
        dialog.copy.click()
        assert CULPRIT in QGuiApplication.clipboard().text()
        choose(menu_at(dialog.tree.viewport()), COPY_TABLE)
        head, *rows = (line.split("\t") for line in QGuiApplication.clipboard().text().splitlines())
        assert head == ["Toolchain", "Node", "Reason", "Written instead"]
        assert CULPRIT in {row[1] for row in rows}


class TestTakingOver:
    def test_a_setting_becomes_the_plan_as_one_step(self, shown: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        path = tmp_path / "theirs.json"
        path.write_text(json.dumps({"quant": {"layer_configs": [{"op_type": "Add", "data_type": "FP32"}]}}), "utf-8")
        take_over_from(shown, path)
        qtbot.waitUntil(lambda: simulation(shown).plan.preset == "pulsar2-u8", timeout=30_000)
        graph = shown.document.graph
        assert graph is not None
        switched = {graph.op_types[node] for node, _ in overrides(graph, simulation(shown).plan)}
        assert switched == {"Add"}
        seen_through(shown, qtbot)

    def test_where_another_bench_is_needed_it_is_told_when_it_is_there(
        self, shown: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        path = tmp_path / "theirs.json"
        write_plan(simulation(shown).plan.with_step(Equalize()), path)
        meanwhile = once_running(shown.jobs, OPEN, lambda: (len(shown.banners.rows), simulation(shown).plan.steps))
        take_over_from(shown, path)
        qtbot.waitUntil(lambda: bool(shown.banners.rows), timeout=30_000)
        assert meanwhile == [(0, ())]
        assert notice(shown).startswith("The plan is that of theirs.json")
        assert simulation(shown).plan.steps == (Equalize(),) and shown.document.undo_text == "Take over theirs.json"
        seen_through(shown, qtbot)

    def test_a_setting_that_is_not_waited_for_is_not_told_of(
        self, shown: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        path, before = tmp_path / "theirs.json", simulation(shown).plan
        write_plan(before.with_step(Equalize()), path)
        cancelled = once_running(shown.jobs, OPEN, lambda: shown.jobs.cancel(OPEN))
        take_over_from(shown, path)
        qtbot.waitUntil(lambda: bool(cancelled), timeout=30_000)
        assert simulation(shown).plan == before and not shown.banners.rows

    def test_what_is_no_setting_is_said(self, shown: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
        path = tmp_path / "letter.txt"
        path.write_text("Dear reader", "utf-8")
        before = simulation(shown).plan
        take_over_from(shown, path)
        qtbot.waitUntil(lambda: bool(shown.banners.rows))
        assert "no setting that is known here" in notice(shown)
        assert simulation(shown).plan == before
