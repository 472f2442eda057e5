"""The app as a user meets it: a real process, a real window, mouse and keys."""

from pathlib import Path

import pytest

from end_to_end.screens import SIZE, Screen, wait_until
from errorflow.base.sample import SAMPLES
from errorflow.report.scale import LIGHT as ERROR
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.kit.look import LIGHT

pytestmark = pytest.mark.window
MODEL, OTHER = SAMPLES[0].model, SAMPLES[1].model
# Where things are on a screen of 1280 × 720 with the window maximised, as at the first start.
LIST = (0, 190, 270, 480)
DETAILS = (1050, 100, 225, 560)
VERDICT = (325, 150, 500, 24)  # below the sample's story
GRAPH = (312, 182, 700, 300)
FIRST_ROW = (60, 210)
FOLD = colors_of(LIGHT).fold.name()


def opened(screen: Screen, *arguments: str) -> None:
    screen.start("--new-instance", str(MODEL), *arguments)
    screen.wait_for_graph(f"{MODEL.name} – Errorflow")
    # The runs of the sample are compared, and nothing moves any more when keys are pressed.
    wait_until(lambda: screen.count(ERROR.hex(1.0), *GRAPH) > 500, "the colours of the graph")
    wait_until(lambda: screen.count(LIGHT.link, *VERDICT) > 20, "the verdict")


def test_a_click_in_the_list_selects_in_the_graph_and_changes_the_details(screen: Screen) -> None:
    opened(screen)
    details = screen.picture().copy(*DETAILS)
    screen.click(*FIRST_ROW)
    wait_until(lambda: screen.count(LIGHT.selection, *GRAPH) > 20, "a selected node in the graph")
    assert screen.count(LIGHT.selected, *LIST) > 1000
    wait_until(lambda: screen.picture().copy(*DETAILS) != details, "the evidence beside the graph")


def test_a_click_in_the_graph_selects_in_the_list(screen: Screen) -> None:
    opened(screen)
    screen.click(*FIRST_ROW)
    wait_until(lambda: screen.count(LIGHT.selection, *GRAPH) > 20, "a selected node in the graph")
    screen.click(GRAPH[0] + 30, GRAPH[1] + 10)
    wait_until(lambda: screen.count(LIGHT.selected, *LIST) == 0, "nothing selected in the list")


def test_typing_a_search_and_down_selects_the_first_hit(screen: Screen) -> None:
    opened(screen)
    screen.keys("ctrl+f")
    screen.type("type:Softmax")
    screen.keys("Down")
    wait_until(lambda: screen.count(LIGHT.selected, *LIST) > 1000, "a selected row")
    assert screen.count(LIGHT.selected, LIST[0], FIRST_ROW[1] - 10, LIST[2], 20) > 1000


def test_groups_close_and_open_by_keys_and_a_double_click(screen: Screen) -> None:
    opened(screen)
    # Without the colours of the sample's errors, so that a closed group is known by its own.
    screen.keys("ctrl+F6", "e", "ctrl+bracketleft")
    wait_until(lambda: screen.count(FOLD, *GRAPH) > 500, "a closed group")
    spot = screen.find(FOLD, *GRAPH)
    closed = screen.count(FOLD, *GRAPH)
    screen.double_click(*spot)
    wait_until(lambda: screen.count(LIGHT.groups[0], *GRAPH) > 1000, "the ground of an open group")
    screen.keys("c")
    wait_until(lambda: screen.count(FOLD, *GRAPH) >= closed, "the group closed again")


def test_enter_in_the_search_goes_to_a_node_that_was_folded_away(screen: Screen) -> None:
    opened(screen)
    # Without the colours of the sample's errors, so that a closed group is known by its own.
    screen.keys("ctrl+F6", "e", "ctrl+bracketleft")
    wait_until(lambda: screen.count(FOLD, *GRAPH) > 500, "a closed group")
    screen.keys("slash")
    screen.type("type:Softmax")
    screen.keys("Return")
    wait_until(lambda: screen.count(LIGHT.selection, *GRAPH) > 50, "the node, selected")
    assert screen.count(LIGHT.selected, *LIST) > 1000


def test_a_second_start_opens_its_file_in_the_first_window(screen: Screen) -> None:
    first = screen.start(str(MODEL))
    screen.wait_for_title(MODEL.name)
    second = screen.start(str(OTHER))
    assert second.wait(timeout=60) == 0
    screen.wait_for_title(OTHER.name)
    assert len(screen.titles()) == 1
    assert first.poll() is None


def test_two_starts_at_once_make_one_window(screen: Screen) -> None:
    starts = [screen.start(str(MODEL)), screen.start(str(MODEL))]
    wait_until(lambda: any(process.poll() == 0 for process in starts), "one start to hand over")
    screen.wait_for_title(MODEL.name)
    assert len(screen.titles()) == 1


def test_the_cross_ends_the_app_and_the_next_start_restores_the_window(screen: Screen) -> None:
    process = screen.start("--new-instance", str(MODEL))
    screen.wait_for_title(MODEL.name)
    screen.do("wmctrl", "-r", MODEL.name, "-b", "remove,maximized_vert,maximized_horz")
    wait_until(lambda: screen.size(MODEL.name) != (0, 0), "the window")
    screen.do("wmctrl", "-r", MODEL.name, "-e", "0,40,40,1010,610")
    wait_until(lambda: screen.size(MODEL.name) == (1010, 610), "the new size")
    screen.close(MODEL.name)
    assert process.wait(timeout=60) == 0
    screen.start("--new-instance", str(MODEL))
    screen.wait_for_title(MODEL.name)
    wait_until(
        lambda: screen.size(MODEL.name) == (1010, 610), f"the size of before, there is {screen.size(MODEL.name)}"
    )


def test_the_palette_runs_a_command_by_keys(screen: Screen) -> None:
    opened(screen)
    screen.keys("ctrl+shift+p")
    wait_until(lambda: screen.count(LIGHT.focus, 340, 80, 600, 60) > 100, "the palette")
    screen.type("about")
    screen.keys("Return")
    screen.wait_for_title("About Errorflow")


def test_the_first_start_shows_the_start_page_on_all_of_a_small_screen(screen: Screen) -> None:
    screen.start("--new-instance")
    screen.wait_for_title("Errorflow")
    wait_until(lambda: screen.count(LIGHT.accent, 0, 0, *SIZE) > 500, "the button to open a model")
    width, height = screen.size("Errorflow")
    assert width >= SIZE[0] - 10 and height >= SIZE[1] - 60


def test_a_file_that_is_no_model_is_answered_in_the_window(screen: Screen, tmp_path: Path) -> None:
    wrong = tmp_path / "notes.txt"
    wrong.write_text("hello")
    screen.start("--new-instance", str(wrong))
    screen.wait_for_title("Errorflow")
    wait_until(lambda: screen.count(LIGHT.error.background, 0, 60, 1280, 60) > 5000, "the banner")


def test_after_a_sudden_death_the_next_start_says_so(screen: Screen) -> None:
    process = screen.start("--new-instance", str(MODEL))
    screen.wait_for_title(MODEL.name)
    process.kill()
    process.wait()
    screen.start("--new-instance")
    wait_until(lambda: screen.count(LIGHT.info.background, 0, 60, 1280, 80) > 5000, "the note")
