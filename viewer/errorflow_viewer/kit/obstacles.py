"""Obstacles to a window: what Qt or the system say of it, as a sentence with a way out."""

import ctypes
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from errorflow.base.errors import ErrorflowError
from errorflow.base.language import translated
from errorflow.base.values import word_list

# Libraries of the system that Qt needs: what they come with on Debian and Ubuntu, and on Fedora and openEuler.
PACKAGES = {
    "libGL.so.1": ("libgl1", "libglvnd-glx"),
    "libGLX.so.0": ("libglx0", "libglvnd-glx"),
    "libOpenGL.so.0": ("libopengl0", "libglvnd-opengl"),
    "libEGL.so.1": ("libegl1", "libglvnd-egl"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig"),
    "libfreetype.so.6": ("libfreetype6", "freetype"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs"),
    "libbrotlidec.so.1": ("libbrotli1", "libbrotli"),
    "libz.so.1": ("zlib1g", "zlib"),
    "libstdc++.so.6": ("libstdc++6", "libstdc++"),
    "libgcc_s.so.1": ("libgcc-s1", "libgcc"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11"),
    "libX11.so.6": ("libx11-6", "libX11"),
    "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb"),
    "libSM.so.6": ("libsm6", "libSM"),
    "libICE.so.6": ("libice6", "libICE"),
    "libxcb.so.1": ("libxcb1", "libxcb"),
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms"),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb"),
    "libxcb-render.so.0": ("libxcb-render0", "libxcb"),
    "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb"),
    "libxcb-shm.so.0": ("libxcb-shm0", "libxcb"),
    "libxcb-sync.so.1": ("libxcb-sync1", "libxcb"),
    "libxcb-util.so.1": ("libxcb-util1", "xcb-util"),
    "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb"),
    "libxcb-xinerama.so.0": ("libxcb-xinerama0", "libxcb"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb"),
    "libwayland-client.so.0": ("libwayland-client0", "libwayland-client"),
    "libwayland-cursor.so.0": ("libwayland-cursor0", "libwayland-cursor"),
    "libwayland-egl.so.1": ("libwayland-egl1", "libwayland-egl"),
}
_NOT_THERE = re.compile(r"(lib[\w.+-]+\.so[\w.]*): (?:cannot open shared object file|file too short)")
_OTHER_VERSION = re.compile(r"undefined symbol|version `?[\w.]+'? not found|symbol lookup error|wrong ELF class|Qt_6")
_NO_PLUGIN = re.compile(r'Could not find the Qt platform plugin "([^"]*)"')
_NOT_LOADED = re.compile(r'Could not load the Qt platform plugin "([^"]*)"')
# Variables that lead to other libraries than those that were installed with the app.
_LEADING = word_list("PYTHONPATH PYTHONHOME LD_LIBRARY_PATH LD_PRELOAD QT_PLUGIN_PATH QT_QPA_PLATFORM_PLUGIN_PATH")
_TOOLS = "errorflow-viewer"
# What the loader lists, and how long it may take for that.
_NOT_FOUND = re.compile(r"^\s*(\S+) => not found$", re.MULTILINE)
_LDD_SECONDS = 20
# Libraries that are not there, for plug-ins of these names.
Absent = Callable[[Sequence[str], Mapping[str, str]], Sequence[str]]


def of_failed_import(
    error: ImportError, surroundings: Mapping[str, str], absent: Absent | None = None
) -> ErrorflowError:
    """A library of ours or of the system is not there, or is another one."""
    missing = _NOT_THERE.search(str(error))
    if missing is not None and missing[1] in PACKAGES:
        plugin = "wayland" if surroundings.get("WAYLAND_DISPLAY") else "xcb"
        return _of_missing(missing[1], (absent or absent_for)((plugin,), surroundings))
    found = astray(surroundings)
    name = error.name or str(error).partition("\n")[0]
    if found:
        return _led_astray(name, found)
    return ErrorflowError(
        f"Errorflow cannot start: {name} is missing or broken.",
        "Install Errorflow again. If it was installed by pip, use a virtual environment of its own.",
    )


def _of_missing(name: str, others: Collection[str]) -> ErrorflowError:
    """Names all missing libraries at once, so that installing one does not lead to the next error."""
    names = [name, *(each for each in others if each != name and each in PACKAGES)]
    if len(names) == 1 or name not in PACKAGES:
        return of_missing_library(name)
    libraries = ", ".join(names)
    debian, fedora = (" ".join(dict.fromkeys(PACKAGES[each][way] for each in names)) for way in (0, 1))
    return ErrorflowError(
        f"Errorflow cannot open a window: the libraries {libraries} are not installed.",
        f"Install them by: sudo apt install {debian} (Debian, Ubuntu) or: sudo dnf install {fedora} (Fedora, "
        "openEuler).",
    )


def of_missing_library(name: str) -> ErrorflowError:
    debian, fedora = PACKAGES.get(name, ("", ""))
    if not debian:
        return ErrorflowError(
            f"Errorflow cannot open a window: the library {name} is not there.",
            "Install the package of your system that has it.",
        )
    return ErrorflowError(
        f"Errorflow cannot open a window: the library {name} is not installed.",
        f"Install it by: sudo apt install {debian} (Debian, Ubuntu) or: sudo dnf install {fedora} (Fedora, openEuler).",
    )


def astray(surroundings: Mapping[str, str]) -> tuple[str, ...]:
    """Lists those of these variables that are set."""
    frozen = getattr(sys, "frozen", False)  # a bundle sets that itself, and heeds nothing of Python
    own = {"LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME"} if frozen else set()
    return tuple(name for name in _LEADING if surroundings.get(name) and name not in own)


def _led_astray(what: str, names: Sequence[str]) -> ErrorflowError:
    variables = ", ".join(names)
    unset = " ".join(f"-u {name}" for name in names)
    return ErrorflowError(
        f"Errorflow cannot start with {what}: it may be that of another program, to which {variables} leads.",
        f"Start it without, as in: env {unset} {_TOOLS}",
    )


def of_platform(
    said: Sequence[str],
    surroundings: Mapping[str, str],
    lacks: Callable[[str], str] | None = None,
    absent: Absent | None = None,
) -> ErrorflowError:
    """Explains why Qt opens no window, from what it said last; `lacks`: what the system says when a plug-in is
    loaded.
    """
    text = "\n".join(said)
    unknown = _NO_PLUGIN.search(text)
    if unknown is not None:
        return _no_plugin(unknown[1], surroundings)
    tried = _NOT_LOADED.findall(text)
    reasons = [(lacking if lacks is None else lacks)(name) for name in tried]
    missing = next((found for reason in reasons if (found := _NOT_THERE.search(reason)) is not None), None)
    if missing is not None:
        return _of_missing(missing[1], (absent or absent_for)(tried, surroundings))
    return _no_display(text, surroundings) or _unclear(next(filter(None, reasons), ""), surroundings)


def _no_plugin(name: str, surroundings: Mapping[str, str]) -> ErrorflowError:
    if surroundings.get("QT_QPA_PLATFORM"):
        return ErrorflowError(
            f"Errorflow cannot open a window: QT_QPA_PLATFORM asks for {name}, which there is not.",
            f"Start it without, as in: env -u QT_QPA_PLATFORM {_TOOLS}",
        )
    found = astray(surroundings)
    if found:
        return _led_astray(f"Qt ({name})", found)
    return ErrorflowError(
        f"Errorflow cannot open a window: the part of Qt for {name} is missing.",
        "Install Errorflow again, or the package of your system that has it.",
    )


def _no_display(text: str, surroundings: Mapping[str, str]) -> ErrorflowError | None:
    """Explains that there is no display, or it cannot be reached; None: that is not it."""
    display = surroundings.get("DISPLAY", "") or surroundings.get("WAYLAND_DISPLAY", "")
    if not display:
        return ErrorflowError(
            "Errorflow cannot open a window: there is no display here.",
            "Start it on a desktop, or over ssh -X. Without a display the command line does the same: errorflow "
            "--help. To try the window without one, set QT_QPA_PLATFORM=offscreen.",
        )
    if "could not connect to display" in text or "Failed to create wl_display" in text:
        return ErrorflowError(
            f"Errorflow cannot open a window: the display {display} does not answer.",
            "Over ssh, connect again with ssh -X; as another user, allow it first with xhost or a copy of .Xauthority. "
            "The command line needs no display: errorflow --help.",
        )
    return None


def _unclear(reason: str, surroundings: Mapping[str, str]) -> ErrorflowError:
    found = astray(surroundings)
    if found:
        return _led_astray("Qt", found)
    return ErrorflowError(
        f"Errorflow cannot open a window: {reason or translated('Qt found no way to show one')}.",
        f"Try QT_DEBUG_PLUGINS=1 {_TOOLS} to see what Qt looks for. The command line needs no window: "
        "errorflow --help.",
    )


def lacking(name: str) -> str:
    """Finds what the system says when it loads the plug-in of that name; "": nothing is wrong with it."""
    for path in _plugin(name):
        try:
            ctypes.CDLL(str(path))
        except OSError as error:
            return str(error)
    return ""


def absent_for(plugins: Sequence[str], surroundings: Mapping[str, str]) -> tuple[str, ...]:
    """Libraries that a window with these plug-ins wants and the system has not, as its loader lists them."""
    windows = [path for place in _qt_folders() for path in sorted(place.glob("QtWidgets.*so"))]
    return absent_of([*windows, *(path for name in plugins for path in _plugin(name))], surroundings)


def absent_of(files: Sequence[Path], surroundings: Mapping[str, str]) -> tuple[str, ...]:
    """Lists what is absent; () also where it cannot be found out."""
    if not files or sys.platform != "linux":
        return ()
    import subprocess

    with_own = {**surroundings, "LC_ALL": "C"}
    if getattr(sys, "frozen", False):  # as the bundle's own start has it
        with_own["LD_LIBRARY_PATH"] = str(getattr(sys, "_MEIPASS", ""))
    try:
        said = subprocess.run(
            ["ldd", *map(str, files)], env=with_own, capture_output=True, text=True, check=False, timeout=_LDD_SECONDS
        ).stdout
    except (OSError, ValueError, subprocess.SubprocessError):
        return ()
    return tuple(dict.fromkeys(_NOT_FOUND.findall(said)))


def _plugin(name: str) -> list[Path]:
    below = f"platforms/*q{name.partition('-')[0]}.*"
    return [
        path
        for place in _qt_folders()
        for plugins in (("Qt", "plugins"), ("plugins",))
        for path in sorted(place.joinpath(*plugins).glob(below))
    ]


def _qt_folders() -> list[Path]:
    found = importlib.util.find_spec("PySide6")
    return [Path(place) for place in found.submodule_search_locations or ()] if found is not None else []


def is_told(error: BaseException) -> bool:
    """Whether the sentence on it says all there is to know, so that no traceback is needed."""
    return isinstance(error, ErrorflowError) or _NOT_THERE.search(str(error)) is not None


def of_any(error: BaseException) -> ErrorflowError:
    """Whatever ended the start."""
    if isinstance(error, ErrorflowError):
        return error
    if isinstance(error, ImportError):
        return of_failed_import(error, os.environ)
    if isinstance(error, MemoryError):
        return ErrorflowError("There is not enough memory to open a window.", "Close other programs.")
    if _OTHER_VERSION.search(str(error)) and astray(os.environ):
        return _led_astray(type(error).__name__, astray(os.environ))
    return ErrorflowError(
        f"Errorflow could not start: {type(error).__name__}: {error}",
        f"Try {_TOOLS} --safe, which leaves out settings and what was open. This is a fault of the app: send what "
        "stands here with a ticket.",
    )
