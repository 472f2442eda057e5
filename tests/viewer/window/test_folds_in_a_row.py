"""Commands that follow each other faster than a large graph can be drawn: none is lost."""

from collections.abc import Callable
from pathlib import Path

import pytest
from generate import of_size
from pytestqt.qtbot import QtBot

from errorflow.graph.model import Model
from errorflow_viewer.window import graph_view
from errorflow_viewer.window.window import MainWindow
from viewer.deep import closed_all, fold, group, open_names, run, settled, shown


def test_two_commands_in_a_row_on_thirty_thousand_nodes_are_both_done(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(Model(Path("/models/large.onnx"), "ONNX model", of_size(30_000).graph()))

    def wait() -> None:
        qtbot.waitUntil(lambda: not window.jobs.steps, timeout=60_000)

    wait()
    run(window, "fold.all")
    wait()
    everything = shown(window).outline.everything
    assert shown(window).groups == everything and len(shown(window).drawing) > 25_000
    first, second = sorted(everything)[5:7]
    for group_number in (first, second):
        window.folds.close_group(group_number)
        assert window.jobs.running(graph_view.KEY)
    wait()
    assert everything - shown(window).groups >= {first, second}
    run(window, "fold.less")
    run(window, "fold.all")
    wait()
    assert shown(window).groups == everything


@pytest.mark.parametrize(
    ("commands", "done"),
    [
        (("fold.more", "fold.more"), {"net", "block"}),
        (("fold.more", "fold.more", "fold.more"), {"net", "block", "part"}),
        (("fold.all", "fold.less"), {"net", "block"}),
        (("fold.more", "fold.none"), set()),
        (("switch.quiet", "fold.more"), {"net"}),
        (("fold.more", "switch.across"), {"net"}),
        (("switch.quiet", "switch.across", "fold.more"), {"net"}),
        (("switch.across", "switch.quiet", "switch.constants", "fold.more", "fold.more"), {"net", "block"}),
    ],
)
def test_what_is_asked_for_meanwhile_is_added(
    deep: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, commands: tuple[str, ...], done: set[str]
) -> None:
    run(deep, "fold.none")
    settled(deep, qtbot)
    monkeypatch.setattr(graph_view, "AT_ONCE", 0)  # everything is done in the background
    for command in commands:
        run(deep, command)
    settled(deep, qtbot)
    assert {name.partition(".")[0] for name in open_names(deep)} == done
    assert (shown(deep).draft.quiet is not None) == ("switch.quiet" in commands)
    assert shown(deep).drawing.across == ("switch.across" in commands)


@pytest.mark.parametrize("first", ["open", "close"])
def test_one_group_after_the_other(deep: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, first: str) -> None:
    closed_all(deep, qtbot)
    one, other = group(deep, "net/block.3"), group(deep, "net/block.5")
    if first == "close":
        deep.folds.open_group(one)
    monkeypatch.setattr(graph_view, "AT_ONCE", 0)
    change: Callable[[int], None] = deep.folds.open_group if first == "open" else deep.folds.close_group
    change(one)
    deep.folds.open_group(other)
    settled(deep, qtbot)
    assert open_names(deep) == ({"net", "block.3", "block.5"} if first == "open" else {"net", "block.5"})


def test_what_was_cancelled_is_not_added(deep: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    closed_all(deep, qtbot)
    monkeypatch.setattr(graph_view, "AT_ONCE", 0)
    deep.folds.open_group(group(deep, "net/block.3"))
    deep.cancel()
    deep.view.pick(fold(deep, "net/block.5"))
    run(deep, "fold.open")
    settled(deep, qtbot)
    assert open_names(deep) == {"net", "block.5"}
