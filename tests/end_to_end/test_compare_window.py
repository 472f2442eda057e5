"""A comparison as a user starts it: a folder given to the app, colours in the graph, and the page."""

from pathlib import Path

import pytest

import run_folders
from end_to_end.screens import SIZE, Screen, wait_until
from errorflow.report.scale import LIGHT as ERROR
from errorflow_viewer.kit.look import LIGHT

pytestmark = pytest.mark.window
GRAPH = (312, 160, 700, 330)
BANNER = (0, 60, 1280, 60)


def case(folder: Path) -> Path:
    """One whose values are all half as large again as they should be."""
    run_folders.npu(folder / "npu", scale=1.5)
    run_folders.npy(folder / "golden")
    run_folders.atc_json(folder / "net.json")
    return folder


def bad(screen: Screen) -> int:
    """Pixels of the graph in the colour of the worst."""
    return screen.count(ERROR.hex(1.0), *GRAPH)


def test_a_folder_is_compared_at_once_and_the_graph_gets_its_colours(screen: Screen, tmp_path: Path) -> None:
    screen.start("--new-instance", str(case(tmp_path / "case")))
    screen.wait_for_graph("net.json – Errorflow")
    wait_until(lambda: bad(screen) > 200, "nodes in the colour of a large error")
    wait_until(lambda: screen.count(LIGHT.info.background, *BANNER) > 5000, "what is compared")


def test_the_files_are_named_as_on_the_command_line(screen: Screen, tmp_path: Path) -> None:
    folder = case(tmp_path / "case")
    files = ["-m", str(folder / "npu"), "-g", str(folder / "golden"), "-f", str(folder / "net.json")]
    screen.start("--new-instance", "--compare", *files)
    screen.wait_for_graph("net.json – Errorflow")
    wait_until(lambda: bad(screen) > 200, "nodes in the colour of a large error")


def test_a_second_start_compares_in_the_first_window(screen: Screen, tmp_path: Path) -> None:
    folder = case(tmp_path / "case")
    screen.start()
    screen.wait_for_title("Errorflow")
    wait_until(lambda: screen.count(LIGHT.accent, 0, 0, *SIZE) > 500, "the start page")
    files = ["-m", str(folder / "npu"), "-g", str(folder / "golden"), "-f", str(folder / "net.json")]
    second = screen.start("--compare", *files)
    assert second.wait(timeout=60) == 0
    screen.wait_for_title("net.json – Errorflow")
    assert len(screen.titles()) == 1


def test_the_page_opens_by_a_key_and_the_chosen_card_stands_out(screen: Screen) -> None:
    screen.start("--new-instance")
    screen.wait_for_title("Errorflow")
    wait_until(lambda: screen.count(LIGHT.accent, 0, 0, *SIZE) > 500, "the start page")
    screen.focus("Errorflow")
    screen.keys("ctrl+shift+o")
    wait_until(lambda: screen.count(LIGHT.selected, 0, 90, 640, 160) > 5000, "a chosen card")
    screen.keys("Escape")
    wait_until(lambda: screen.count(LIGHT.selected, 0, 90, 640, 160) == 0, "the start page again")
