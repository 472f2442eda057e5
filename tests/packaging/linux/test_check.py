"""A bundle that lacks something ends the build."""

from pathlib import Path

import pytest

from packaging_scripts import script

check = script("linux/check.py")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Whole, though nothing in it is what its name says."""
    folder = tmp_path / "errorflow"
    for pattern in check.MUST_HAVE:
        path = folder / "_internal" / pattern.replace("*", "1")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    for name in ("errorflow", "errorflow-viewer"):
        (folder / name).write_bytes(b"")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Where the packages are installed, with one file of each kind."""
    package = tmp_path / "site" / "errorflow_resources"
    package.mkdir(parents=True)
    for name in ("__init__.py", "words.md"):
        (package / name).write_bytes(b"")
    (tmp_path / "site" / "errorflow-1.dist-info").mkdir()
    (tmp_path / "site" / "errorflow-1.dist-info" / "RECORD").write_bytes(b"")
    return tmp_path / "site"


def test_a_whole_one_is_fine(bundle: Path, site: Path) -> None:
    (bundle / "_internal/errorflow_resources/words.md").write_bytes(b"")
    assert list(check.problems(bundle, "1 INFO: fine\n", site)) == []


def test_what_must_be_inside_is_named(bundle: Path, site: Path) -> None:
    (bundle / "_internal/PySide6/Qt/translations/qtbase_zh_CN.qm").unlink()
    (bundle / "errorflow").chmod(0o644)
    said = list(check.problems(bundle, "", site))
    assert "PySide6/Qt/translations/qtbase_zh_CN.qm is missing" in said
    assert "errorflow is missing, or cannot be run" in said
    assert "errorflow_resources/words.md is missing" in said  # installed, and not taken into the bundle


def test_a_library_that_pyinstaller_did_not_find_is_no_warning(bundle: Path, site: Path) -> None:
    (bundle / "_internal/libQt6XcbQpa.so.6").write_bytes(b"")
    log = "12 WARNING: Library not found: could not resolve 'libxcb-cursor.so.0', dependency of '/libQt6XcbQpa.so.6'.\n"
    assert any("libxcb-cursor.so.0" in said for said in check.problems(bundle, log, site))


def test_what_was_left_out_may_lack_a_library(bundle: Path, site: Path) -> None:
    """A clean Debian has no GTK, and the bundle no plugin for it."""
    (bundle / "_internal/errorflow_resources/words.md").write_bytes(b"")
    log = "12 WARNING: Library not found: could not resolve 'libgtk-3.so.0', dependency of '/themes/libqgtk3.so'.\n"
    assert list(check.problems(bundle, log, site)) == []


def test_the_systems_own_runtime_stays_outside(bundle: Path, site: Path) -> None:
    (bundle / "_internal/libstdc++.so.6").write_bytes(b"")
    assert "libstdc++.so.6 must not be inside" in list(check.problems(bundle, "", site))


def test_links_lead_nowhere_else(bundle: Path, site: Path) -> None:
    (bundle / "_internal/away").symlink_to("/etc/passwd")
    assert any("away leads nowhere" in said for said in check.problems(bundle, "", site))


def test_what_ldd_does_not_find_is_told_with_who_needs_it() -> None:
    said = ["/b/a.so:", "\tlibc.so.6 => /lib/libc.so.6 (0x0)", "/b/b.so:", "\tlibxcb.so.1 => not found"]
    assert list(check.missing(said)) == ["b.so needs libxcb.so.1, which was not found"]
