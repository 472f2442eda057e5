"""Headings with labelled lines, as a page of rich text in the colours of a theme, or as plain text to copy."""

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape
from urllib.parse import quote

from errorflow.base.language import LanguageText, Verbatim, filled_in, opened, translated
from errorflow.base.values import dataclass
from errorflow_viewer.kit.look import LABEL, TITLE, Theme
from errorflow_viewer.kit.scaling import px

_TAG = re.compile(r"<[^>]*>")
_TAG_OR_JOINT = re.compile(r"<[^>]*>|[_/]")
# Where a name may be broken when it does not fit.
BREAK = "\u200b"


@dataclass(frozen=True, slots=True)
class Line:
    """`value` is rich text: make it with `plain`, `link` or `soft`. A line without a label takes the whole width."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    lines: tuple[Line, ...]
    # How much of the width the labels take, in percent.
    share: int = 40


def plain(text: str) -> str:
    """Text as it is, with nothing in it that would be read as rich text; names say that they are none."""
    if not isinstance(text, LanguageText | Verbatim):
        return escape(text, quote=False)
    kept: list[str] = []
    said = escape(opened(text, kept), quote=False)
    return filled_in(said, [f"<span translate='no'>{escape(name, quote=False)}</span>" for name in kept])


def hinted(text: str, tip: str) -> str:
    """Text with a tooltip, if that says more."""
    return plain(text) if tip == text else f'<span title="{escape(tip)}">{plain(text)}</span>'


def counted(count: int, word: str, drawn: int | None = None) -> str:
    """`417 nodes, 178 drawn`; how many are drawn is left out where that is all, or not known yet."""
    words = f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
    total = words if word else f"{count:,}"
    return total if drawn is None or drawn == count else f"{total}, {drawn:,} drawn"


def link(target: str, text: str) -> str:
    """A name is a link as a whole; nothing in it is a word."""
    kept = " translate='no'" if isinstance(text, Verbatim) else ""
    return f'<a{kept} href="{quote(target, safe=":")}">{escape(text, quote=False) if kept else plain(text)}</a>'


def soft(text: str) -> str:
    """Text of second importance."""
    return f"<i>{plain(text)}</i>"


def breakable(rich: str) -> str:
    """Rich text that may be broken behind the joints of names."""
    return _TAG_OR_JOINT.sub(lambda found: found[0] + BREAK if len(found[0]) == 1 else found[0], rich)


def without_breaks(text: str) -> str:
    return text.replace(BREAK, "")


def page(title: str, subtitle: str, sections: Sequence[Section], theme: Theme) -> str:
    """Rich text for a `QTextBrowser`."""
    parts = [
        f"<style>a {{ color: {theme.link}; text-decoration: none; }} i {{ color: {theme.muted}; font-style: normal; }}"
        f"</style><p style='font-size: {px(TITLE)}px; font-weight: 600; margin: 4px 2px 0 2px'>"
        f"{breakable(plain(title))}</p>"
        f"<p style='color: {theme.muted}; margin: 2px 0 0 2px'>{plain(subtitle)}</p>"
    ]
    for section in sections:
        if section.lines:
            parts.extend(_section(section, theme))
    return "".join(parts)


def _section(section: Section, theme: Theme) -> Iterator[str]:
    yield (
        f"<p style='color: {theme.muted}; font-size: {px(LABEL)}px; font-weight: 600; margin: 14px 0 2px 2px'>"
        f"{plain(section.title)}</p>"
    )
    yield "<table width='100%' cellspacing='0' cellpadding='2'>"
    for line in section.lines:
        if line.label:
            yield (
                f"<tr><td width='{section.share}%' style='color: {theme.muted}; padding-right: 6px'>"
                f"{breakable(plain(line.label))}</td><td>{breakable(line.value)}</td></tr>"
            )
        else:
            yield f"<tr><td colspan='2'>{breakable(line.value)}</td></tr>"
    yield "</table>"


def as_text(title: str, subtitle: str, sections: Sequence[Section]) -> str:
    """The same to paste into a mail."""
    rows = [translated(title), translated(subtitle)]
    for section in sections:
        if section.lines:
            rows += ["", translated(section.title)]
            rows += [
                f"  {translated(f'{line.label}:')} {_bare(line.value)}" if line.label else f"  {_bare(line.value)}"
                for line in section.lines
            ]
    return "\n".join(rows) + "\n"


def _bare(value: str) -> str:
    return unescape(_TAG.sub("", translated(value).replace("<br>", " ")))
