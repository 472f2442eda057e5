"""The app as a screen reader has it: names, roles and selection over the bus of the desktop, from a real process."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from end_to_end.screens import Screen, wait_until
from errorflow.base.sample import SAMPLES
from errorflow.report.scale import LIGHT as ERROR

pytestmark = pytest.mark.window
LAUNCHER = next((path for path in map(Path, ("/usr/libexec/at-spi-bus-launcher",)) if path.exists()), None)
MODEL = SAMPLES[0].model
# Where the graph is on a screen of 1280 × 720.
GRAPH = (312, 182, 700, 300)
_ROOT = "org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"
_THING = "org.a11y.atspi.Accessible"
Place = tuple[str, str]


@dataclass(frozen=True)
class Reader:
    """Asks on the bus of accessibility."""

    address: str

    def ask(self, place: Place, method: str, *arguments: str) -> str:
        there = ("--dest", place[0], "--object-path", place[1], "--method", method)
        done = subprocess.run(
            ["gdbus", "call", "--address", self.address, *there, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    def name(self, place: Place) -> str:
        found = re.search(r"<['\"](.*)['\"]>", self.ask(place, "org.freedesktop.DBus.Properties.Get", _THING, "Name"))
        return "" if found is None else found[1]

    def role(self, place: Place) -> str:
        return self.ask(place, f"{_THING}.GetRoleName").strip("(',)\n")

    def children(self, place: Place) -> list[Place]:
        return re.findall(r"\('([^']*)', (?:objectpath )?'([^']*)'\)", self.ask(place, f"{_THING}.GetChildren"))

    def find(self, name: str, role: str, place: Place = _ROOT, depth: int = 12) -> Place | None:
        """The first thing of that name and role, from above."""
        row = [place]
        for _ in range(depth):
            for each in row:
                if name in self.name(each) and self.role(each) == role:
                    return each
            row = [child for each in row for child in self.children(each)]
        return None


@pytest.fixture
def reader(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    if LAUNCHER is None or any(shutil.which(tool) is None for tool in ("dbus-daemon", "gdbus")):
        pytest.skip("needs dbus, gdbus and at-spi2-core")
    read, write = os.pipe()
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", f"--print-address={write}"],
        pass_fds=[write],
        env=screen.environment,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", pipe.readline().strip())
    monkeypatch.setenv("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1")
    launcher = subprocess.Popen(
        [str(LAUNCHER), "--launch-immediately"], env=screen.environment, stderr=subprocess.DEVNULL
    )
    way = (
        "--session",
        "--dest",
        "org.a11y.Bus",
        "--object-path",
        "/org/a11y/bus",
        "--method",
        "org.a11y.Bus.GetAddress",
    )
    wait_until(lambda: "unix:" in screen.do("gdbus", "call", *way), "the bus of accessibility")
    yield Reader(screen.do("gdbus", "call", *way).strip("(',)\n"))
    for process in (launcher, bus):
        process.terminate()
        process.wait()


def test_a_reader_hears_what_is_selected_in_the_graph(screen: Screen, reader: Reader) -> None:
    screen.start("--new-instance", str(MODEL))
    screen.wait_for_graph(f"{MODEL.name} – Errorflow")
    places: list[Place] = []

    def has_graph() -> bool:
        found = reader.find("Model graph", "canvas")
        places[:] = [] if found is None else [found]
        return found is not None

    wait_until(has_graph, "the graph on the bus")
    graph = places[0]
    assert "none selected" in reader.name(reader.children(graph)[0])
    wait_until(lambda: screen.count(ERROR.hex(1.0), *GRAPH) > 500, "the colours of the graph")
    screen.keys("ctrl+F6", "n")
    wait_until(lambda: "none selected" not in reader.name(reader.children(graph)[0]), "the worst node")
    told = reader.children(graph)[0]
    assert reader.role(told) == "list item"
    assert "/block2/project/conv/Conv" in reader.name(told) and "rror" in reader.name(told)
    before = reader.name(told)
    screen.keys("Down")
    wait_until(lambda: reader.name(reader.children(graph)[0]) != before, "the next node")


def test_a_reader_can_press_a_card_of_the_start_page(screen: Screen, reader: Reader) -> None:
    screen.start("--new-instance")
    screen.wait_for_title("Errorflow")
    places: list[Place] = []

    def has_card() -> bool:
        found = reader.find("Open sample", "push button")
        places[:] = [] if found is None else [found]
        return found is not None

    wait_until(has_card, "a card on the bus")
    assert "true" in reader.ask(places[0], "org.a11y.atspi.Action.DoAction", "0")
    wait_until(lambda: any(".onnx" in title for title in screen.titles()), "the sample")
