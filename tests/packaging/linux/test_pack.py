"""The texts of the packages, and what makes them the same each time."""

from pathlib import Path

import pytest

from errorflow import __version__
from packaging_scripts import script

pack, tree = script("linux/pack.py"), script("linux/tree.py")


@pytest.mark.parametrize(
    ("version", "shown"), [("0.2.0", "0.2.0"), ("0.2.0rc1", "0.2.0~rc1"), ("1.0.dev3", "1.0~dev3"), ("2a1", "2~a1")]
)
def test_a_candidate_sorts_before_the_release(version: str, shown: str) -> None:
    assert tree.system_version(version) == shown


def test_the_version_is_that_of_the_sources() -> None:
    assert tree.version() == __version__


def test_dpkg_is_told_what_it_asks_for() -> None:
    lines = pack.control("0.2.0~rc1", 2049, ["libc6 (>= 2.36)", "libegl1"]).splitlines()
    assert "Version: 0.2.0~rc1" in lines
    assert "Installed-Size: 3" in lines
    assert "Depends: libc6 (>= 2.36), libegl1" in lines
    assert lines[-1].startswith(" ")


def test_no_line_is_longer_than_a_terminal() -> None:
    assert max(map(len, (tree.SUMMARY, *tree.DESCRIPTION))) < 79


def test_debian_reads_whose_the_package_is_and_where_to_read_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    assert pack.debian_changes("0.2.0~rc1").splitlines() == [
        "errorflow (0.2.0~rc1) unstable; urgency=medium",
        "",
        "  * What is new: /usr/share/doc/errorflow/CHANGELOG.md.gz",
        "",
        f" -- {tree.MAINTAINER}  Sun, 09 Sep 2001 01:46:40 +0000",
    ]


def test_an_rpm_owns_its_own_folders_and_no_others(tmp_path: Path) -> None:
    tree.write(tmp_path / "opt/errorflow/_internal/a b.so", b"")
    tree.write(tmp_path / "usr/share/applications/x.desktop", b"")
    tree.write(tmp_path / "usr/share/fish/x.fish", b"")
    (tmp_path / "usr/bin").mkdir()
    (tmp_path / "usr/bin/errorflow").symlink_to("/opt/errorflow/errorflow")
    files = pack.rpm_spec("1", tmp_path, ["libegl1"], tight=True).partition("%files\n")[2].splitlines()
    assert files == [
        "%defattr(-,root,root,-)",
        '%dir "/opt/errorflow"',
        '%dir "/opt/errorflow/_internal"',
        '"/opt/errorflow/_internal/a b.so"',
        '"/usr/bin/errorflow"',
        '"/usr/share/applications/x.desktop"',
        '%dir "/usr/share/fish"',
        '"/usr/share/fish/x.fish"',
    ]


def test_dates_and_rights_do_not_depend_on_who_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    tree.write(tmp_path / "errorflow/errorflow-viewer", b"", 0o700)
    tree.write(tmp_path / "errorflow/_internal/x.so", b"", 0o777)
    tree.settle(tmp_path)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tree.everything(tmp_path)}
    assert modes == {"errorflow": 0o755, "errorflow-viewer": 0o755, "_internal": 0o755, "x.so": 0o644}
    assert {path.stat().st_mtime for path in tree.everything(tmp_path)} == {1000000000}


def test_compressed_pages_are_the_same_each_time() -> None:
    assert tree.squeezed(b"page") == tree.squeezed(b"page")


def test_a_bundle_is_packed_with_its_links(tmp_path: Path) -> None:
    tree.write(tmp_path / "bundle/_internal/lib.so.1", b"x")
    (tmp_path / "bundle/_internal/lib.so").symlink_to("lib.so.1")
    tree.copy_bundle(tmp_path / "bundle", tmp_path / "root/opt/errorflow")
    assert (tmp_path / "root/opt/errorflow/_internal/lib.so").readlink() == Path("lib.so.1")
    assert tree.size(tmp_path / "root") == 1 + len("lib.so.1")
