"""An entry in the menu of one user: put there, put there again, taken away."""

import json
import os
import pwd
from pathlib import Path

import pytest

from errorflow.base.errors import ErrorflowError
from errorflow_viewer.kit.desktop_entry import APP_ID
from errorflow_viewer.kit.desktop_entry.linux import MODEL, SESSION, install, remove, share_of
from errorflow_viewer.kit.desktop_entry.present import ENTRY, RECORD, is_of_package, is_there
from errorflow_viewer.kit.desktop_entry.program import program

COMMAND = ("/opt/errorflow/errorflow-viewer",)
LIST = f"[Default Applications]\n{MODEL}=old.desktop\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new one; the system has nothing either."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "system"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "etc"))
    return tmp_path


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def other_app(system: Path, name: str = "netron.desktop") -> None:
    """One that is there for all and opens models."""
    (system / "applications").mkdir(parents=True)
    (system / "applications" / name).touch()
    (system / "applications" / "mimeinfo.cache").write_text(f"[MIME Cache]\n{MODEL}={name};\n")


def choices(home: Path) -> str:
    path = home / ".config" / "mimeapps.list"
    return path.read_text("utf-8") if path.is_file() else ""


def test_all_of_it_is_written(home: Path) -> None:
    done = install(COMMAND)
    entry = home / ".local/share/applications" / ENTRY
    assert "Exec=/opt/errorflow/errorflow-viewer %F\n" in entry.read_text("utf-8")
    assert "TryExec=/opt/errorflow/errorflow-viewer\n" in entry.read_text("utf-8")
    assert {step.what for step in done.steps} == {"wrote"}
    assert all(step.path.is_file() for step in done.steps)
    assert is_there()


def test_once_more_is_as_good_as_once(home: Path) -> None:
    install(COMMAND)
    before = tree(home)
    assert {step.what for step in install(COMMAND).steps} == {"kept"}
    assert tree(home) == before


def test_another_place_of_the_program_is_written_anew(home: Path) -> None:
    install(COMMAND)
    wrote = [step.path.name for step in install(("/elsewhere/errorflow-viewer",)).steps if step.what == "wrote"]
    assert wrote == [ENTRY]


def test_nothing_stays_of_it(home: Path) -> None:
    install(COMMAND)
    install(COMMAND)
    remove()
    assert tree(home) == set()


def test_what_others_have_there_stays(home: Path) -> None:
    share = home / ".local/share"
    (share / "mime/packages").mkdir(parents=True)
    (share / "applications").mkdir()
    (share / "applications/mine.desktop").touch()
    (share / "icons/hicolor/16x16/apps").mkdir(parents=True)
    before = tree(home)
    install(COMMAND)
    (share / "icons/hicolor/48x48/apps/mine.png").touch()
    remove()
    assert before <= tree(home)
    assert "icons/hicolor/48x48/apps/mine.png" in tree(share)
    assert not any(APP_ID in path for path in tree(home))


def test_half_of_it_may_be_gone_already(home: Path) -> None:
    paths = [step.path for step in install(COMMAND).steps]
    for path in paths[::2]:
        path.unlink()
    assert len(remove().steps) == len(paths) // 2
    assert tree(home) == set()


@pytest.mark.parametrize("rubbish", ["", "{", "[]", '{"files": 3}', "[" * 100_000])
def test_the_note_of_it_may_be_gone_or_broken(rubbish: str, home: Path) -> None:
    install(COMMAND)
    (home / ".local/share" / RECORD).write_text(rubbish)
    remove()
    assert not any(APP_ID in path for path in tree(home))


def test_a_note_that_was_changed_takes_nothing_of_others(home: Path) -> None:
    install(COMMAND)
    note, mine = home / ".local/share" / RECORD, home / f"{APP_ID}-mine"
    mine.touch()
    (home / ".local/share/other").touch()
    data = json.loads(note.read_text("utf-8"))
    data["files"] += [f"../../{mine.name}", str(mine), "other"]
    note.write_text(json.dumps(data))
    remove()
    assert mine.is_file() and (home / ".local/share/other").is_file()


def test_nothing_there_is_no_error(home: Path) -> None:
    assert remove().steps == ()
    assert tree(home) == set()


def test_a_prefix_in_place_of_the_home(home: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "usr local"
    install(COMMAND, prefix)
    assert (prefix / "share/applications" / ENTRY).is_file()
    assert not (home / ".local").exists()
    remove(prefix)
    assert not prefix.exists()


def test_a_path_that_is_not_absolute_does_not_count(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "here")
    install(COMMAND)
    assert (home / ".local/share/applications" / ENTRY).is_file()


def test_a_tool_that_is_missing_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(home / "nothing"))
    notes = install(COMMAND).notes
    assert [note.split(" ")[0] for note in notes] == ["update-mime-database", "update-desktop-database"]
    assert all("next login" in note for note in notes)


def test_a_tool_that_fails_is_a_note(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = home / "tools"
    tools.mkdir()
    for name in ("update-mime-database", "update-desktop-database"):
        (tools / name).write_text("#!/bin/sh\nexit 3\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    notes = install(COMMAND).notes
    assert len(notes) == 2 and all("failed" in note for note in notes)


def test_a_list_of_icons_that_is_there_is_kept_up_to_date(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And none is begun: icons that others put there later would not be seen."""
    theme, tools = home / ".local/share/icons/hicolor", home / "tools"
    theme.mkdir(parents=True)
    tools.mkdir()
    (tools / "gtk-update-icon-cache").write_text(f'#!/bin/sh\necho "$*" > "{home}/asked"\n')
    (tools / "gtk-update-icon-cache").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    install(COMMAND)
    assert not (home / "asked").exists()
    (theme / "icon-theme.cache").touch()
    install(COMMAND)
    assert str(theme) in (home / "asked").read_text("utf-8")


def test_without_a_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "")
    assert share_of(None) == Path(pwd.getpwuid(os.getuid()).pw_dir, ".local/share")
    monkeypatch.setattr(os, "getuid", lambda: 54321)  # nobody whom the system knows
    with pytest.raises(ErrorflowError, match="no home folder"):
        install(COMMAND)
    assert not is_there()


def test_models_stay_with_whom_they_were(home: Path) -> None:
    other_app(home / "system")
    done = install(COMMAND)
    assert f"{MODEL}=netron.desktop" in choices(home)
    assert any("netron.desktop" in note for note in done.notes)
    remove()
    assert choices(home) == ""


def test_what_was_chosen_for_models_is_left_alone(home: Path) -> None:
    (home / ".config").mkdir()
    (home / ".config/mimeapps.list").write_text(LIST)
    install(COMMAND)
    assert choices(home) == LIST
    remove()
    assert choices(home) == LIST


def test_a_session_is_ours_and_what_was_before_comes_back(home: Path) -> None:
    before = (
        f"# mine\n[Default Applications]\ntext/plain=a.desktop\n{SESSION}=gedit.desktop\n\n[Added Associations]\nx=y\n"
    )
    (home / ".config").mkdir()
    (home / ".config/mimeapps.list").write_text(before)
    install(COMMAND)
    install(COMMAND)
    assert f"{SESSION}={ENTRY}\n" in choices(home)
    assert "text/plain=a.desktop\n" in choices(home) and "# mine\n" in choices(home)
    remove()
    assert sorted(choices(home).splitlines()) == sorted(before.splitlines())


def test_what_was_chosen_since_stays(home: Path) -> None:
    other_app(home / "system")
    install(COMMAND)
    path = home / ".config/mimeapps.list"
    path.write_text(path.read_text().replace("netron", "zed"))
    remove()
    assert f"{MODEL}=zed.desktop" in choices(home)


def test_a_list_of_choices_that_is_no_text_is_kept_byte_by_byte(home: Path) -> None:
    other_app(home / "system")
    path = home / ".config/mimeapps.list"
    path.parent.mkdir()
    path.write_bytes(b"[Default Applications]\nx/y=\xff.desktop\n")
    install(COMMAND)
    remove()
    assert path.read_bytes() == b"[Default Applications]\nx/y=\xff.desktop\n"


def test_a_place_where_nobody_may_write(home: Path) -> None:
    with pytest.raises(ErrorflowError, match=r"/sys/share: .+\."):
        install(COMMAND, Path("/sys"))


def test_a_file_where_a_folder_should_be(home: Path) -> None:
    (home / ".local").touch()
    with pytest.raises(ErrorflowError) as caught:
        install(COMMAND)
    assert "--prefix" in caught.value.hint
    assert tree(home) == {".local"}


def test_an_entry_of_a_package_is_known(home: Path) -> None:
    assert not is_of_package()
    install(program(), home / "package")
    (home / "package/share").rename(home / "system")
    assert is_of_package()


def test_an_entry_of_another_installation_is_another(home: Path) -> None:
    install(COMMAND, home / "package")
    (home / "package/share").rename(home / "system")
    assert not is_of_package()
