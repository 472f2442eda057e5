"""Programs of the system that tests use: where one is absent, the test is skipped with the line that installs it."""

import shutil

import pytest

# Debian's packages that have them; `.ci/run` installs these.
PACKAGES = {
    "chromedriver": "chromium-driver",
    "chromium": "chromium",
    "dbus-daemon": "dbus",
    "fc-list": "fontconfig",
    "fish": "fish",
    "gdbus": "libglib2.0-bin",
    "gio": "libglib2.0-bin",
    "gtk-launch": "libgtk-3-bin",
    "makensis": "nsis",
    "man": "man-db",
    "mandoc": "mandoc",
    "openbox": "openbox",
    "pdftoppm": "poppler-utils",
    "pdftotext": "poppler-utils",
    "update-mime-database": "shared-mime-info",
    "wmctrl": "wmctrl",
    "xdotool": "xdotool",
    "Xvfb": "xvfb",
    "zsh": "zsh",
}


def lacking(*programs: str) -> str:
    """Why a test cannot run here, with what installs the rest; "": all of them are here."""
    missing = [program for program in programs if shutil.which(program) is None]
    if not missing:
        return ""
    packages = sorted({PACKAGES.get(program, program) for program in missing})
    return f"needs {', '.join(missing)}: apt-get install {' '.join(packages)}"


def need(*programs: str) -> None:
    """Skips the test that calls it where one of them is absent."""
    if why := lacking(*programs):
        pytest.skip(why)


def needing(*programs: str) -> pytest.MarkDecorator:
    """The same as a mark."""
    why = lacking(*programs)
    return pytest.mark.skipif(bool(why), reason=why)
