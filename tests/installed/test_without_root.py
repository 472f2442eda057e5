"""The archive, installed by a person into their own home, used from their desktop, and taken away again."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import pytest

from errorflow.base.sample import SAMPLES
from installed.desks import Desk, is_graph, is_graph_with_fault, tones, wait_until
from installed.homes import APP, all_below, entry_of, program_of

# Of the person: what they chose, what was worked out for them, and results beside a session.
OWN = (".config/Errorflow", ".local/state/Errorflow", ".errorflow-results")
# What the tests set up, and what the person wrote.
OF_OTHERS = (".run", ".screen.png", ".cache/openbox", "案例 1", "昨天.errorflow", "kind.errorflow")

pytestmark = pytest.mark.installed


@pytest.fixture(scope="module")
def unpacked(dist: Path, desk: Desk) -> Path:
    """The folder that the archive holds, in one with a blank in its name."""
    (archive,) = dist.glob("errorflow-*.tar.*")
    folder = desk.place.home / "my downloads"
    folder.mkdir()
    subprocess.run(["tar", "-C", str(folder), "-xf", str(archive)], check=True)
    (top,) = folder.iterdir()
    return top


@pytest.fixture(scope="module")
def case(desk: Desk) -> Path:
    """What the person works on."""
    folder = desk.place.home / "案例 1"
    folder.mkdir()
    copy(SAMPLES[0].model, folder / "detector.onnx")
    copy(SAMPLES[1].model, folder / "classifier.onnx")
    return folder


@pytest.fixture(scope="module")
def before(unpacked: Path, case: Path, desk: Desk) -> set[Path]:
    """What there was without us."""
    return all_below(desk.place.home)


@pytest.fixture(scope="module")
def installed(before: set[Path], unpacked: Path, desk: Desk) -> Path:
    """The program."""
    done = desk.run(str(unpacked / "install.sh"))
    assert done.returncode == 0, done.stdout + done.stderr
    return program_of(entry_of(desk.place.home).read_text(encoding="utf-8"))


@pytest.fixture
def nothing_open(installed: Path, desk: Desk) -> Iterator[None]:
    yield
    for title in desk.titles():
        desk.close(title)
    wait_until(lambda: not desk.processes(installed), "the end of the app")


def test_the_entry_names_a_program_that_is_there(installed: Path) -> None:
    assert installed.is_file()


def test_it_starts_from_the_menu(installed: Path, desk: Desk, nothing_open: None) -> None:
    desk.tell("gio", "launch", str(entry_of(desk.place.home)))
    desk.wait_for("Errorflow")
    wait_until(lambda: tones(desk.picture("started from the menu")) > 50, "a window that is drawn")
    assert len(desk.processes(installed)) == 1


def test_the_window_belongs_to_the_entry(installed: Path, desk: Desk, nothing_open: None) -> None:
    desk.tell("gio", "launch", str(entry_of(desk.place.home)))
    desk.wait_for("Errorflow")
    entry = entry_of(desk.place.home).read_text(encoding="utf-8")
    assert f"StartupWMClass={desk.class_of('Errorflow')}\n" in entry


@pytest.mark.parametrize("said", ["", "xdgdesktopportal"])
def test_dialogs_of_the_system_are_for_who_asks_for_them(
    installed: Path, desk: Desk, nothing_open: None, said: str
) -> None:
    """Nobody else's start may wait for a portal: one that does not answer would hold it up for 25 seconds."""
    asked = (f"QT_QPA_PLATFORMTHEME={said}",) if said else ()
    desk.start("env", *asked, str(installed), "--new-instance")
    desk.wait_for("Errorflow")
    (process,) = desk.processes(installed)
    loaded = Path(f"/proc/{process}/maps").read_text("utf-8")
    assert ("libqxdgdesktopportal.so" in loaded) == bool(said)


def test_a_model_is_opened_by_what_the_desktop_has_for_it(
    installed: Path, case: Path, desk: Desk, nothing_open: None
) -> None:
    assert APP in desk.do("gio", "mime", "application/x-onnx")
    desk.tell("gio", "open", str(case / "detector.onnx"))
    desk.wait_for("detector.onnx")
    wait_until(lambda: is_graph(desk.picture("a model opened")), "its graph")


def test_a_second_model_goes_to_the_window_that_is_open(
    installed: Path, case: Path, desk: Desk, nothing_open: None
) -> None:
    desk.tell("gio", "open", str(case / "detector.onnx"))
    desk.wait_for("detector.onnx")
    # One that is busy for two seconds is not waited for: a person sees the first before they open the second.
    wait_until(lambda: is_graph(desk.picture("a model, before a second one")), "its graph")
    desk.tell("gio", "open", str(case / "classifier.onnx"))
    desk.wait_for("classifier.onnx")
    assert len(desk.titles()) == 1
    assert len(desk.processes(installed)) == 1


def test_a_session_is_opened_as_it_was(installed: Path, case: Path, desk: Desk, nothing_open: None) -> None:
    session = desk.place.home / "昨天.errorflow"
    runs = ("-m", str(SAMPLES[0].candidate_run), "-g", str(SAMPLES[0].reference_run), "--model", str(SAMPLES[0].model))
    program = str(installed.parent / "errorflow")
    done = desk.run(program, "compare", *runs, "-out", str(case / "out"), "--session", str(session))
    assert session.is_file(), done.stdout + done.stderr
    desk.tell("gio", "open", str(session))
    desk.wait_for("昨天")
    wait_until(lambda: is_graph_with_fault(desk.picture("a session opened")), "a painted graph")


def test_the_file_manager_knows_what_a_session_is(installed: Path, desk: Desk) -> None:
    session = desk.place.home / "kind.errorflow"
    session.write_text(json.dumps({"format": "errorflow-session"}), encoding="utf-8")
    told = desk.do("gio", "info", "-a", "standard::content-type,standard::icon", str(session))
    assert "application/x-errorflow-session" in told
    assert APP in told


def test_it_proves_itself(installed: Path, desk: Desk) -> None:
    done = desk.run(str(installed), "--self-test")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_command_line_is_on_the_way(installed: Path, desk: Desk) -> None:
    shown = desk.run("bash", "-lc", '"$HOME/.local/bin/errorflow" --version')
    assert shown.stdout.startswith("errorflow") or shown.stdout.startswith("Errorflow"), shown.stderr


def test_nothing_but_ones_own_is_left(installed: Path, before: set[Path], unpacked: Path, desk: Desk) -> None:
    """The last one: what the app keeps of the person, settings and recent files, is theirs. Nothing
    else has come, by whatever name."""
    done = desk.run(str(unpacked / "uninstall.sh"))
    assert done.returncode == 0, done.stdout + done.stderr
    home = desk.place.home
    new = {path.relative_to(home) for path in all_below(home) - before}
    around = {parent for name in OWN for parent in Path(name).parents}  # folders of the system in which they lie
    left = sorted(path.as_posix() for path in new - around)
    assert [name for name in left if not name.startswith((*OWN, *OF_OTHERS))] == []
    assert not installed.exists()
