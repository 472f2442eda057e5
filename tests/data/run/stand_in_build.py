"""Builds a wheel of few files that stand for Errorflow, PySide6 and pytest in the tests of `./run`.

The programs print how they were called. Qt lacks a library while the file exists that QT_LACKS names.
"""

import base64
import hashlib
import zipfile
from pathlib import Path

WHEEL = "errorflow-0-py3-none-any.whl"
INFO = "errorflow-0.dist-info"

PROGRAM = """
import json
import os
import sys

def main():
    program = os.path.basename(sys.argv[0])
    print(json.dumps({"program": program, "args": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ)}))
"""

QT_MODULE = """
import os

if os.path.exists(os.environ.get("QT_LACKS", "")):
    raise ImportError("libGL.so.1: cannot open shared object file")
"""

ABOUT = {
    f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: errorflow\nVersion: 0\nProvides-Extra: dev\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nGenerator: stand-in\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{INFO}/entry_points.txt": "[console_scripts]\nerrorflow = stand_in:main\nerrorflow-viewer = stand_in:main\n",
}

FILES = ABOUT | {
    "stand_in.py": PROGRAM,
    "pytest.py": f"{PROGRAM}\nmain()\n",
    "PySide6/__init__.py": "",
    **{f"PySide6/{name}.py": QT_MODULE for name in ["QtNetwork", "QtSvg", "QtTest", "QtWidgets"]},
}


def prepare_metadata_for_build_editable(folder: str, config_settings: object = None) -> str:
    Path(folder, INFO).mkdir()
    for name, text in ABOUT.items():
        Path(folder, name).write_text(text)
    return INFO


def build_editable(folder: str, config_settings: object = None, metadata_directory: object = None) -> str:
    record = [f"{name},sha256={_digest(text)},{len(text)}" for name, text in FILES.items()]
    record.append(f"{INFO}/RECORD,,")
    with zipfile.ZipFile(Path(folder, WHEEL), "w") as wheel:
        for name, text in FILES.items():
            wheel.writestr(name, text)
        wheel.writestr(f"{INFO}/RECORD", "\n".join(record) + "\n")
    return WHEEL


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
