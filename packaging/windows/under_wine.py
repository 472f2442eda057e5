"""The trial behind `try_under_wine.sh`: each step says what it did; the first that goes wrong ends it."""

import datetime
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from bundle_files import Bundle  # noqa: E402 - beside this script, which is no package
from installation import WINDOWS_OWN, Installation, Registry, differences, registry  # noqa: E402 - likewise
from version_info import VERSION  # noqa: E402 - likewise

OLD = "0.0.9"
DEFAULT = ("STARTMENU", "ASSOCIATIONS")
# Names that a bundle may have, and some that are hard.
COMMON = ("_internal/base_library.zip", "_internal/a b/$x.txt", "_internal/深度/模型.txt", "_internal/.hidden")
ONLY_OLD = ("_internal/old.pyd", "_internal/old/deep/er.txt")
ONLY_NEW = ("_internal/new.pyd",)
RUNNING, WRONG_FOLDER, TOO_OLD = 3, 4, 6
OTHER = "Other.Viewer.1"
# Without a blank, round which Wine puts quotes, that NSIS does not take; Program Files has one.
ELSEWHERE = r"C:\Elsewhere\深$1"


class Trial:
    """One prefix of Wine, from its making on."""

    def __init__(self, work: Path) -> None:
        self.work, self.prefix = work, work / "prefix"
        self.bundles = {OLD: self._bundle("old", ONLY_OLD), VERSION: self._bundle("new", ONLY_NEW)}
        self.setups = {version: self._setup(version) for version in self.bundles}
        self.user = ""
        self.before: Registry = {}

    # --- what is tried ---

    def _bundle(self, name: str, more: tuple[str, ...]) -> Bundle:
        folder = self.work / name
        for path in (folder / each for each in (*COMMON, *more)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
        for program in ("errorflow-viewer.exe", "errorflow.exe"):
            source = HERE / "stand_in/stand_in.c"
            subprocess.run(
                ["x86_64-w64-mingw32-gcc", "-Os", "-s", "-mwindows", "-o", folder / program, source], check=True
            )
        return Bundle.read(folder)

    def _setup(self, version: str) -> Path:
        sign = f"{HERE / 'sign.sh'} --self-signed {self.work / 'keys'}"
        made = [sys.executable, HERE / "make_setup.py", self.bundles[version].folder, "-o", self.work, "--fast"]
        subprocess.run([*made, "--version", version, "--sign", sign], check=True)
        return self.work / f"errorflow-{version}-setup.exe"

    # --- how ---

    def wine(self, *command: str | Path) -> int:
        """Returns the exit code when everything it started has ended."""
        done = subprocess.run(
            ["wine", *map(str, command)], check=False, timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        subprocess.run(["wineserver", "-w"], check=False, timeout=120)
        return done.returncode

    def install(self, version: str, *options: str) -> int:
        return self.wine(self.setups[version], "/S", *options)

    def uninstall(self, folder: str) -> int:
        """As Settings does it. The uninstaller goes on as a copy of itself: its folder tells when it is through."""
        return self.wine(folder + r"\uninstall.exe", "/S")

    def there(self, windows: str) -> Path:
        return self.prefix / "drive_c" / windows.removeprefix("C:\\").replace("\\", "/")

    def start(self) -> None:
        """A new prefix that says it is Windows 7, then one that says it is Windows 10."""
        self.wine("wineboot", "-i")
        self.user = next(path.name for path in (self.prefix / "drive_c/users").iterdir() if path.name != "Public")
        self.wine("winecfg", "-v", "win7")
        self.expect("an old Windows is refused", self.install(VERSION), TOO_OLD)
        self.wine("winecfg", "-v", "win10")
        # What is not ours: the user's settings, and another program that opens ONNX.
        self.wine("reg", "add", r"HKCU\Software\Errorflow\errorflow", "/v", "theme", "/d", "dark", "/f")
        for root in ("HKCU", "HKLM"):
            key = rf"{root}\Software\Classes\.onnx"
            self.wine("reg", "add", key, "/ve", "/d", OTHER, "/f")
            self.wine("reg", "add", rf"{key}\OpenWithProgids", "/v", OTHER, "/f")
        self.before = registry(self.prefix)
        self.files = self.all_files()

    def all_files(self) -> set[str]:
        drive = self.prefix / "drive_c"
        noise = ("windows/", "users/Public/Temp")
        # The desktop is a link, which Wine makes to that of the home.
        places = (drive, drive / f"users/{self.user}/Desktop")
        walks = (row for place in places for row in os.walk(place))
        found = (Path(folder, name).relative_to(drive).as_posix() for folder, _, names in walks for name in names)
        return {name for name in found if not name.startswith(noise) and "/Temp/" not in name}

    # --- what came of it ---

    def expect(self, what: str, seen: object, wanted: object) -> None:
        if seen != wanted:
            raise SystemExit(f"FAILED  {what}\n  seen    {seen}\n  wanted  {wanted}")
        print(f"ok      {what}", flush=True)

    def expect_installed(self, what: str, wanted: Installation, *users: str) -> None:
        """Exactly this and nothing else is there that was not before. `users`: files that a user put there."""
        bundle = self.bundles[wanted.version]
        wanted = replace(wanted, kilobytes=bundle.kilobytes, day=datetime.date.today().strftime("%Y%m%d"))
        names = [path.as_posix() for path in bundle.files]
        self._compare(what, wanted.registry(), wanted.files(names, self.user) | set(users))

    def expect_nothing(self, what: str, *users: str) -> None:
        self._compare(what, {}, set(users))

    def _compare(self, what: str, keys: Registry, files: set[str]) -> None:
        seen = differences(self.before, registry(self.prefix))
        # Keys that hold nothing but others are no harm, but none may be left when all is gone.
        seen.pop(WINDOWS_OWN, None)
        seen = {place: value for place, value in seen.items() if not keys or place[2] is not None}
        keys = {place: value for place, value in keys.items() if place[2] is not None}
        wrong = [
            f"  key   {place}: {seen.get(place)!r}, not {keys.get(place)!r}"
            for place in {*seen, *keys}
            if seen.get(place) != keys.get(place)
        ]
        new = self.all_files() - self.files
        wrong += [f"  file  {name} is {'left' if name in new else 'missing'}" for name in new ^ files]
        self.expect(what, "\n" + "\n".join(sorted(wrong)) if wrong else "", "")


def main() -> None:
    work = Path(sys.argv[1])
    started = time.monotonic()
    trial = Trial(work)
    trial.start()
    for_one(trial)
    refusals(trial)
    for_all(trial)
    print(f"All as it should be, {time.monotonic() - started:.0f} s.")


def for_one(trial: Trial) -> None:
    """Install, upgrade with choices, move, uninstall; a user's files stay."""
    home = rf"C:\users\{trial.user}\AppData\Local\Programs\Errorflow"
    wanted = Installation(home, OLD)
    trial.expect("installs", trial.install(OLD), 0)
    trial.expect_installed("files, keys and shortcuts of the older version", wanted)
    link = trial.there(
        rf"C:\users\{trial.user}\AppData\Roaming\Microsoft\Windows\Start Menu\Programs\Errorflow\Errorflow.lnk"
    )
    trial.expect(
        "the shortcut leads to the app",
        "errorflow-viewer.exe" in link.read_bytes().decode("utf-16-le", "ignore")
        or b"errorflow-viewer.exe" in link.read_bytes(),
        True,
    )

    mine = [rf"{home}\mine.txt", rf"{home}\_internal\深度\notes.txt"]
    for path in mine:
        trial.there(path).write_text("mine")
    kept = [trial.there(path).relative_to(trial.prefix / "drive_c").as_posix() for path in mine]

    opened = subprocess.Popen(["wine", rf"{home}\errorflow-viewer.exe", "--wait"], stderr=subprocess.DEVNULL)
    said = trial.there(rf"{home}\errorflow-viewer.exe.txt")
    while not said.exists():
        time.sleep(0.1)
    code = subprocess.run(["wine", str(trial.setups[VERSION]), "/S"], check=False, stderr=subprocess.DEVNULL).returncode
    trial.expect("an open app is not replaced", code, RUNNING)
    code = subprocess.run(
        ["wine", rf"{home}\uninstall.exe", "/S", rf"_?={home}"], check=False, stderr=subprocess.DEVNULL
    ).returncode
    trial.expect("nor uninstalled", code, RUNNING)
    opened.terminate()
    subprocess.run(["wineserver", "-k"], check=False)
    opened.wait()
    said.unlink()
    trial.expect_installed("and nothing was changed", wanted, *kept)

    trial.expect("upgrades", trial.install(VERSION, "/DESKTOP=1", "/ASSOCIATIONS=0"), 0)
    wanted = replace(wanted, version=VERSION, chosen=frozenset(("STARTMENU", "DESKTOP")))
    trial.expect_installed("old files are gone, new ones there, types given back, a user's files kept", wanted, *kept)
    trial.expect("installs once more", trial.install(VERSION), 0)
    trial.expect_installed("as it was chosen before", wanted, *kept)
    trial.expect("moves", trial.install(VERSION, "/DESKTOP=0", "/ASSOCIATIONS=1", rf"/D={ELSEWHERE}"), 0)
    wanted = Installation(ELSEWHERE, VERSION)
    trial.expect_installed("all of it", wanted, *kept)
    trial.expect("goes back to an older version", trial.install(OLD), 0)
    trial.expect_installed("in the same place", replace(wanted, version=OLD), *kept)
    trial.expect("uninstalls", trial.uninstall(wanted.folder), 0)
    trial.expect_nothing("and leaves the user's files alone", *kept)
    trial.expect("not even a folder", trial.there(ELSEWHERE).exists(), False)
    trial.expect("installs where only a user's file is left", trial.install(VERSION), 0)
    trial.expect_installed("all of it", Installation(home, VERSION), *kept)
    trial.expect("uninstalls", trial.uninstall(home), 0)
    trial.expect_nothing("and leaves them", *kept)
    for path in mine:
        trial.there(path).unlink()
    shutil.rmtree(trial.there(home))


def refusals(trial: Trial) -> None:
    """Folders that will not do."""
    portable = trial.there(r"C:\portable")
    shutil.copytree(trial.bundles[OLD].folder, portable)
    trial.expect(
        "an Errorflow of somebody else's is not replaced", trial.install(VERSION, r"/D=C:\portable"), WRONG_FOLDER
    )
    shutil.rmtree(portable)
    trial.expect("a path that is too long is refused", trial.install(VERSION, r"/D=C:\d" + "e" * 230), WRONG_FOLDER)
    trial.expect_nothing("nothing was written")


def for_all(trial: Trial) -> None:
    """Into Program Files, where a document is opened by its type; Wine knows types of all users only."""
    wanted = Installation(r"C:\Program Files\Errorflow", VERSION, everyone=True)
    trial.expect("installs for everyone", trial.install(VERSION, "/ALLUSERS"), 0)
    trial.expect_installed("files, keys and shortcuts of everyone", wanted)
    document = trial.there(r"C:\a case.errorflow")
    document.write_text("{}")
    trial.wine("start", "/wait", r"C:\a case.errorflow")
    said = trial.there(wanted.folder + r"\errorflow-viewer.exe.txt")
    trial.expect("a session opens in it", r"C:\a case.errorflow" in said.read_text("utf-8"), True)
    said.unlink()
    document.unlink()
    trial.expect("uninstalls", trial.uninstall(wanted.folder), 0)
    trial.expect_nothing("and leaves nothing")


if __name__ == "__main__":
    if "WINEPREFIX" not in os.environ:
        raise SystemExit("Start it by try_under_wine.sh.")
    main()
