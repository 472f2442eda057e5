"""What a bundle is made of: the same on all systems, apart from what Linux lends."""

import re
import sys
from collections.abc import Iterable, Iterator

# (name in the bundle, file that it is made of, kind): as PyInstaller keeps them.
Entry = tuple[str, str, str]

# Distributions whose facts are asked for at run time, or by the list of licences.
DISTRIBUTIONS = (
    "errorflow",
    "PySide6_Essentials",
    "shiboken6",
    "numpy",
    "onnx",
    "ml_dtypes",
    "protobuf",
    "msgspec",
    "networkx",
    "PyYAML",
    "platformdirs",
    "pyqtgraph",
    "onnxruntime",
    "pillow",
    "distributed",
    "dask",
    "cloudpickle",
    "msgpack",
    "tornado",
)
# Given whole, since an evaluator of the user's may ask for any part of them.
WHOLE = ("errorflow", "errorflow_viewer", "errorflow_resources", "numpy", "PIL", "onnx", "ml_dtypes")
# Of the standard library: needs a screen or a terminal of its own, or libraries that not every system has.
_NOT_STANDARD = re.compile(
    r"_?(antigravity|crypt|curses|curses_panel|dbm|ensurepip|gdbm|idlelib|lib2to3|nis|ossaudiodev|pydoc_data|readline|spwd|this"
    r"|tkinter|turtle|turtledemo|venv)$"
)
# Tests and tools of the packages.
NOT_WANTED = re.compile(
    r"(^|\.)(tests?|conftest|testing\.tests|_pyinstaller|backend\.test|examples)(\.|$)"
    r"|^numpy\.(f2py|distutils|_core\.tests)(\.|$)|^PIL\.(ImageQt|ImageTk|_imagingtk|_tkinter_finder)$"
    r"|^onnx\.(gen_proto|backend\.sample|tools\.(net_drawer|update_model_dims))$"
)
EXCLUDED = (
    "_crypt",
    "_curses",
    "_dbm",
    "_gdbm",
    "_tkinter",
    "nis",
    "readline",
    "tkinter",
    "IPython",
    "matplotlib",
    "pandas",
    "pyarrow",
    "scipy",
    "sympy",
    "torch",
    "pytest",
    "setuptools",
    "pkg_resources",
    "pip",
    "PySide6.QtTest",
    "PySide6.QtQml",
    "PySide6.QtQuick",
    "PySide6.QtSql",
    "PySide6.QtHelp",
    "PySide6.QtDesigner",
    "onnxruntime.tools",
    "onnxruntime.transformers",
    "dask.dataframe",
    "dask.array",
    "dask.bag",
)
# Files that a window of this app never loads. The system has its own C++ runtime, newer than the one of the build:
# with an older one in the folder its OpenGL does not load. Expat, which OpenGL's drivers bring everywhere, would alone
# ask for a newer C library than all the rest.
_LEFT_OUT = (
    r"lib(stdc\+\+|gcc_s|expat)\.so",
    r"(.*/)?plugins/platformthemes/libqgtk3",
    r"(.*/)?plugins/platforms/libq(eglfs|linuxfb|minimalegl|vkkhrdisplay|vnc)",
    r"(.*/)?plugins/(egldeviceintegrations|networkinformation|tls|sqldrivers|qmltooling|generic)/",
    r"(.*/)?plugins/imageformats/(lib)?q(icns|tga|tiff|wbmp)\.",
    r"(.*/)?translations/(?!qtbase_(zh_CN|en)\.qm$)",
    r"lib(gtk|gdk|gdk_pixbuf)-?(3|_pixbuf-2\.0)\.so",
    r"lib(pango|pangocairo|pangoft2|cairo|cairo-gobject|atk|atk-bridge|atspi|epoxy|pixman|thai|datrie|fribidi|harfbuzz)[-.0-9a-z]*\.so",
    r"libQt6(EglFS|Wayland(EglClientHwIntegration)).*\.so",
    r".*\.dist-info/(direct_url\.json|INSTALLER|REQUESTED|RECORD|WHEEL|entry_points\.txt|top_level\.txt)$",
    r"(share|lib)/(icons|themes|locale|gdk-pixbuf|girepository)",
    r"dask/dask-schema|.*/(tests|__pycache__)/",
    # Pages of a web server that is not started; they name others' servers.
    r"distributed/(http|dashboard)/(static|templates)/",
    r"PIL/_imagingtk\.",
)
_LEFT = re.compile("|".join(f"(?:{each})" for each in _LEFT_OUT))


def standard_library() -> list[str]:
    """The names of its modules that a file of the user's may import."""
    return sorted(name for name in sys.stdlib_module_names if not _NOT_STANDARD.match(name))


def wanted(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Those that stay, in an order that does not depend on the machine."""
    return iter(sorted(entry for entry in entries if not _LEFT.match(entry[0].replace("\\", "/"))))
