"""A case from the start page through a guide to a ticket bundle, which opens as the same case where nothing else is."""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import onnx
import pytest

from end_to_end.screens import SIZE, Screen, wait_until
from errorflow.base.sample import SAMPLES
from errorflow.report.scale import LIGHT as ERROR
from errorflow_viewer.kit.look import LIGHT
from make_sample.members import BROKEN
from tools.npu_case.case import Case, Wish, write_case
from tools.npu_case.faults import Fault
from tools.npu_case.source import source_of

pytestmark = pytest.mark.window
SAMPLE = SAMPLES[0]
TITLE = "model.json"
Box = tuple[int, int, int, int]
NOWHERE = (0, 0, 0, 0)
# On a screen of 1280 × 720 with the window maximised: all below the toolbar, the buttons at the foot of pages, the
# strip of the guide above the graph, and the panels and the graph.
PAGE, FOOT, STRIP = (0, 90, 1280, 600), (600, 640, 680, 50), (312, 88, 715, 30)
LIST, GRAPH = (0, 195, 300, 465), (312, 150, 700, 300)


@dataclass
class User:
    """Somebody at a screen, with a home of their own; of each station a picture is kept."""

    screen: Screen
    pictures: Path
    stations: int = 0

    @classmethod
    def of(cls, screen: Screen, name: str) -> "User":
        (screen.folder / name).mkdir()
        pictures = screen.folder / "stations"
        pictures.mkdir(exist_ok=True)
        return cls(replace(screen, folder=screen.folder / name), pictures)

    def keep(self, station: str) -> None:
        self.stations += 1
        path = self.pictures / f"{self.screen.folder.name}-{self.stations:02}-{station}.png"
        self.screen.do("import", "-window", "root", str(path))

    # What is seen

    def session(self) -> dict[str, Any]:
        """What the window shows, as its draft has it; {}: nobody has written one yet."""
        found = sorted(self.screen.folder.rglob("drafts/open-*.errorflow"))
        return json.loads(found[0].read_text()) if found else {}

    def step(self) -> str:
        """Of the guide; "": no draft tells of one yet."""
        guide = self.session().get("guide") or {}
        return str(guide.get("at", ""))

    def outcome(self, step: str) -> str:
        guide = self.session().get("guide") or {}
        return str(guide.get("steps", {}).get(step, {}).get("outcome", ""))

    def ring(self) -> Box:
        """Around what has the keyboard."""
        return self.screen.box(LIGHT.focus, *PAGE)

    def primary(self) -> Box:
        """The button at the foot that stands out, once it can be pressed."""
        return self.screen.box(LIGHT.accent, *FOOT)

    def second(self) -> Box:
        """The button on the right of that one."""
        left, _, width, _ = self.primary()
        after = left + width + 2
        return self.screen.box(LIGHT.control_border, after, FOOT[1], SIZE[0] - after, FOOT[3])

    # What is done

    def tab(self, key: str = "Tab") -> Box:
        """Takes the keyboard to the next place, and tells where that is."""
        before = self.ring()
        self.screen.keys(key)
        wait_until(lambda: self.ring() not in (before, NOWHERE), f"the keyboard elsewhere than at {before}")
        return self.ring()

    def press(self, button: Box) -> None:
        left, top, width, height = button
        self.screen.click(left + width // 2, top + height // 2)

    def command(self, words: str) -> None:
        """By the palette."""
        self.screen.keys("ctrl+shift+p")
        wait_until(lambda: self.screen.count(LIGHT.focus, 340, 80, 600, 60) > 100, "the palette")
        self.screen.type(words)
        self.screen.keys("Return")

    def verdict(self) -> str:
        """What the window has to say for a ticket."""
        self.command("copy verdict for a ticket")
        wait_until(lambda: "error" in self.screen.copied(), "the verdict to be copied")
        return self.screen.copied()


def planted(folder: Path) -> Case:
    """What somebody with an NPU would have, one convolution of which is wrong there."""
    model = onnx.load(SAMPLE.model)
    with np.load(SAMPLE.evaluation) as held:
        image = held["image"][:1]
    return write_case(source_of(model, {"image": image}), folder, Wish(faults=(Fault(BROKEN, "weights"),)))


def bad(screen: Screen) -> int:
    """Pixels of the graph in the colour of the worst."""
    return screen.count(ERROR.hex(1.0), *GRAPH)


def begin(user: User) -> None:
    """From the start page through the questions to the first step."""
    screen = user.screen
    screen.start("--new-instance")
    screen.wait_for_title("Errorflow")
    wait_until(lambda: screen.count(LIGHT.accent, 0, 0, *SIZE) > 500, "the start page")
    screen.focus("Errorflow")
    for _ in range(4):  # sample, tour, model, comparison; then the guide
        user.tab()
    user.keep("start")
    screen.keys("space")
    wait_until(lambda: user.ring()[2] > 300, "the first answer, with the keyboard")
    for name, tabs in (("where", 0), ("what", 2), ("framework", 1)):
        for _ in range(tabs):
            user.tab()
        user.keep(name)
        answered = screen.count(LIGHT.link, *PAGE)
        screen.keys("Return")
        wait_until(lambda: screen.count(LIGHT.link, *PAGE) != answered, "what was answered, as a link")  # noqa: B023 - it is waited for at once
    wait_until(lambda: user.ring()[3] > 300, "the steps, with the keyboard")
    user.keep("step")


def look_through(user: User, folder: Path) -> None:
    screen = user.screen
    assert user.tab("shift+Tab")[0] > SIZE[0] // 2
    screen.keys("space")
    screen.wait_for_title("A folder that holds a case")
    screen.type(str(folder))
    user.keep("folder")
    screen.keys("Return")
    wait_until(lambda: len(screen.titles()) == 1, "the dialog to close")
    wait_until(lambda: user.primary()[2] > 40, "all that is needed to be there")
    user.keep("found")


def compare(user: User) -> None:
    screen = user.screen
    user.press(user.primary())
    screen.wait_for_title(TITLE)
    wait_until(lambda: bad(screen) > 200, "nodes in the colour of a large error")
    wait_until(lambda: user.outcome("conversion") == "node error", "the result")
    wait_until(lambda: screen.count(LIGHT.error.mark, *STRIP) > 10, "the sign of a failure in the strip")
    user.keep("graph")


def go_on(user: User, case: Case) -> None:
    """From the strip to the second step, to the node that is to blame, and to the last step."""
    screen = user.screen
    user.press(screen.box(LIGHT.control_border, *STRIP))
    wait_until(lambda: user.step() == "operator", "the second step")
    wait_until(lambda: user.primary()[2] > 40, "its button")
    user.keep("second")
    screen.keys("Return")
    wait_until(lambda: user.session().get("node") == case.holder[BROKEN], "the node that is to blame")
    user.keep("node")
    screen.keys("shift+F1")
    wait_until(lambda: user.ring()[3] > 300, "the steps, with the keyboard")
    passed, failed = user.tab(), user.tab()
    assert passed[1] < failed[1] and passed[0] == failed[0]
    screen.keys("space")
    wait_until(lambda: user.step() == "conclude", "the last step")
    assert user.outcome("operator") == "failed"


def make_ticket(user: User, target: Path) -> None:
    """With the tensors of one node."""
    screen = user.screen
    wait_until(lambda: user.second() != NOWHERE, "a second button")
    user.keep("last")
    verdict = user.primary()
    user.press(user.second())
    wait_until(lambda: user.primary() not in (NOWHERE, verdict), "the page of the ticket")
    user.keep("ticket")
    user.tab()
    screen.type(BROKEN)
    user.tab()
    screen.keys("space")
    user.keep("ticked")
    user.press(user.primary())
    screen.wait_for_title("Save the ticket bundle")
    screen.keys("ctrl+a")
    screen.type(str(target))
    user.keep("name")
    screen.keys("Return")
    wait_until(target.exists, "the bundle")
    wait_until(lambda: screen.count(LIGHT.info.background, *PAGE) > 5000, "that it is written")
    user.keep("written")


def redraw(screen: Screen) -> None:
    """In the other form, until nothing moves any more."""
    before = screen.picture().copy(*GRAPH)

    def is_steady() -> bool:
        found, *others = [screen.picture().copy(*GRAPH) for _ in range(3)]
        return found != before and all(other == found for other in others)

    screen.keys("ctrl+l")
    wait_until(is_steady, "another drawing")


def bare(user: User) -> None:
    """Only the whole graph above the panels, with nothing selected, drawn for the room that there is."""
    screen = user.screen
    left, top, width, _ = screen.box(LIGHT.info.background, *PAGE)
    screen.click(left + width - 22, top + 20)
    wait_until(lambda: screen.count(LIGHT.info.background, *PAGE) == 0, "the banner to go")
    screen.keys("ctrl+F6", "Escape", "ctrl+0")
    redraw(screen)
    redraw(screen)
    user.keep("bare")


def test_a_guide_leads_to_a_bundle_that_opens_where_nothing_else_is(screen: Screen, tmp_path: Path) -> None:
    case, bundle = planted(tmp_path / "case"), tmp_path / "hand over.zip"
    first = User.of(screen, "first")
    begin(first)
    look_through(first, case.folder)
    compare(first)
    go_on(first, case)
    make_ticket(first, bundle)
    verdict = first.verdict()
    bare(first)
    painted, listed = bad(screen), screen.count(ERROR.hex(1.0), *LIST)
    screen.close(TITLE)
    assert screen.started[-1].wait(timeout=60) == 0
    for folder in (case.folder, first.screen.folder):
        shutil.rmtree(folder)

    second = User.of(screen, "second")
    second.screen.start("--new-instance", str(bundle))
    screen.wait_for_graph(bundle.name)
    wait_until(lambda: bad(screen) > 200, "nodes in the colour of a large error")
    wait_until(lambda: screen.count(LIGHT.info.background, *PAGE) > 5000, "what it is")
    second.keep("opened")
    bare(second)
    wait_until(lambda: abs(bad(screen) - painted) <= painted // 10, f"{painted} pixels, there are {bad(screen)}")
    assert screen.count(ERROR.hex(1.0), *LIST) == listed
    assert BROKEN in verdict and second.verdict() == verdict
    assert second.step() == "conclude"
    with ZipFile(bundle) as held:
        kept = [name for name in held.namelist() if name.startswith("tensors/")]
    assert kept and all(BROKEN.replace("/", "_") in name for name in kept)
