"""What the build refuses before it does anything."""

import subprocess
from pathlib import Path

import pytest

from packaging_scripts import PACKAGING

BUILD = PACKAGING / "linux/build.sh"


def called(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(BUILD), *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_folder_that_is_no_bundle_is_not_replaced(tmp_path: Path, kind: str) -> None:
    """As `-o core` would name the sources."""
    sources = tmp_path / ("errorflow" if kind == "folder" else "elsewhere")
    (sources / "_internal").mkdir(parents=True)
    (sources / "__init__.py").write_text("mine")
    if kind == "link":
        (sources / "errorflow-viewer").touch()
        (tmp_path / "errorflow").symlink_to(sources)
    done = called("-o", ".", cwd=tmp_path)
    assert done.returncode == 1
    assert "is there and is no bundle" in done.stderr
    assert (sources / "__init__.py").read_text() == "mine"


def test_what_it_does_not_know_is_no_reason_to_build(tmp_path: Path) -> None:
    assert called("--nonsense", cwd=tmp_path).returncode == 2
    assert "--bundle-only" in called("--help", cwd=tmp_path).stdout
    assert list(tmp_path.iterdir()) == []
