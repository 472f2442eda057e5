"""No test touches the home of who runs it, or a real screen unless it brings its own."""

import gc
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from timing import pytest_addoption, pytest_ignore_collect, pytest_report_header

# Hooks of theirs that pytest finds here.
__all__ = ["pytest_addoption", "pytest_ignore_collect", "pytest_report_header"]

# As in the window, Python looks for garbage only where it is told to (below), never in the middle of what Qt does.
gc.disable()

# How fast an example is depends on what else the machine does. The longer tests try many more of them.
settings.register_profile("errorflow", deadline=None, max_examples=int(os.environ.get("ERRORFLOW_EXAMPLES", "50")))
settings.load_profile("errorflow")

# New things after which garbage is looked for; and so many looks, that it is looked for among what is old as well.
NEW, LOOKS = 20_000, 25

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


def pytest_collection_finish() -> None:
    """What the thousands of tests are made of is no garbage."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Iterator[None]:
    yield
    new, _, looks = gc.get_count()
    if looks > LOOKS:
        gc.collect()
    elif new > NEW:
        gc.collect(1)
