"""Follows a recipe of docs/adding.md: takes from its words where files go, and into which tables rows."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = Path(__file__).parent
_TABLE = re.compile(r"`([A-Z]+)` in\s+`([^`]+\.py)`")
_CONTRACT = re.compile(r'contract\s+"([^"]+)"')
_FOLDER = re.compile(r"`((?:core|viewer|tests)/[^`<]+)`")


@dataclass(frozen=True)
class Recipe:
    """The section of that title, and a copy of the tree to follow it in."""

    title: str
    tree: Path

    @property
    def text(self) -> str:
        page = (ROOT / "docs/adding.md").read_text(encoding="utf-8")
        return page.split(f"\n## {self.title}\n")[1].split("\n## ")[0]

    @property
    def folder(self) -> str:
        """Where its module goes: the first that it names."""
        named = [str(name) for name in _FOLDER.findall(self.text)]
        return next(name for name in named if not name.endswith(".py")).rstrip("/")

    def table(self, name: str) -> Path:
        """The file with a table, which must be named as `NAME` in `file`."""
        files: dict[str, str] = dict(_TABLE.findall(self.text))
        return self.tree / files[name]

    def add_file(self, example: str, folder: str, name: str = "") -> None:
        """`name`: in place of the example's own."""
        target = self.tree / folder / (name if name else Path(example).name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((EXAMPLES / example).read_bytes())

    def add_row(self, table: str, row: str) -> None:
        """The last one of the tuple literal."""
        path = self.table(table)
        text = path.read_text(encoding="utf-8")
        start = re.search(rf"^{table}\b[^\n=]*= \(", text, re.MULTILINE)
        assert start is not None, f"{path} has no table {table}"
        end = _closing(text, start.end() - 1)
        several = text[end - 1] == "\n"
        added = f", {row.strip().removesuffix(',')}"
        if several:
            added = row if row.endswith("\n") else f"    {row},\n"
        path.write_text(text[:end] + added + text[end:], encoding="utf-8")

    def add_import(self, table: str, line: str) -> None:
        path = self.table(table)
        text = path.read_text(encoding="utf-8")
        place = text.index("\nfrom errorflow") + 1
        path.write_text(f"{text[:place]}{line}\n{text[place:]}", encoding="utf-8")

    def add_to_contract(self, module: str) -> None:
        """The one that the recipe names."""
        [name] = _CONTRACT.findall(self.text)
        path = self.tree / "pyproject.toml"
        text = path.read_text(encoding="utf-8")
        place = text.index("modules = [", text.index(f'name = "{name}"')) + len("modules = [")
        path.write_text(f'{text[:place]}"{module}", {text[place:]}', encoding="utf-8")

    def add_line(self, page: str, after: str, line: str) -> None:
        """To a page below a line that begins so."""
        assert f"`{page}`" in self.text or f"({page.removeprefix('docs/')})" in self.text, f"{page} is not named"
        path = self.tree / page
        text = path.read_text(encoding="utf-8")
        place = text.index("\n", text.index(after)) + 1
        path.write_text(text[:place] + line + text[place:], encoding="utf-8")


def _closing(text: str, at: int) -> int:
    """Where the bracket that opens there is closed."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if not depth:
            return place
    raise AssertionError("the bracket is not closed")
