"""A clean Debian below a folder, with nothing in it but what one asks for. Needs root."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MIRROR = "http://deb.debian.org/debian"
# What a desktop has: a screen, a window manager, a file manager, and what tells files apart.
SCREEN = ("xvfb", "xauth", "openbox", "xdotool", "wmctrl", "x11-utils", "imagemagick", "dbus")
FILES = ("pcmanfm", "libglib2.0-bin", "shared-mime-info", "desktop-file-utils", "xdg-utils", "adwaita-icon-theme")
DESKTOP = (*SCREEN, *FILES)
PERSON = "person"
# Where a system and its persons write what no package has: nothing of a program lies there. Of what a package asks for,
# that of fonts makes links and a folder when it is installed.
PASSING = (f"./home/{PERSON}", "./tmp/", "./run/", "./var/cache/", "./var/log/", "./var/lib/apt/", "./var/lib/dpkg/")
OF_NEEDS = ("./etc/fonts/conf.d/", "./usr/local/share/fonts")
# Our names: also what triggers of other packages made of our files must go.
OURS = ("errorflow", "x-onnx")


def made(suite: str, folder: Path) -> Path:
    """A system of that name, made once and kept for the next time."""
    base = folder / f"{suite}-base"
    if not (base / "ready").exists():
        _must(["debootstrap", "--variant=minbase", suite, str(base), MIRROR])
        (base / "ready").touch()
    return base


@contextmanager
def used(base: Path, at: Path) -> Iterator[Path]:
    """A copy of a system, which is thrown away afterwards."""
    assert not at.exists(), f"{at} is left of an earlier time: unmount what is mounted below it, and remove it"
    _must(["cp", "-a", str(base), str(at)])
    mounted = []
    try:
        for name in ("proc", "dev"):
            _must(["mount", "--rbind", f"/{name}", str(at / name)])
            _must(["mount", "--make-rslave", str(at / name)])
            mounted.append(at / name)
        inside(at, "useradd", "--create-home", PERSON)
        yield at
    finally:
        # What is still mounted must not be thrown away with the copy.
        for place in reversed(mounted):
            _must(["umount", "-R", "-l", str(place)])
        subprocess.run(["rm", "-rf", "--one-file-system", str(at)], check=True)


def inside(root: Path, *words: str) -> str:
    """As root in that system."""
    return _must(
        [
            "chroot",
            str(root),
            "env",
            "-i",
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG=C.UTF-8",
            "DEBIAN_FRONTEND=noninteractive",
            *words,
        ]
    )


def with_packages(root: Path, *names: str) -> None:
    inside(root, "apt-get", "-qq", "update")
    inside(root, "apt-get", "-qq", "install", "-y", "--no-install-recommends", *names)


def files(root: Path) -> set[str]:
    """All that lies in a system, but for what is not its own."""
    found = subprocess.run(
        ["find", ".", "-xdev", "-not", "-path", "./proc/*", "-not", "-path", "./dev/*", "-print"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(found.stdout.splitlines())


def strange(root: Path, before: set[str]) -> set[str]:
    """What has come since then, whatever its name, and belongs to no package, no log and no person."""
    now = {name for name in files(root) if not name.startswith((*PASSING, *OF_NEEDS))}
    named = {name for name in now if any(word in name.lower() for word in OURS)}
    return (now - before - _of_packages(root)) | named


def _of_packages(root: Path) -> set[str]:
    """By the lists of those that are installed; what they call /lib is /usr/lib now."""
    lists = (root / "var/lib/dpkg/info").glob("*.list")
    named = {line for path in lists for line in path.read_text("utf-8").splitlines()}
    return {f".{prefix}{name}" for name in named for prefix in ("", "/usr")}


def _must(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout
