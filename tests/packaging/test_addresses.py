"""Where Errorflow says it is at home: one address of its sources, one of its site, wherever they stand."""

import re
from pathlib import Path

from packaging_scripts import script

ROOT = Path(__file__).parents[2]
FOLDERS = ("core", "packaging", "resources/errorflow_resources/desktop", "viewer")
KINDS = (".desktop", ".md", ".nsh", ".nsi", ".plist", ".py", ".sh", ".xml")
ADDRESS = re.compile(r"https://[\w.-]*(?:errorflow\.|/errorflow/)[\w.-]*(?:/[\w.-]+)?")
PLACES = "packaging/README.md"


def addresses() -> dict[str, set[str]]:
    """By address, the files that name it."""
    found: dict[str, set[str]] = {}
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in KINDS):
        for address in ADDRESS.findall(path.read_text(encoding="utf-8")):
            site = re.sub(r"(github\.io)/.*", r"\1", address)
            found.setdefault(site, set()).add(path.relative_to(ROOT).as_posix())
    return found


def test_there_are_two_addresses_and_no_others() -> None:
    assert set(addresses()) == {script("linux/tree.py").HOME_PAGE, "https://errorflow.github.io"}


def test_the_page_on_packaging_names_every_file_with_an_address() -> None:
    """So that all are changed when one is."""
    page = (ROOT / PLACES).read_text(encoding="utf-8")
    named = {name for names in addresses().values() for name in names} - {PLACES}
    assert sorted(name for name in named if Path(name).name not in page) == []
