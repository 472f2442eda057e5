"""The screen that is none, and where the app lies: before Qt and the app are loaded, so it is imported first."""

import json
import os
import sys
from pathlib import Path
from tempfile import mkdtemp

# A large one: windows are cut to the size of what they stand on.
SCREEN = {
    "name": "large",
    "x": 0,
    "y": 0,
    "width": 2560,
    "height": 1440,
    "logicalDpi": 96,
    "logicalBaseDpi": 96,
    "dpr": 1,
}
ROOT = Path(__file__).parents[2]
# What is thrown away at the end.
SCRATCH = Path(mkdtemp())

_SETUP = SCRATCH / "screens.json"
_SETUP.write_text(json.dumps({"screens": [SCREEN]}), encoding="utf-8")
os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={_SETUP}"
# Pictures of recent files are kept there.
os.environ["ERRORFLOW_CACHE"] = str(SCRATCH / "cache")
# `benchmarks` makes the large models.
sys.path[:0] = [str(ROOT / part) for part in ("core", "viewer", "resources", "benchmarks")]
