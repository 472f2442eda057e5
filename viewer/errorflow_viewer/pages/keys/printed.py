"""The map of the keyboard on paper: a page to print, or plain text."""

from collections.abc import Callable, Iterator
from html import escape

from errorflow.base.language import translated
from errorflow_viewer.commands.api import MENUS, CommandTable
from errorflow_viewer.kit.keymap import native
from errorflow_viewer.pages.keys.shortcuts import by_hand

Lines = tuple[tuple[str, str], ...]
_STYLE = """\
body { font: 13px/1.45 "Inter", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif; color: #1b232c; margin: 24px; }
h1 { font-size: 20px; margin: 0 0 12px; } h2 { font-size: 14px; margin: 0 0 4px; }
main { columns: 2; column-gap: 32px; } section { break-inside: avoid; margin: 0 0 16px; }
table { border-collapse: collapse; width: 100%; } td { padding: 2px 0; border-bottom: 1px solid #dce1e7; }
td:last-child { text-align: right; padding-left: 12px; }
kbd { font: inherit; border: 1px solid #b9c2cc; border-radius: 3px; padding: 0 4px; white-space: nowrap; }
@media print { body { margin: 0; font-size: 10px; } }
"""


def parts(table: CommandTable) -> Iterator[tuple[str, Lines]]:
    """By menu the commands that have keys, then what is done by hand; in the language of the window."""
    for menu in MENUS:
        rows = [(row, table.keys(row)) for row in table.rows if row.menu == menu]
        found = tuple((translated(row.name), joined(keys)) for row, keys in rows if keys)
        if found:
            yield translated(menu), found
    for title, lines in by_hand(table):
        yield translated(title), tuple((translated(what), translated(how, label=True)) for what, how in lines)


def joined(keys: tuple[str, ...]) -> str:
    """With marks around each, as in Markdown."""
    return translated(" or ").join(f"`{native(each)}`" for each in keys)


def as_text(table: CommandTable) -> str:
    """In two columns."""
    found, title = list(parts(table)), translated("Keyboard shortcuts")
    wide = max(_width(what) for _, lines in found for what, _ in lines) + 2
    rows = [title, "=" * _width(title), ""]
    for name, lines in found:
        rows += [name, "-" * _width(name)]
        rows += [f"{what}{' ' * (wide - _width(what))}{how.replace('`', '')}" for what, how in lines]
        rows.append("")
    return "\n".join(rows)


def as_html(table: CommandTable) -> str:
    """One page that needs nothing else."""
    title = escape(translated("Keyboard shortcuts"))
    sections = "\n".join(_section(name, lines) for name, lines in parts(table))
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{title}</title><style>\n{_STYLE}</style></head>\n'
        f"<body><h1>{title}</h1>\n<main>\n{sections}\n</main></body></html>\n"
    )


def _section(name: str, lines: Lines) -> str:
    cells = "".join(f"<tr><td>{escape(what)}</td><td>{_keys(how)}</td></tr>\n" for what, how in lines)
    return f"<section><h2>{escape(name)}</h2><table>\n{cells}</table></section>"


def _keys(how: str) -> str:
    pieces = escape(how).split("`")
    return "".join(f"<kbd>{piece}</kbd>" if number % 2 else piece for number, piece in enumerate(pieces))


def _width(text: str) -> int:
    """In letters of plain text, of which Chinese ones take two."""
    return sum(2 if ord(letter) > 0x2E7F else 1 for letter in text)


WRITERS: dict[str, Callable[[CommandTable], str]] = {".html": as_html, ".txt": as_text}
