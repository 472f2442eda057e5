"""What an installation must consist of, key by key and file by file, and what Wine says there is."""

import re
from dataclasses import dataclass
from pathlib import Path

# (root, key, value's name) → value. A key itself is there under the name None.
Registry = dict[tuple[str, str, str | None], str]

HOME = r"C:\users\{user}"
OWN = r"Software\Errorflow"
CLASSES = r"Software\Classes"
UNINSTALL = r"Software\Microsoft\Windows\CurrentVersion\Uninstall\io.github.errorflow.Errorflow"
APP_PATHS = r"Software\Microsoft\Windows\CurrentVersion\App Paths"
COMMENT = "Shows where a converted or quantized neural network goes wrong"
# There on every Windows, but not in Wine, where it is left empty.
WINDOWS_OWN = ("HKLM", r"Software\RegisteredApplications", None)
COMPONENTS = ("STARTMENU", "ASSOCIATIONS", "DESKTOP")
# Written by Wine or the desktop whatever is installed.
_NOISE = re.compile(
    r"Software\\(Wine|Wow6432Node|Classes\\(Local Settings|Wow6432Node|CLSID|Interface))(\\|$)"
    r"|Software\\Microsoft\\(Windows NT|Cryptography)(\\|$)"
    r"|Software\\Microsoft\\Windows\\CurrentVersion\\(Explorer|RunServices|Internet Settings)(\\|$)"
    r"|(System|Volatile Environment|Environment|Control Panel|Keyboard Layout|Printers|Console)(\\|$)",
    re.IGNORECASE,
)
_KEY = re.compile(r"^\[(.+)\] \d+$")
_VALUE = re.compile(r'^(@|"(?:[^"\\]|\\.)*")=(.*)$')


@dataclass(frozen=True, slots=True)
class Installation:
    """What was asked for."""

    folder: str
    """As Windows names it."""
    version: str
    everyone: bool = False
    chosen: frozenset[str] = frozenset(("STARTMENU", "ASSOCIATIONS"))
    kilobytes: int = 0
    day: str = ""

    @property
    def root(self) -> str:
        return "HKLM" if self.everyone else "HKCU"

    def registry(self) -> Registry:
        """All keys and values, with the keys above them as far as they are only there for these."""
        found: Registry = {}
        for key, name, value in [*self._facts(), *(self._associations() if "ASSOCIATIONS" in self.chosen else [])]:
            found[self.root, key, name] = value
            found[self.root, key, None] = ""
        return found

    def _facts(self) -> list[tuple[str, str, str]]:
        major, minor = self.version.split(".")[:2]
        everyone = " /ALLUSERS" if self.everyone else ""
        texts = {
            "DisplayName": "Errorflow",
            "DisplayVersion": self.version,
            "DisplayIcon": rf"{self.folder}\errorflow-viewer.exe,0",
            "Publisher": "Errorflow",
            "Comments": COMMENT,
            "URLInfoAbout": "https://errorflow.github.io",
            "HelpLink": "https://errorflow.github.io",
            "InstallLocation": self.folder,
            "InstallDate": self.day,
            "UninstallString": rf'"{self.folder}\uninstall.exe"{everyone}',
            "QuietUninstallString": rf'"{self.folder}\uninstall.exe"{everyone} /S',
        }
        counts = {
            "EstimatedSize": self.kilobytes,
            "VersionMajor": int(major),
            "VersionMinor": int(minor),
            "NoModify": 1,
            "NoRepair": 1,
        }
        rows = [(UNINSTALL, name, text) for name, text in texts.items()]
        rows += [(UNINSTALL, name, f"dword:{count:08x}") for name, count in counts.items()]
        rows += [(rf"{OWN}\Installer", name, f"dword:{int(name in self.chosen):08x}") for name in COMPONENTS]
        rows += [
            (rf"{APP_PATHS}\{name}", "", rf"{self.folder}\{name}") for name in ("errorflow-viewer.exe", "errorflow.exe")
        ]
        return rows

    def _associations(self) -> list[tuple[str, str, str]]:
        viewer = rf"{self.folder}\errorflow-viewer.exe"
        command, rows = f'"{viewer}" "%1"', []
        for name, text, icon in (("Session", "Errorflow session", "session"), ("Model", "ONNX model", "model")):
            key = rf"{CLASSES}\Errorflow.{name}"
            rows += [(key, "", text), (key, "FriendlyTypeName", text)]
            rows += [(rf"{key}\DefaultIcon", "", rf"{self.folder}\errorflow-{icon}.ico")]
            rows += [(rf"{key}\Application", "ApplicationName", "Errorflow")]
            rows += [(rf"{key}\Application", "ApplicationIcon", f"{viewer},0")]
            rows += [
                (rf"{key}\shell\open", "FriendlyAppName", "Errorflow"),
                (rf"{key}\shell\open\command", "", command),
            ]
        program, able = rf"{CLASSES}\Applications\errorflow-viewer.exe", rf"{OWN}\Capabilities"
        rows += [
            (rf"{CLASSES}\.errorflow", "", "Errorflow.Session"),
            (rf"{CLASSES}\.errorflow", "Content Type", "application/x-errorflow-session"),
            (rf"{CLASSES}\.errorflow\OpenWithProgids", "Errorflow.Session", ""),
            (rf"{CLASSES}\.onnx\OpenWithProgids", "Errorflow.Model", ""),
            (program, "FriendlyAppName", "Errorflow"),
            (rf"{program}\SupportedTypes", ".errorflow", ""),
            (rf"{program}\SupportedTypes", ".onnx", ""),
            (rf"{program}\shell\open\command", "", command),
            (able, "ApplicationName", "Errorflow"),
            (able, "ApplicationDescription", COMMENT),
            (able, "ApplicationIcon", f"{viewer},0"),
            (rf"{able}\FileAssociations", ".errorflow", "Errorflow.Session"),
            (rf"{able}\FileAssociations", ".onnx", "Errorflow.Model"),
            (r"Software\RegisteredApplications", "Errorflow", able),
        ]
        return rows

    def files(self, bundle: list[str], user: str) -> set[str]:
        """All files, by Wine's drive: `users/…`."""
        home = f"users/{user}"
        menu = (
            "ProgramData/Microsoft/Windows/Start Menu/Programs"
            if self.everyone
            else f"{home}/AppData/Roaming/Microsoft/Windows/Start Menu/Programs"
        )
        desktop = "users/Public/Desktop" if self.everyone else f"{home}/Desktop"
        folder = self.folder.removeprefix("C:\\").replace("\\", "/")
        own = ["errorflow.ico", "errorflow-session.ico", "errorflow-model.ico", "LICENSE.txt", "uninstall.exe"]
        found = {f"{folder}/{name}" for name in [*bundle, *own]}
        if "STARTMENU" in self.chosen:
            found |= {f"{menu}/Errorflow/Errorflow.lnk", f"{menu}/Errorflow/Errorflow command line.lnk"}
        if "DESKTOP" in self.chosen:
            found.add(f"{desktop}/Errorflow.lnk")
        return found


def registry(prefix: Path) -> Registry:
    """What Wine has written down; its server must have ended. Keys with nothing below them but keys are left out."""
    found: Registry = {}
    for root, name in (("HKCU", "user.reg"), ("HKLM", "system.reg")):
        key = ""
        for line in (prefix / name).read_text(encoding="utf-8", errors="replace").splitlines():
            if match := _KEY.match(line):
                key = _text(match[1])
                if not _NOISE.match(key):
                    found[root, key, None] = ""
            elif (match := _VALUE.match(line)) and not _NOISE.match(key):
                found[root, key, "" if match[1] == "@" else _text(match[1][1:-1])] = _value(match[2])
    return found


def _value(text: str) -> str:
    return _text(text[1:-1]) if text.startswith('"') else text


def _text(text: str) -> str:
    """Wine writes what is not ASCII as \\xNNNN."""
    text = re.sub(r"\\x([0-9a-fA-F]{1,4})", lambda match: chr(int(match[1], 16)), text)
    return text.replace('\\"', '"').replace("\\\\", "\\")


def differences(before: Registry, after: Registry) -> Registry:
    """What is there now and was not, or had another value. What was taken away has the value `gone`."""
    new = {place: value for place, value in after.items() if before.get(place) != value}
    return new | {place: "gone" for place in before if place not in after}
