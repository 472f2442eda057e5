"""What is said in the registry of Windows; a dictionary stands for it."""

import struct
from pathlib import Path

import pytest

from errorflow.base.errors import ErrorflowError
from errorflow_viewer.kit.desktop_entry.windows import CLASSES, MODEL, SESSION, ico_of, install, remove, user_registry

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


def test_an_icon_of_windows_holds_all_sizes() -> None:
    data = ico_of("session")
    kind, count = struct.unpack("<HH", data[2:6])
    assert (kind, count) == (1, 7)
    for index in range(count):
        width, *_, length, place = struct.unpack("<BBBBHHII", data[6 + 16 * index : 22 + 16 * index])
        picture = data[place : place + length]
        assert picture.startswith(b"\x89PNG")
        assert struct.unpack(">I", picture[16:20])[0] % 256 == width
