"""The package for Debian, in systems that have nothing else: installed, used by a double click, taken away.

Needs root and a mirror of Debian; takes minutes. ERRORFLOW_SYSTEMS names a folder in which the clean systems are kept.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copy

import pytest
from PySide6.QtGui import QImage

from errorflow.base.sample import SAMPLES
from installed.desks import Desk, Place, highest_change, is_graph, wait_until
from installed.systems import DESKTOP, PERSON, files, inside, made, strange, used, with_packages

pytestmark = [pytest.mark.installed, pytest.mark.slow, pytest.mark.timeout(3600)]
PROGRAM = Path("/opt/errorflow/errorflow-viewer")
HOME = Path("/home") / PERSON


@dataclass
class System:
    """One that the package was installed in."""

    root: Path
    suite: str
    before: set[str]  # all that lay in it, and what came with the packages of a desktop


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def system(request: pytest.FixtureRequest, dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    assert os.getuid() == 0, "needs root, for a system of its own"
    assert shutil.which("debootstrap"), "needs debootstrap"
    named = os.environ.get("ERRORFLOW_SYSTEMS", "")
    kept = Path(named) if named else tmp_path_factory.mktemp("systems")
    (package,) = dist.glob("errorflow_*.deb")
    with used(made(request.param, kept), kept / f"{request.param}-in-use") as root:
        copy(package, root / "tmp/errorflow.deb")
        inside(root, "apt-get", "-qq", "update")
        before = files(root)
        inside(root, "apt-get", "-qq", "install", "-y", "--no-install-recommends", "/tmp/errorflow.deb")
        yield System(root, request.param, before)


@pytest.fixture(scope="module")
def desk(system: System, pictures: Path) -> Iterator[Desk]:
    """Made only now: what comes before shows that the package alone is enough."""
    bare = files(system.root)
    with_packages(system.root, *DESKTOP)
    system.before |= files(system.root) - bare
    desk = Desk(Place(HOME, system.root, PERSON), pictures)
    try:
        desk.begin()
        yield desk
    finally:
        desk.end()


@pytest.fixture(scope="module")
def documents(desk: Desk, system: System) -> Path:
    """A folder of the person's, as the person sees it; nothing is in it."""
    desk.do("mkdir", str(HOME / "Documents"))
    return HOME / "Documents"


def put(desk: Desk, model: Path, at: Path) -> None:
    """A file of the person's own."""
    outside = desk.place.outside(at)
    copy(model, outside)
    owner = desk.place.outside(HOME).stat()
    os.chown(outside, owner.st_uid, owner.st_gid)


def test_the_package_alone_is_enough(system: System) -> None:
    """Without a screen, and with no package but those that it asks for."""
    command = ("runuser", "-u", PERSON, "--", "env", f"HOME={HOME}", "QT_QPA_PLATFORM=offscreen", str(PROGRAM))
    assert "ok" in inside(system.root, *command, "--self-test")


def test_the_command_line_is_on_the_way(system: System) -> None:
    assert "rrorflow" in inside(system.root, "errorflow", "--version")


def test_a_real_screen_shows_the_same(system: System, desk: Desk) -> None:
    done = desk.run(str(PROGRAM), "--self-test")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_in_the_menu(desk: Desk) -> None:
    desk.tell("gio", "launch", "/usr/share/applications/io.github.errorflow.Errorflow.desktop")
    desk.wait_for("Errorflow")
    close_all(desk)


def test_a_double_click_on_a_model_opens_it(system: System, desk: Desk, documents: Path) -> None:
    desk.start("pcmanfm", "--no-desktop", str(documents))
    desk.wait_for("Documents")
    empty = at_rest(desk, f"{system.suite} empty folder")
    put(desk, SAMPLES[0].model, documents / "detector.onnx")
    wait_until(lambda: at_rest(desk, f"{system.suite} folder") != empty, "an icon")
    desk.double_click(*highest_change(empty, at_rest(desk, f"{system.suite} folder")), "detector.onnx")
    wait_until(lambda: is_graph(desk.picture(f"{system.suite} double click")), "its graph")
    assert len(desk.processes(PROGRAM)) == 1
    close_all(desk)


def test_a_newer_one_takes_its_place_and_gives_it_back(system: System) -> None:
    """The newer one is the same, but for its version and a file."""
    own = system.root / HOME.relative_to("/") / ".config/Errorflow/own.conf"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("mine", encoding="utf-8")
    new = "/opt/errorflow/_internal/new"
    inside(
        system.root,
        "sh",
        "-ec",
        "dpkg-deb -R /tmp/errorflow.deb /tmp/newer; sed -i 's/^Version: .*/Version: 1000/' /tmp/newer/DEBIAN/control;"
        f"touch /tmp/newer{new}; dpkg-deb -Znone -b /tmp/newer /tmp/newer.deb; rm -r /tmp/newer",
    )
    for package, is_newer in (("newer", True), ("errorflow", False)):
        inside(system.root, "apt-get", "-qq", "install", "-y", "--allow-downgrades", f"/tmp/{package}.deb")
        assert (system.root / new[1:]).exists() == is_newer
        assert "rrorflow" in inside(system.root, "errorflow", "--version")
    assert inside(system.root, "dpkg", "-V", "errorflow") == ""
    assert own.read_text(encoding="utf-8") == "mine"


def test_nothing_is_left_when_it_is_taken_away(system: System) -> None:
    inside(system.root, "apt-get", "-qq", "purge", "-y", "errorflow")
    left = sorted(strange(system.root, system.before))
    assert not left, "\n".join(left)


def at_rest(desk: Desk, name: str) -> QImage:
    """The screen when two pictures of it in a row are the same."""
    pictures = [desk.picture(name)]

    def same() -> bool:
        pictures.append(desk.picture(name))
        return pictures[-1] == pictures[-2]

    wait_until(same, "a screen at rest")
    return pictures[-1]


def close_all(desk: Desk) -> None:
    for title in desk.titles():
        desk.close(title)
    desk.wait_for_none()
    wait_until(lambda: not desk.processes(PROGRAM), "the end of the app")
