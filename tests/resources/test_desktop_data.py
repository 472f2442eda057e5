"""What desktops read, as their own tools judge it."""

import re
import subprocess
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

import errorflow
from errorflow_viewer.app.running import APP_ID as ID_OF_WINDOW
from errorflow_viewer.kit.desktop_entry import APP_ID
from errorflow_viewer.kit.desktop_entry.stage import stage
from errorflow_viewer.window.actions import ACTIONS
from needed import need

ROOT = Path(__file__).parents[2]
PROGRAM = "/opt/errorflow/errorflow-viewer"
NAMESPACE = {"mime": "http://www.freedesktop.org/standards/shared-mime-info"}


@pytest.fixture
def share(tmp_path: Path) -> Path:
    stage(tmp_path, [PROGRAM])
    return tmp_path


def checked(tool: str, *arguments: str) -> str:
    need(tool)
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_entry_is_valid(share: Path) -> None:
    assert checked("desktop-file-validate", str(share / f"applications/{APP_ID}.desktop")) == ""


def test_the_description_for_stores_is_valid(share: Path) -> None:
    path = share / f"metainfo/{APP_ID}.metainfo.xml"
    checked("appstreamcli", "validate", "--no-net", "--strict", str(path))


def test_the_kinds_of_files_are_taken_by_their_tool(share: Path) -> None:
    checked("update-mime-database", str(share / "mime"))
    globs = (share / "mime" / "globs2").read_text("utf-8").splitlines()
    kinds = ["50:application/x-errorflow-session:*.errorflow", "50:application/x-onnx:*.onnx"]
    assert sorted(line for line in globs if not line.startswith("#")) == kinds
    assert "application/x-errorflow-session application/json" in (share / "mime" / "subclasses").read_text("utf-8")


def test_an_icon_lies_where_each_name_of_one_leads(share: Path) -> None:
    kinds = Xml.parse(share / f"mime/packages/{APP_ID}.xml").iterfind(".//mime:icon", NAMESPACE)
    for name, context in [(APP_ID, "apps"), *((kind.attrib["name"], "mimetypes") for kind in kinds)]:
        assert (share / f"icons/hicolor/16x16/{context}/{name}.png").is_file()
        assert (share / f"icons/hicolor/512x512/{context}/{name}.png").is_file()
        assert (share / f"icons/hicolor/scalable/{context}/{name}.svg").is_file()


def test_one_name_for_the_app_everywhere(share: Path) -> None:
    root = Xml.parse(share / f"metainfo/{APP_ID}.metainfo.xml").getroot()
    assert ID_OF_WINDOW == APP_ID == root.findtext("id")
    assert root.findtext("launchable") == f"{APP_ID}.desktop"


def test_stores_offer_it_for_small_screens_and_without_a_network(share: Path) -> None:
    """The length is that of the shorter side: the window fits 1024 × 600."""
    root = Xml.parse(share / f"metainfo/{APP_ID}.metainfo.xml").getroot()
    length = root.find("requires/display_length")
    assert length is not None and (length.attrib, length.text) == ({"compare": "ge"}, "600")
    assert root.findtext("supports/internet") == "offline-only"


def test_the_newest_release_is_this_one(share: Path) -> None:
    release = Xml.parse(share / f"metainfo/{APP_ID}.metainfo.xml").find(".//release")
    assert release is not None
    assert release.attrib["version"] == errorflow.__version__


def test_the_pictures_of_the_description_are_those_of_the_manual(share: Path) -> None:
    for image in Xml.parse(share / f"metainfo/{APP_ID}.metainfo.xml").iterfind(".//image"):
        assert (ROOT / "docs/pictures" / str(image.text).rpartition("/")[2]).is_file()


def test_what_the_entry_offers_is_understood(share: Path) -> None:
    from errorflow_viewer.app.start import make_parser

    entry = (share / f"applications/{APP_ID}.desktop").read_text("utf-8")
    calls = [line.partition(" ")[2] for line in entry.splitlines() if line.startswith("Exec=")]
    assert calls[0] == "%F"
    for call in calls[1:]:
        make_parser(whole=True).parse_args(call.split())


def test_every_group_of_the_entry_speaks_chinese(share: Path) -> None:
    entry = (share / f"applications/{APP_ID}.desktop").read_text("utf-8")
    groups = re.split(r"^\[.*\]$", entry, flags=re.MULTILINE)[2:]
    assert all("Name[zh_CN]=" in group for group in groups)
    assert "Comment[zh_CN]=" in entry and "Keywords[zh_CN]=" in entry


def test_the_window_offers_it_where_there_is_a_menu() -> None:
    assert {"desktop.install", "desktop.remove"} <= {action.key for action in ACTIONS}
