"""What `packaging/linux/build.sh` made, installed as a person would; the folder is named by ERRORFLOW_DIST."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from installed.desks import TOOLS, Desk, Place


@pytest.fixture(scope="session")
def dist() -> Path:
    """Nothing is skipped here: who asks for these tests must have built what they are about."""
    named = os.environ.get("ERRORFLOW_DIST", "")
    assert named, "ERRORFLOW_DIST must name the folder that packaging/linux/build.sh wrote"
    return Path(named)


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where what was seen is kept."""
    named = os.environ.get("ERRORFLOW_PICTURES", "")
    folder = Path(named) if named else tmp_path_factory.mktemp("pictures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, pictures: Path) -> Iterator[Desk]:
    """Of a person with a home of their own, whose name has a blank and is not English."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    assert not missing, f"needs {', '.join(missing)}"
    home = tmp_path_factory.mktemp("home") / "张 伟"
    home.mkdir()
    desk = Desk(Place(home), pictures)
    try:
        desk.begin()
        yield desk
    finally:
        desk.end()
