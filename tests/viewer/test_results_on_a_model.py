"""A table of results that is dropped, or opened, while a model is on view."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import run_folders
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.window.window import MainWindow
from viewer.document.test_comparing import complete, npu_case
from viewer.window.test_comparisons import page_of


def table_of(folder: Path) -> Path:
    """What msaccucmp says of the model of `run_folders.atc_json`."""
    head = (
        "Index,OpType,NPUDump,DataType,Address,GroundTruth,DataType,TensorIndex,Shape,CosineSimilarity,"
        "MaxAbsoluteError,CompareFailReason"
    )
    row = "0,Relu,conv1,float16,1,conv1,float32,conv1:output:0,[2;3],0.900000,0.5,"
    table = folder / "result.csv"
    table.write_text(f"{head}\n{row}\n", encoding="utf-8")
    return table


def drop_it(window: MainWindow, path: Path) -> None:
    window.dropped.emit([path])


def open_it(window: MainWindow, path: Path) -> None:
    window.open(path)


def open_it_again(window: MainWindow, path: Path) -> None:
    window.open_again(path)


@pytest.mark.parametrize("give", [drop_it, open_it, open_it_again])
def test_a_result_table_on_an_open_model_is_painted(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, give: Callable[[MainWindow, Path], None]
) -> None:
    window.open(run_folders.atc_json(tmp_path / "net.json"))
    qtbot.waitUntil(lambda: window.document.model is not None)
    give(window, table_of(tmp_path))
    qtbot.waitUntil(lambda: window.document.state.findings is not None, timeout=20_000)
    findings = window.document.state.findings
    assert findings is not None
    assert findings.scales[0].key == "cosine"
    assert findings.placed.rows[0].values["cosine"] == pytest.approx(0.9)
    assert not any(row.notice.kind == "error" for row in window.banners.rows)


def test_without_a_model_a_result_table_asks_for_one(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.open(table_of(tmp_path))
    qtbot.waitUntil(lambda: bool(window.banners.rows))
    assert "open the model first" in window.banners.rows[0].notice.hint


def test_what_is_neither_model_nor_results_is_refused_beside_an_open_model(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.open(run_folders.atc_json(tmp_path / "net.json"))
    qtbot.waitUntil(lambda: window.document.model is not None)
    rubbish = tmp_path / "rubbish.csv"
    rubbish.write_text("a,b\n1,2\n", encoding="utf-8")
    window.open(rubbish)
    qtbot.waitUntil(lambda: any(row.notice.kind == "error" for row in window.banners.rows))
    assert window.document.comparison is None


def test_the_page_is_left_when_a_table_on_the_model_on_view_was_read(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    test_a_result_table_on_an_open_model_is_painted(window, qtbot, tmp_path, drop_it)
    setup = window.document.session.setup
    assert setup is not None
    for again in (setup, Setup(setup.scenario, {**setup.files, "table": tmp_path / "gone.csv"}), setup):
        window.comparisons.ask(again)
        page_of(window).started.emit(again)
        qtbot.waitUntil(lambda: not window.jobs.steps)
        there = all(path.exists() for path in again.files.values())
        assert (window.stack.currentWidget() is window.pair) is there


def test_a_table_of_another_model_takes_nothing_away(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    setup = npu_case(tmp_path)
    window.comparisons.start(setup)
    complete(window, qtbot)
    before = window.document.comparison
    table = tmp_path / "other.csv"
    table.write_text((Path(__file__).parents[1] / "data" / "results" / "msaccucmp.csv").read_text("utf-8"), "utf-8")
    window.dropped.emit([table])
    qtbot.waitUntil(lambda: any(row.notice.kind == "error" for row in window.banners.rows), timeout=20_000)
    assert window.document.comparison is before
    assert window.document.session.setup == setup
