"""Tries the installer where it belongs: `python packaging/windows/try_on_windows.py DIST BUNDLE`, on Windows.

DIST holds errorflow-VERSION-setup.exe, BUNDLE is what it was made of. Installs for this user, compares files and keys
with what `installation.py` says, lets the installed programs prove themselves, and uninstalls.
"""

import datetime
import os
import subprocess
import sys
import time
import winreg
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from bundle_files import Bundle  # noqa: E402 - beside this script, which is no package
from installation import UNINSTALL, Installation  # noqa: E402 - likewise
from version_info import VERSION  # noqa: E402 - likewise

PATIENCE = 300


def value(key: str, name: str) -> str | None:
    """As `installation.py` writes values down; None: it is not there."""
    try:
        with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key, access=winreg.KEY_READ | winreg.KEY_WOW64_64KEY) as handle:
            content, kind = winreg.QueryValueEx(handle, name)
    except OSError:
        return None
    return f"dword:{content:08x}" if kind == winreg.REG_DWORD else str(content)


def expect(what: str, wrong: list[str]) -> None:
    """Ends all when something is wrong."""
    if wrong:
        raise SystemExit("\n".join([f"FAILED  {what}", *wrong]))
    print(f"ok      {what}", flush=True)


def run(*command: str | Path) -> list[str]:
    """What went wrong; a program with windows has nowhere to print to."""
    done = subprocess.run([str(each) for each in command], check=False, timeout=PATIENCE)
    return [f"{command[0]} ended with {done.returncode}"] if done.returncode else []


def main() -> int:
    """Installs, compares, tries, uninstalls."""
    setup = Path(sys.argv[1]) / f"errorflow-{VERSION}-setup.exe"
    bundle = Bundle.read(Path(sys.argv[2]))
    folder = Path(os.environ["LOCALAPPDATA"]) / "Programs/Errorflow"
    day = datetime.date.today().strftime("%Y%m%d")
    wanted = Installation(str(folder), VERSION, day=day)

    expect("installs", run(setup, "/S"))
    expect("all files", [f"{path} is missing" for path in bundle.files if not (folder / path).is_file()])
    # Signatures, which the installer's copies may have, make the programs a little larger.
    keys = {place: text for place, text in wanted.registry().items() if place[2] not in (None, "EstimatedSize")}
    seen = {place: value(place[1], place[2] or "") for place in keys}
    expect(
        "all keys", [f"{place}: {seen[place]!r}, not {keys[place]!r}" for place in keys if seen[place] != keys[place]]
    )
    menu = Path(os.environ["APPDATA"]) / "Microsoft/Windows/Start Menu/Programs/Errorflow"
    expect("the Start menu", [] if (menu / "Errorflow.lnk").is_file() else ["the shortcut is missing"])
    expect("the command line", run(folder / "errorflow.exe", "--version"))
    expect("the window", run(folder / "errorflow-viewer.exe", "--self-test"))

    note = folder / "note.txt"
    note.write_text("mine", encoding="utf-8")
    expect("uninstalls", run(folder / "uninstall.exe", "/S"))
    # It goes on as a copy of itself after it has returned.
    limit = time.monotonic() + PATIENCE
    while value(UNINSTALL, "DisplayName") is not None and time.monotonic() < limit:
        time.sleep(1)
    expect("no keys are left", [str(place) for place in keys if value(place[1], place[2] or "") is not None])
    left = [path for path in folder.rglob("*") if path != note]
    expect("no files but the user's", [str(path) for path in left] if note.is_file() else ["note.txt is gone"])
    expect("no Start menu", [str(menu)] if menu.exists() else [])
    return 0


if __name__ == "__main__":
    sys.exit(main())
