"""What is said in the registry of Windows; a dictionary stands for it."""

from importlib.resources import files
from pathlib import Path

import pytest

from errorflow.base.errors import ErrorflowError
from errorflow_viewer.kit.desktop_entry.windows import CLASSES, MODEL, SESSION, install, remove, user_registry
from packaging_scripts import script

NSI = Path(__file__).parents[4] / "packaging/windows/errorflow.nsi"
COMMAND = (r"C:\Program Files\Errorflow\errorflow-viewer.exe",)


class InMemory:
    """Values by key and name."""

    def __init__(self, **values: str) -> None:
        self.values: dict[tuple[str, str], str] = {}
        self.announced = 0

    def get(self, key: str, name: str) -> str | None:
        return self.values.get((key, name))

    def set(self, key: str, name: str, value: str) -> None:
        self.values[key, name] = value

    def forget(self, key: str, name: str) -> bool:
        return self.values.pop((key, name), None) is not None

    def remove(self, key: str) -> bool:
        gone = [each for each in self.values if each[0] == key or each[0].startswith(f"{key}\\")]
        for each in gone:
            del self.values[each]
        return bool(gone)

    def is_empty(self, key: str) -> bool:
        return not any(each[0] == key or each[0].startswith(f"{key}\\") for each in self.values)

    def announce(self) -> None:
        self.announced += 1


def test_a_session_is_ours_and_a_model_may_be(tmp_path: Path) -> None:
    registry = InMemory()
    lines = install(registry, COMMAND, tmp_path)
    assert registry.get(f"{CLASSES}\\.errorflow", "") == SESSION
    assert registry.get(f"{CLASSES}\\.onnx", "") is None
    assert registry.get(f"{CLASSES}\\.onnx\\OpenWithProgids", MODEL) == ""
    command = registry.get(f"{CLASSES}\\{SESSION}\\shell\\open\\command", "")
    assert command == '"C:\\Program Files\\Errorflow\\errorflow-viewer.exe" "%1"'
    assert registry.announced == 1
    assert f"Wrote {tmp_path / 'session.ico'}" in lines


def test_nothing_stays_of_it(tmp_path: Path) -> None:
    registry = InMemory()
    install(registry, COMMAND, tmp_path / "Errorflow" / "icons")
    install(registry, COMMAND, tmp_path / "Errorflow" / "icons")
    remove(registry, tmp_path / "Errorflow" / "icons")
    assert registry.values == {}
    assert list(tmp_path.iterdir()) == []
    assert registry.announced == 3


def test_what_others_say_stays(tmp_path: Path) -> None:
    registry = InMemory()
    others = {
        (f"{CLASSES}\\.onnx", ""): "Netron",
        (f"{CLASSES}\\.onnx\\OpenWithProgids", "Netron"): "",
        (f"{CLASSES}\\.errorflow", "Content Type"): "application/json",
    }
    registry.values |= others
    install(registry, COMMAND, tmp_path)
    registry.set(f"{CLASSES}\\.errorflow", "", "Editor")  # chosen since
    remove(registry, tmp_path)
    assert registry.values == others | {(f"{CLASSES}\\.errorflow", ""): "Editor"}


def test_nothing_there_is_no_error(tmp_path: Path) -> None:
    assert remove(InMemory(), tmp_path / "icons") == ("Errorflow was not offered for files.",)


def test_there_is_no_registry_elsewhere() -> None:
    with pytest.raises(ErrorflowError):
        user_registry()


def test_the_icons_are_those_that_the_installer_puts_there(tmp_path: Path) -> None:
    install(InMemory(), COMMAND, tmp_path)
    drawn = files("errorflow_resources") / "icons" / "document"
    for name in ("session.ico", "model.ico"):
        assert (tmp_path / name).read_bytes() == (drawn / name).read_bytes()
    assert 'File /oname=errorflow-session.ico "${DOCUMENT_ICONS}\\session.ico"' in NSI.read_text("utf-8")


def test_nothing_is_said_that_the_installer_does_not_say_too(tmp_path: Path) -> None:
    """Whoever installs it after that, or takes it away, finds one app and not two."""
    registry, folder = InMemory(), r"C:\Program Files\Errorflow"
    install(registry, COMMAND, tmp_path)
    installed = script("windows/installation.py").Installation(folder, "1.2.3").registry()
    icons = {(key, name) for key, name in registry.values if key.endswith("DefaultIcon")}
    assert len(icons) == 2 and all(("HKCU", *row) in installed for row in icons)
    for row in registry.values.keys() - icons:
        assert registry.values[row] == installed["HKCU", *row]
