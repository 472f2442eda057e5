"""No test touches the home of who runs it, or a real screen unless it brings its own."""

import json
import os
import tempfile
from pathlib import Path

from hypothesis import settings

# How fast an example is depends on what else the machine does.
settings.register_profile("errorflow", deadline=None)
settings.load_profile("errorflow")

_HOME = Path(tempfile.mkdtemp(prefix="errorflow-tests-"))
_RUNTIME = _HOME / "run"
_RUNTIME.mkdir(mode=0o700)

# Before Qt is loaded: it asks only once.
os.environ.update(
    HOME=str(_HOME),
    XDG_CONFIG_HOME=str(_HOME / "config"),
    XDG_DATA_HOME=str(_HOME / "data"),
    XDG_STATE_HOME=str(_HOME / "state"),
    XDG_CACHE_HOME=str(_HOME / "cache"),
    XDG_RUNTIME_DIR=str(_RUNTIME),
    ERRORFLOW_LANGUAGE="en",  # whatever the system speaks
)
if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
    # The screen that is none has 800 × 800 unless told otherwise.
    _SCREEN = {"name": "none", "width": 1920, "height": 1080, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
    (_HOME / "screens.json").write_text(json.dumps({"screens": [_SCREEN]}))
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={_HOME / 'screens.json'}"


def pytest_unconfigure() -> None:
    import shutil

    shutil.rmtree(_HOME, ignore_errors=True)
