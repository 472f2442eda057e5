"""What a Linux desktop says is followed while the app runs."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit import motion, portal
from errorflow_viewer.kit.look import DARK, LIGHT
from errorflow_viewer.kit.style import Appearance
from needed import need

DARKNESS = ("org.freedesktop.appearance", "color-scheme")
MOTION = ("org.freedesktop.appearance", "reduced-motion")


@pytest.fixture
def app(qapp: QCoreApplication) -> QApplication:
    assert isinstance(qapp, QApplication)
    return qapp


def test_a_desktop_that_qt_does_not_know_is_dark_when_it_says_so(app: QApplication) -> None:
    appearance = Appearance(app, "system")
    if app.styleHints().colorScheme() != Qt.ColorScheme.Unknown:
        pytest.skip("this one Qt knows")
    for value, theme in ((1, DARK), (2, LIGHT), (1, DARK), (None, LIGHT)):
        appearance.hear_desktop(*DARKNESS, value)
        assert appearance.theme is theme


def test_who_chose_a_theme_keeps_it(app: QApplication) -> None:
    appearance = Appearance(app, "light")
    appearance.hear_desktop(*DARKNESS, 1)
    assert appearance.theme is LIGHT


def test_less_motion_is_heard_of_when_it_changes(app: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(motion, "_answers", {})
    if motion.system_reduces():
        pytest.skip("this system has none")
    told: list[bool] = []
    for value in (0, 1, 1, 0, None):
        motion._take(MOTION, value, lambda: told.append(motion.system_reduces()))
    assert told == [True, False]


_SPEAKER = """
import sys
from PySide6.QtCore import QCoreApplication
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusVariant
app, bus = QCoreApplication([]), QDBusConnection.sessionBus()
said = QDBusMessage.createSignal(*sys.argv[1:4])
said.setArguments([*sys.argv[4:6], QDBusVariant(1)])
bus.registerService("org.freedesktop.portal.Desktop")
bus.send(said)
bus.call(QDBusMessage.createMethodCall("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ListNames"))
"""


# A bus on which nobody is started because he is asked for: a portal of the system would answer in place of ours.
_ALONE = """<busconfig><type>session</type><listen>{address}</listen><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    need("dbus-daemon")
    address = f"unix:path={tmp_path / 'bus'}"
    (tmp_path / "bus.conf").write_text(_ALONE.format(address=address))
    daemon = subprocess.Popen(
        ["dbus-daemon", f"--config-file={tmp_path / 'bus.conf'}", "--nofork", "--print-address"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert daemon.stdout is not None
    daemon.stdout.readline()  # it is there
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    yield address
    daemon.terminate()
    daemon.wait()
    daemon.stdout.close()


def test_a_change_comes_over_the_bus(app: QApplication, bus: str, qtbot: QtBot) -> None:
    """In a process of its own: Qt asks for the address of the bus once."""
    code = f"""
import sys
from PySide6.QtCore import QCoreApplication, QObject
from errorflow_viewer.kit.portal import listen
app, parent = QCoreApplication([]), QObject()
def hear(*heard):
    print(*heard, flush=True)
    if heard[2] is not None:
        app.quit()
listen(({DARKNESS!r}, {MOTION!r}), hear, parent)
app.exec()
"""
    listener = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert listener.stdout is not None
    assert [listener.stdout.readline().split()[-1] for _ in range(2)] == ["None", "None"]  # nobody is there yet
    for place, name in (("org.else", "color-scheme"), MOTION):
        path, interface = portal._PORTAL[1:]
        subprocess.run(
            [sys.executable, "-c", _SPEAKER, path, interface, "SettingChanged", place, name], check=True, env=os.environ
        )
    assert listener.stdout.readline().split() == [*MOTION, "1"]
    assert listener.wait(timeout=30) == 0
    listener.stdout.close()
