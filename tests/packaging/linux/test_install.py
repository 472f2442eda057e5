"""install.sh and uninstall.sh, without root, with programs that only say who they are."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from errorflow.base.allowance import usual_cache_folder
from errorflow_viewer.kit.settings import Settings
from packaging_scripts import PACKAGING

LINUX = PACKAGING / "linux"
PROGRAM = """#!/bin/sh
[ "$1" = --version ] && echo "errorflow VERSION" && exit
echo "$@" >>"${ENTRIES:-/dev/null}"
"""
Installer = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Its name is what a shell script trips over."""
    folder = tmp_path / "家 of $one"
    folder.mkdir()
    return folder


@pytest.fixture
def call(home: Path, tmp_path: Path) -> Installer:
    """A script as the user of that home starts it."""

    def call(script: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
        environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "ENTRIES": str(tmp_path / "entries")}
        return subprocess.run(
            ["sh", str(script), *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return call


def unpacked(folder: Path, version: str = "1.0", *inside: str) -> Path:
    """An archive: two programs, what lies beside them, a manual page."""
    top = folder / f"errorflow {version}"
    for name in ("errorflow", "errorflow-viewer"):
        path = top / "errorflow" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PROGRAM.replace("VERSION", version))
        path.chmod(0o755)
    for name in ("_internal/lib.so.1", *inside):
        path = top / "errorflow" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(version)
    (top / "errorflow/_internal/lib.so").symlink_to("lib.so.1")
    page = top / f"share/man/man1/errorflow-{version}.1"
    page.parent.mkdir(parents=True)
    page.write_text(version)
    (top / "VERSION").write_text(f"{version}\n")
    for name in ("install.sh", "uninstall.sh"):
        shutil.copy(LINUX / name, top / name)
    return top


def below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.fixture
def app(home: Path) -> Path:
    return home / ".local/opt/errorflow"


def test_the_programs_can_be_called(tmp_path: Path, home: Path, app: Path, call: Installer) -> None:
    done = call(unpacked(tmp_path) / "install.sh")
    assert done.returncode == 0, done.stderr
    assert f"Errorflow 1.0 is installed in {app}" in done.stdout
    said = subprocess.check_output([str(home / ".local/bin/errorflow"), "--version"], text=True)
    assert said == "errorflow 1.0\n"
    assert (tmp_path / "entries").read_text() == "--install-desktop-entry\n"
    assert (home / ".local/share/man/man1/errorflow-1.0.1").is_file()
    assert (app / "_internal/lib.so").readlink() == Path("lib.so.1")


def test_nothing_is_left_but_what_the_user_put_there(tmp_path: Path, home: Path, app: Path, call: Installer) -> None:
    (home / ".local/share").mkdir(parents=True)
    (home / ".local/share/mine").write_text("mine")
    before = below(home)
    call(unpacked(tmp_path) / "install.sh")
    done = call(app / "uninstall.sh")
    assert done.returncode == 0, done.stderr
    assert below(home) == before
    assert (tmp_path / "entries").read_text().splitlines()[-1] == "--remove-desktop-entry"


def test_a_users_file_in_the_programs_folder_stays(tmp_path: Path, app: Path, call: Installer) -> None:
    top = unpacked(tmp_path)
    call(top / "install.sh")
    (app / "_internal/note").write_text("mine")
    assert "is left" in call(top / "uninstall.sh").stdout
    assert below(app) == {"_internal", "_internal/note"}
    again = call(top / "uninstall.sh")
    assert (again.returncode, below(app)) == (0, {"_internal", "_internal/note"})


def test_taking_away_twice_is_no_error(tmp_path: Path, call: Installer) -> None:
    top = unpacked(tmp_path)
    call(top / "install.sh")
    assert call(top / "uninstall.sh").returncode == 0
    again = call(top / "uninstall.sh")
    assert (again.returncode, again.stderr) == (0, "")
    assert "not installed" in again.stdout


def test_an_upgrade_leaves_nothing_of_the_older_version(tmp_path: Path, home: Path, app: Path, call: Installer) -> None:
    call(unpacked(tmp_path, "1.0", "_internal/old.so") / "install.sh")
    (app / "_internal/note").write_text("mine")
    done = call(unpacked(tmp_path, "1.1", "_internal/new.so") / "install.sh")
    assert done.returncode == 0, done.stderr
    assert (app / "_internal/lib.so.1").read_text() == "1.1"
    assert (app / "_internal/new.so").is_file()
    assert not (app / "_internal/old.so").exists()
    assert (app / "_internal/note").read_text() == "mine"
    assert below(home / ".local/share/man/man1") == {"errorflow-1.1.1"}
    assert below(home / ".local/opt") == {"errorflow", *(f"errorflow/{name}" for name in below(app))}


def test_a_users_file_with_the_name_of_a_new_one_is_kept_beside_it(tmp_path: Path, app: Path, call: Installer) -> None:
    call(unpacked(tmp_path, "1.0") / "install.sh")
    (app / "_internal/new.so").write_text("mine")
    call(unpacked(tmp_path, "1.1", "_internal/new.so") / "install.sh")
    assert (app / "_internal/new.so").read_text() == "1.1"
    assert (app / "_internal/new.so.kept").read_text() == "mine"


@pytest.mark.parametrize("place", [".local/opt/errorflow/own", ".local/bin/errorflow"])
def test_what_somebody_else_put_there_is_not_touched(tmp_path: Path, home: Path, call: Installer, place: str) -> None:
    foreign = home / place
    foreign.parent.mkdir(parents=True)
    foreign.write_text("mine")
    before = below(home)
    done = call(unpacked(tmp_path) / "install.sh")
    assert done.returncode == 1
    assert "was not put there by this script" in done.stderr
    assert (below(home), foreign.read_text()) == (before, "mine")


def test_another_folder_is_taken_when_one_is_named(tmp_path: Path, home: Path, call: Installer) -> None:
    top, prefix = unpacked(tmp_path), tmp_path / "some where"
    assert call(top / "install.sh", "--prefix", str(prefix)).returncode == 0
    assert (prefix / "opt/errorflow/errorflow").is_file()
    assert (tmp_path / "entries").read_text() == f"--install-desktop-entry --prefix {prefix}\n"
    assert call(prefix / "opt/errorflow/uninstall.sh").returncode == 0
    assert (below(home), below(prefix)) == (set(), set())


def test_settings_stay_unless_they_are_to_go_as_well(tmp_path: Path, home: Path, call: Installer) -> None:
    top = unpacked(tmp_path)
    settings = home / ".config/Errorflow/errorflow.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text("x")
    call(top / "install.sh")
    call(top / "uninstall.sh")
    assert settings.exists()
    call(top / "uninstall.sh", "--purge")
    assert not settings.parent.exists()


def test_what_can_be_made_again_goes_with_the_program(
    tmp_path: Path, home: Path, call: Installer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", "not/whole")
    top = unpacked(tmp_path)
    call(top / "install.sh")
    kept = usual_cache_folder()
    assert kept is not None
    (kept / "thumbnails").mkdir(parents=True)
    (kept.parent / "other").touch()
    call(top / "uninstall.sh")
    assert below(home) == {".cache", ".cache/other"}


def test_a_program_that_does_not_start_here_is_not_installed(tmp_path: Path, home: Path, call: Installer) -> None:
    top = unpacked(tmp_path)
    (top / "errorflow/errorflow").write_text("#!/bin/sh\necho 'version GLIBC_2.36 not found' >&2\nexit 1\n")
    done = call(top / "install.sh")
    assert done.returncode == 1
    assert "GLIBC_2.36 not found" in done.stderr
    assert not (home / ".local/opt").exists()


def with_needs(top: Path, glibc: str) -> Path:
    """The installer as the build writes it."""
    script = top / "install.sh"
    script.write_text(script.read_text().replace("@GLIBC@", glibc))
    return script


def test_an_older_system_is_told_so_and_nothing_is_started(tmp_path: Path, home: Path, call: Installer) -> None:
    top = unpacked(tmp_path)
    (top / "errorflow/errorflow").write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\n")
    done = call(with_needs(top, "2.999"), "--prefix", str(home / "new"))
    assert done.returncode == 1
    assert "too old for this package: it has glibc 2." in done.stderr
    assert "glibc 2.999 is the oldest that will do" in done.stderr
    assert "Debian 12" not in done.stderr  # which has no newer one
    assert (below(home), (tmp_path / "started").exists()) == (set(), False)


def test_versions_of_the_system_are_compared_as_numbers(tmp_path: Path, call: Installer) -> None:
    """2.36 is newer than 2.9."""
    assert call(with_needs(unpacked(tmp_path), "2.9"), "--no-desktop-entry").returncode == 0


def test_the_library_that_is_missing_is_named_with_its_package(tmp_path: Path, home: Path, call: Installer) -> None:
    top = unpacked(tmp_path)
    said = "libexpat.so.1: cannot open shared object file: No such file or directory"
    (top / "errorflow/errorflow").write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 255\n")
    done = call(top / "install.sh")
    assert done.returncode == 1
    assert "sudo apt install libexpat1" in done.stderr
    assert below(home) == set()


def test_one_that_was_cut_off_is_taken_up_again(tmp_path: Path, home: Path, app: Path, call: Installer) -> None:
    half = home / ".local/opt/.errorflow-new.abc123"
    half.mkdir(parents=True)
    (half / "errorflow").write_text("half")
    assert call(unpacked(tmp_path) / "install.sh").returncode == 0
    assert not half.exists()
    assert (app / "errorflow").is_file()


@pytest.mark.parametrize("newer_is_there", [False, True], ids=["before the newer one", "after it"])
def test_one_that_was_cut_off_between_two_versions_is_taken_up_again(
    tmp_path: Path, home: Path, app: Path, call: Installer, newer_is_there: bool
) -> None:
    old, new = unpacked(tmp_path, "1.0", "_internal/old.so"), unpacked(tmp_path, "1.1")
    call(old / "install.sh")
    (app / "note").write_text("mine")
    app.rename(app.with_name(".errorflow-old.123456"))
    if newer_is_there:
        shutil.copytree(new / "errorflow", app, symlinks=True)
        (app / ".installed").write_text("errorflow 1.1\nprefix bin/errorflow\nprefix bin/errorflow-viewer\n")
    done = call(new / "install.sh")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in app.parent.iterdir()] == ["errorflow"]
    assert not (app / "_internal/old.so").exists()
    assert below(home / ".local/share/man/man1") == {"errorflow-1.1.1"}
    assert (app / "note").read_text() == "mine"


def test_who_unpacked_it_decides_nothing_about_rights(tmp_path: Path, app: Path, call: Installer) -> None:
    top = unpacked(tmp_path)
    (top / "errorflow/_internal").chmod(0o700)
    (top / "errorflow/_internal/lib.so.1").chmod(0o666)
    (top / "errorflow/errorflow").chmod(0o700)
    if os.getuid() == 0:
        for path in [top, *top.rglob("*")]:
            os.chown(path, 1234, 1234, follow_symlinks=False)
    assert call(top / "install.sh").returncode == 0
    modes = {name: (app / name).stat().st_mode & 0o777 for name in ("errorflow", "_internal", "_internal/lib.so.1")}
    assert modes == {"errorflow": 0o755, "_internal": 0o755, "_internal/lib.so.1": 0o644}
    assert {path.lstat().st_uid for path in [app, *app.rglob("*")]} == {os.getuid()}


def test_both_say_what_they_take(tmp_path: Path, call: Installer) -> None:
    top = unpacked(tmp_path)
    for name in ("install.sh", "uninstall.sh"):
        assert "--prefix DIR" in call(top / name, "--help").stdout
        assert call(top / name, "--nonsense").returncode == 2
        assert call(top / name, "--prefix").returncode == 1


def test_the_line_that_takes_it_away_can_be_copied(tmp_path: Path, app: Path, call: Installer) -> None:
    """The home's name has blanks and a dollar; that of the folder has a quote."""
    for more in ((), ("--prefix", str(tmp_path / "it's here"))):
        done = call(unpacked(tmp_path / f"archive{len(more)}") / "install.sh", *more)
        (line,) = (row for row in done.stdout.splitlines() if row.startswith("To take it away again: "))
        command = line.partition(": ")[2]
        environment = {"HOME": str(app.parents[2]), "PATH": "/usr/bin:/bin"}
        said = subprocess.check_output(["sh", "-c", command], env=environment, text=True)
        assert "is taken away" in said
    assert not app.exists()


def test_a_plain_line_needs_no_quotes(tmp_path: Path, call: Installer) -> None:
    prefix = tmp_path.resolve() / "plain"
    done = call(unpacked(tmp_path) / "install.sh", "--prefix", str(prefix))
    assert f"To take it away again: sh {prefix}/opt/errorflow/uninstall.sh\n" in done.stdout


@pytest.mark.parametrize("purge", [(), ("--purge",)], ids=["settings stay", "settings go"])
@pytest.mark.parametrize("name", ["plain", "家, of; one", 'a"b\\c'])
def test_a_folder_that_was_chosen_is_named_and_left(
    tmp_path: Path, home: Path, call: Installer, name: str, purge: tuple[str, ...]
) -> None:
    """Other things may lie there."""
    chosen = tmp_path / name
    (chosen / "thumbnails").mkdir(parents=True)
    settings = Settings(QSettings(str(home / ".config/Errorflow/errorflow.conf"), QSettings.Format.IniFormat))
    settings.cache = str(chosen)
    settings._store.sync()
    top = unpacked(tmp_path)
    call(top / "install.sh")
    done = call(top / "uninstall.sh", *purge)
    assert f"can be removed: {chosen}/thumbnails\n" in done.stdout
    assert (chosen / "thumbnails").is_dir()
