"""Archives that somebody sent: whatever is wrong with them is a sentence, and nothing is written elsewhere."""

import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bundles import changed
from errorflow.base.errors import ErrorflowError, FileError, FormatError, WrongFileError
from errorflow.report.bundle import archive
from errorflow.report.bundle.archive import check, is_bundle, read_manifest, unpack
from errorflow.report.bundle.writing import WrittenBundle


def test_a_bundle_is_whole(written: WrittenBundle) -> None:
    manifest, problems = check(written.path)
    assert problems == () and manifest == written.manifest


@pytest.mark.parametrize(
    "name",
    [
        *("../evil.txt", "/etc/evil", "a/../../evil", "a//b", "./a", "C:evil", "a\\b", "con", "a/NUL.txt", "a ", "b."),
        *("a/b/c/d/e/f/g", "x" * 300, "a\x07b", "a?b"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(written: WrittenBundle, tmp_path: Path, name: str) -> None:
    path = changed(written.path, tmp_path / "evil.zip", {name: b"evil"})
    with pytest.raises(FormatError) as raised:
        unpack(path, tmp_path / "there")
    assert "wants to write" in raised.value.message
    assert not (tmp_path / "there").exists()


def test_a_link_is_refused(written: WrittenBundle, tmp_path: Path) -> None:
    path = changed(written.path, tmp_path / "evil.zip", {})
    info = zipfile.ZipInfo("link")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(info, "/etc/passwd")
    with pytest.raises(FormatError, match="holds the link"):
        unpack(path, tmp_path / "there")


def test_the_same_name_twice_is_refused(written: WrittenBundle, tmp_path: Path) -> None:
    path = changed(written.path, tmp_path / "evil.zip", {"TICKET.md": b"x"})
    with pytest.raises(FormatError, match="twice"):
        unpack(path, tmp_path / "there")


def test_a_bomb_is_refused_before_anything_is_unpacked(
    written: WrittenBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "LARGE", 1 << 20)
    path = changed(written.path, tmp_path / "bomb.zip", {})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("bomb.npy", bytes(8 << 20))
    with pytest.raises(FormatError, match="which it cannot be"):
        unpack(path, tmp_path / "there")


def test_a_bomb_of_many_small_files_is_refused(
    written: WrittenBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "LARGE", 4 << 20)
    path = changed(written.path, tmp_path / "bomb.zip", {})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        for number in range(30):
            file.writestr(f"{number}.npy", bytes(1 << 20))
    with pytest.raises(FormatError, match="which it cannot be"):
        unpack(path, tmp_path / "there")


def test_a_text_that_would_fill_the_memory_is_refused(written: WrittenBundle, tmp_path: Path) -> None:
    path = changed(written.path, tmp_path / "bomb.zip", {"results/graph.json": None})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("results/graph.json", b"[" + b"[]," * (3 << 20) + b"[]]")
    with pytest.raises(FormatError, match="which it cannot be"):
        unpack(path, tmp_path / "there")


@pytest.mark.parametrize("kind", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_what_is_packed_in_a_way_that_takes_any_memory_is_refused(
    written: WrittenBundle, tmp_path: Path, kind: int
) -> None:
    path = changed(written.path, tmp_path / "other.zip", {})
    with zipfile.ZipFile(path, "a", kind) as file:
        file.writestr("more.txt", b"more" * 100)
    with pytest.raises(FormatError, match="packed in a way"):
        check(path)


def test_a_table_of_contents_that_would_fill_the_memory_is_not_read(
    written: WrittenBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MOST_CONTENTS", 600)
    with pytest.raises(FormatError, match="table of contents is too large"):
        check(written.path)


def test_more_than_it_says_is_never_unpacked(written: WrittenBundle, tmp_path: Path) -> None:
    """The size in the table of contents is a claim: here it is less than what is there."""
    path = tmp_path / "liar.zip"
    data = bytearray(written.path.read_bytes())
    size = written.manifest.files["report.html"].size
    found = data.rfind((size).to_bytes(4, "little"))
    data[found : found + 4] = (100).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    with pytest.raises(FormatError):
        unpack(path, tmp_path / "there")


def test_a_locked_archive_is_named(written: WrittenBundle, tmp_path: Path) -> None:
    data = bytearray(written.path.read_bytes())
    entry = data.rfind(b"PK\x01\x02")
    data[entry + 8] |= 1
    path = tmp_path / "locked.zip"
    path.write_bytes(bytes(data))
    with pytest.raises(FormatError, match="password"):
        check(path)


def test_too_many_files_are_refused(written: WrittenBundle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST", 5)
    with pytest.raises(FormatError, match="more than any bundle"):
        check(written.path)


def test_a_wrong_checksum_is_said_by_name(written: WrittenBundle, tmp_path: Path) -> None:
    path = changed(written.path, tmp_path / "other.zip", {"tables/nodes.csv": b"changed", "README.txt": None})
    _, problems = check(path)
    assert problems == (
        "README.txt is missing in the bundle.",
        "tables/nodes.csv is not as it was written: its checksum differs.",
    )


def test_what_was_put_in_later_is_said(written: WrittenBundle, tmp_path: Path) -> None:
    path = changed(written.path, tmp_path / "other.zip", {"more.txt": b"more"})
    _, problems = unpack(path, tmp_path / "there")
    assert problems == ("more.txt is not of the bundle: somebody put it in later.",)


def test_one_that_was_packed_anew_is_still_one(written: WrittenBundle, tmp_path: Path) -> None:
    path = tmp_path / "anew.zip"
    with zipfile.ZipFile(written.path) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in reversed(old.namelist()):
            new.writestr(name, old.read(name))
    assert is_bundle(path) and check(path)[1] == ()


def test_another_archive_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as file:
        file.writestr("model.onnx", b"x")
    assert not is_bundle(tmp_path / "other.zip")
    with pytest.raises(WrongFileError, match="no ticket bundle"):
        read_manifest(tmp_path / "other.zip")


def test_a_file_that_is_not_there_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="There is no file"):
        check(tmp_path / "gone.zip")
    with pytest.raises(FileError, match="is a folder"):
        check(tmp_path)


def test_a_newer_form_is_refused_with_advice(written: WrittenBundle, tmp_path: Path) -> None:
    with zipfile.ZipFile(written.path) as file:
        data = file.read("manifest.json").replace(b'"errorflow-bundle":1', b'"errorflow-bundle":99')
    path = changed(written.path, tmp_path / "newer.zip", {"manifest.json": data})
    with pytest.raises(FormatError, match="newer Errorflow"):
        read_manifest(path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_whatever_is_broken_is_a_sentence(written: WrittenBundle, tmp_path: Path, data: st.DataObject) -> None:
    whole = written.path.read_bytes()
    kind = data.draw(st.sampled_from(("cut", "flip", "rubbish")))
    if kind == "cut":
        broken = whole[: data.draw(st.integers(0, len(whole) - 1))]
    elif kind == "flip":
        places = data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=8))
        spoiled = bytearray(whole)
        for place in places:
            spoiled[place] ^= data.draw(st.integers(1, 255))
        broken = bytes(spoiled)
    else:
        broken = data.draw(st.binary(max_size=300))
    path = tmp_path / "broken.zip"
    path.write_bytes(broken)
    is_bundle(path)
    try:
        check(path)
    except ErrorflowError as error:
        assert error.hint
