"""Puts the environment of a bundle's programs right, before all else.

What the bundle's own start has put there is taken out: programs that Errorflow starts, such as the one that opens a
folder, would load its libraries in place of their own, and not start. Its own processes lose nothing: each begins as
the first one did.
"""

import os
import sys


def clean() -> None:
    _forget_libraries()
    _forget_plugins()
    _speak_unicode()


def _forget_libraries() -> None:
    for name in ("LD_LIBRARY_PATH", "LIBPATH"):
        given = os.environ.pop(f"{name}_ORIG", None)
        if given is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = given
    for name in [each for each in os.environ if each.startswith("_PYI_")]:
        del os.environ[name]


def _forget_plugins() -> None:
    """Qt finds its own beside itself; that of another program must not find them."""
    inside = getattr(sys, "_MEIPASS", "")
    for name in ("QT_PLUGIN_PATH", "QML2_IMPORT_PATH"):
        if inside and os.environ.get(name, "").startswith(inside):
            del os.environ[name]


def _speak_unicode() -> None:
    """Where no language is set, as in a service, names of files are read as everywhere else."""
    if sys.platform == "linux" and not any(os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        os.environ["LC_CTYPE"] = "C.UTF-8"
