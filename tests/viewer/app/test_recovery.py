"""What ended the app twice is asked about, whichever way it comes in."""

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from errorflow.case.session.model import Session
from errorflow.graph.model import Graph, Model
from errorflow_viewer.app.recovery import Recovery
from errorflow_viewer.document.bundles import Bundles
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.opening import Opening
from errorflow_viewer.document.opening_jobs import WISHES
from errorflow_viewer.kit.banner import Banners, Notice
from errorflow_viewer.kit.crashing_files import Troubles
from errorflow_viewer.kit.drawings import Drawings
from errorflow_viewer.kit.jobs import Jobs
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.run_record import Death, Facts, LastWords
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.window.session_files import SessionFiles
from errorflow_viewer.window.switches import first_form, form_for
from viewer.models import chain
from viewer.opened import SAMPLE


class Case:
    """All that opens, without a window."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.document, self.jobs, self.folder = Document(), Jobs(), folder
        drawings = Drawings(first_form(settings))
        self.opening = Opening(self.document, self.jobs, drawings, partial(form_for, settings))
        self.banners = Banners(LIGHT)
        self.words = LastWords(folder, 1)
        self.troubles = Troubles(folder)
        self.told: list[Notice] = []
        self.bundles = Bundles(
            self.document,
            self.jobs,
            self.opening,
            folder / "unpacked",
            self.told.append,
            lambda _, error: self.told.append(Notice("error", error.message)),
        )

    def start(self, *deaths: Path) -> Recovery:
        """After runs that died, the latest first, while they opened these."""
        now = time.time() + 10
        died = [Death("crash", Facts(opening=(str(path),), since=now - place)) for place, path in enumerate(deaths)]
        recovery = Recovery(died, self.troubles, self.words, self.banners, str, self.document)
        recovery.watch(self.opening, self.jobs)
        return recovery

    @property
    def is_idle(self) -> bool:
        return not any(map(self.jobs.running, WISHES))

    @property
    def notices(self) -> list[Notice]:
        return [row.notice for row in self.banners.rows]


@pytest.fixture
def case(qtbot: QtBot, settings: Settings, tmp_path: Path) -> Iterator[Case]:
    made = Case(settings, tmp_path)
    made.words.begin(Path("/no/log"))
    yield made
    made.jobs.stop()
    made.words.end()
    made.banners.deleteLater()


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    path = tmp_path / "evil.onnx"
    path.write_bytes(SAMPLE.read_bytes())
    return path


Way = Callable[[Case, Path], None]
WAYS: dict[str, Way] = {
    "file": lambda case, path: case.opening.open(path),
    "session": lambda case, path: case.opening.open(path, session=Session(model=path)),
    "made": lambda case, path: case.opening.show(_made(path), Session(model=path)),
    "bundle": lambda case, path: case.bundles.show(Session(bundle=path)),
    "model of a bundle": lambda case, path: case.opening.show(_made(Path("graph")), Session(bundle=path)),
}


def _made(path: Path, nodes: int = 3) -> Model:
    graph: Graph = chain(nodes)
    return Model(path, "made", graph)


@pytest.mark.parametrize("way", WAYS)
def test_it_is_asked_about_whichever_way_it_comes_in(case: Case, qtbot: QtBot, evil: Path, way: str) -> None:
    case.start(evil, evil)
    WAYS[way](case, evil)
    qtbot.waitUntil(lambda: case.is_idle)
    (notice,) = case.notices
    assert case.document.model is None and not case.told
    assert "ended twice while it opened evil.onnx" in notice.text
    case.banners.rows[0].buttons()[-1].click()
    qtbot.waitUntil(lambda: case.is_idle)
    assert not case.notices  # it is not asked again; what is no bundle says so
    assert (case.document.model is None) == bool(case.told) == (way == "bundle")


def test_who_asks_once_more_gets_it_with_what_was_decided(case: Case, qtbot: QtBot, evil: Path) -> None:
    case.start(evil, evil)
    case.opening.open(evil, session=Session(model=evil, search="what"))
    qtbot.waitUntil(lambda: bool(case.notices))
    (row,) = case.banners.rows
    row.buttons()[-1].click()
    qtbot.waitUntil(lambda: case.document.model is not None)
    assert case.document.session.search == "what" and not case.notices
    case.opening.open(evil)  # nor is it asked again
    qtbot.waitUntil(lambda: case.is_idle)
    assert not case.notices


def test_once_or_another_file_is_opened(case: Case, qtbot: QtBot, evil: Path) -> None:
    case.start(evil)
    case.opening.open(evil)
    qtbot.waitUntil(lambda: case.document.model is not None)
    assert not case.notices


def test_what_was_cancelled_does_no_harm_any_more(
    case: Case, qtbot: QtBot, evil: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[Path, ...]] = []
    monkeypatch.setattr(case.words, "opening", lambda paths: said.append(tuple(paths)))
    case.start()
    case.opening.open(evil)
    case.opening.stop()
    qtbot.waitUntil(lambda: said == [(evil,), ()])


def test_what_was_cancelled_does_harm_until_it_has_noticed(
    case: Case, qtbot: QtBot, evil: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[Path, ...]] = []
    monkeypatch.setattr(case.words, "opening", lambda paths: said.append(tuple(paths)))
    case.start()
    began, goes_on, other = Event(), Event(), evil.with_name("other.onnx")
    other.write_bytes(evil.read_bytes())

    def guard(path: Path) -> None:
        if path == evil:
            began.set()
            goes_on.wait()

    case.opening.guard = guard
    case.opening.open(evil)
    began.wait()
    case.opening.stop()
    case.opening.open(other)
    assert said == [(evil,), (other, evil)]
    goes_on.set()
    qtbot.waitUntil(lambda: said[2:] in ([(other,)], [(other,), ()]))


def test_a_death_is_noted_without_a_look_at_the_file(case: Case, evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may lie on a network drive that does not answer."""
    asked, stat = list[Path](), Path.stat

    def ask(path: Path, **how: bool) -> os.stat_result:
        asked.append(path)
        return stat(path, **how)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", ask)
        case.start(evil, evil)
    assert asked and evil not in asked
    assert case.troubles.too_often(evil)


class NothingKept:
    """No session was set aside."""

    def recovered(self) -> tuple[Path, ...]:
        return ()

    def set_aside(self) -> tuple[Path, ...]:
        return ()


@pytest.mark.parametrize(("died", "told"), [("0.2", ["Errorflow 0.2"]), ("0.1", ["Errorflow 0.1", "Errorflow 0.2"])])
def test_the_report_names_a_version_once(case: Case, died: str, told: list[str]) -> None:
    death = Death("crash", Facts(version=died, began=1e9))
    recovery = Recovery(
        [death], case.troubles, case.words, case.banners, lambda: "Errorflow 0.2\nSystem: any\n", case.document
    )
    recovery.offer(cast(SessionFiles, NothingKept()))
    case.banners.rows[0].buttons()[-1].click()
    assert recovery.report is not None
    text = recovery.report.report.toPlainText()
    recovery.report.accept()
    assert re.findall(r"Errorflow \d\.\d", text) == told
    assert "System: any" in text


@dataclass
class Kept(NothingKept):
    """What was found of the last run, and how much lies there of all runs."""

    drafts: int
    all: int

    def recovered(self) -> tuple[Path, ...]:
        return tuple(Path(f"aside-{number}.errorflow") for number in range(self.drafts))

    def set_aside(self) -> tuple[Path, ...]:
        return tuple(Path(f"aside-{number}.errorflow") for number in range(self.all))

    def open_unsaved(self, path: Path) -> None:
        """Nobody asks for it."""


@pytest.mark.parametrize(
    ("drafts", "everything", "said"),
    [
        (0, 0, ""),
        (0, 2, "What was not saved before is under File → Unsaved sessions."),
        (1, 1, ""),
        (1, 3, "2 more under File → Unsaved sessions."),
    ],
)
def test_what_was_offered_before_and_not_taken_is_pointed_to_again(
    case: Case, drafts: int, everything: int, said: str
) -> None:
    death = Death("killed", Facts(began=1e9))
    recovery = Recovery([death], case.troubles, case.words, case.banners, str, case.document)
    assert recovery.offer(cast(SessionFiles, Kept(drafts, everything)))
    (notice,) = case.notices
    assert (notice.button != "") == bool(drafts)
    lost = "Nothing that you decided is lost." if drafts else ""
    assert notice.hint == " ".join(filter(None, (lost, said)))
