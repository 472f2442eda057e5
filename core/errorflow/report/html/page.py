"""The page: what was found in words, the graph, the nodes that matter, tables, and what all of it rests on."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape, unescape
from importlib.resources import files
from typing import Any

from errorflow import __version__
from errorflow.base import SILENT, Progress, dataclass
from errorflow.base.language import ENGLISH, current, translated
from errorflow.case.said import MADE_UP
from errorflow.report.account.making import account_of
from errorflow.report.account.model import (
    CHANGED,
    INTRODUCED_SHARE,
    NODES,
    NOTED,
    NOTHING,
    OUTPUTS,
    RECOMMENDED,
    SHARE_NOTE,
    TICKETED,
    TRIED,
    UNMEASURED,
    Account,
    AccountTable,
    Card,
    JudgedOutput,
)
from errorflow.report.content import Content, size_text
from errorflow.report.figure_shapes import colors_in_the_dark
from errorflow.report.html.data import page_data
from errorflow.report.html.graph import graph_drawing
from errorflow.report.html.themed import Themed, recolored, themed

# Nothing may come from elsewhere, whatever names and notes hold.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
# Of problems, so many are told one by one.
_MOST_TOLD = 60


def html_report(case: Content, now: datetime, progress: Progress = SILENT) -> str:
    """The whole file. `now` stands on it."""
    graph = graph_drawing(case, progress)
    progress.step(0, 1, "Writing the report")
    ink, account = _Ink([graph]), account_of(case)
    body = "\n".join(
        filter(
            None,
            (*_form(account), *_words(account, ink), *_graph(graph.text), *_tables(case, ink), *_rest(case, account)),
        )
    )
    colors = _colors(ink.light, ink.dark)
    data = json.dumps(page_data(case), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003C")
    return spoken(
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(case.title)}</title><style>\n{_text('page.css')}{colors}</style></head><body>\n"
        f"{_header(case, now)}<main>\n{body}\n</main>\n"
        f"<footer>Errorflow {escape(__version__)}, {escape(now.strftime('%Y-%m-%d %H:%M'))}. "
        "This file needs nothing else: it can be sent and opened anywhere.</footer>\n"
        f'<script type="application/json" id="data">{data}</script>\n<script>\n{_text("page.js")}</script>\n'
        "</body></html>\n"
    )


@dataclass(slots=True)
class _Ink:
    """Ink of all drawings of the page, which take their colours from its theme."""

    drawings: list[Themed]

    def themed(self, light: str, dark: str) -> str:
        found = themed(light, dark, f"d{len(self.drawings)}-")
        self.drawings.append(found)
        return found.text

    @property
    def light(self) -> dict[str, str]:
        return {name: color for each in self.drawings for name, color in each.light.items()}

    @property
    def dark(self) -> dict[str, str]:
        return {name: color for each in self.drawings for name, color in each.dark.items()}


def _text(name: str) -> str:
    return (files("errorflow_resources") / "report" / name).read_text("utf-8")


_DARK = {
    "color-scheme": "dark",
    "--back": "#171B20",
    "--graph": "#171B20",
    "--panel": "#1F252C",
    "--text": "#E2E7EC",
    "--muted": "#9CA7B3",
    "--line": "#343D47",
    "--link": "#8AB8E6",
    "--chosen": "#2B4158",
    "--hit": "#6FB1F2",
    "--bad": "#FF8A75",
    "--warning": "#E8BE5A",
}


def _colors(light: Mapping[str, str], dark: Mapping[str, str]) -> str:
    """Writes colours by the system's theme, unless the reader chose another on the page; paper is light."""
    bright, dim = _declared(light), _declared({**_DARK, **dark})
    return (
        f":root {{ {bright} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {dim} }} }}\n"
        f"@media screen {{ :root[data-theme=dark] {{ {dim} }} }}\n"
    )


def _declared(values: Mapping[str, str]) -> str:
    return "".join(f"{name}:{value};" for name, value in values.items())


def _header(case: Content, now: datetime) -> str:
    lines = "".join(
        f"<p class='wrap'><strong>{escape(line)}</strong></p>"
        if line == MADE_UP
        else f"<p class='muted wrap'>{escape(line)}</p>"
        for line in (*case.compared, *((MADE_UP,) if case.made_up and MADE_UP not in case.compared else ()))
    )
    return (
        f"<header><div class='top'><h1 class='wrap'>{escape(case.title)}</h1>"
        f"<span class='muted'>{escape(now.strftime('%Y-%m-%d'))}</span>"
        "<label class='theme'>Theme <select id='theme'><option value='auto'>As the system</option>"
        "<option value='light'>Light</option><option value='dark'>Dark</option></select></label></div>"
        f"{lines}{_note(case)}</header>"
    )


def _note(case: Content) -> str:
    """Writes the user's note on the case, which comes before all that was found."""
    lines = "".join(f"<p class='wrap'>{escape(line)}</p>" for line in case.note.splitlines() if line.strip())
    return f"<section class='note' aria-label='Note'>{lines}</section>" if lines else ""


def _form(account: Account) -> Iterator[str]:
    """Yields what the sender filled in."""
    if account.form:
        yield f"<h2>{escape(TICKETED)}</h2><dl class='form'>"
        for fact in account.form:
            lines = "<br>".join(escape(line) for line in fact.text.splitlines())
            yield f"<dt>{escape(fact.label)}</dt><dd class='wrap'>{lines}</dd>"
        yield "</dl>"


def _words(account: Account, ink: _Ink) -> Iterator[str]:
    if account.kind is None:
        yield f"<p class='verdict'>{escape(NOTHING)}</p>"
        return
    tone = {"calm": "", "warning": " warning", "loud": " bad"}[account.tone]
    head = account.head if account.head else account.kind.capitalize()
    yield f"<div class='verdict{tone}'><strong>{escape(head)}</strong>"
    real = account.real
    told = f"<p class='wrap'><strong>Measured for real</strong>: {escape(real)}</p>" if real else ""
    stages = "".join(f"<p class='wrap'>{escape(line)}</p>" for line in account.stages)
    yield f"<p class='wrap'>{escape(account.sentence)}</p>{stages}{told}"
    yield f"<p class='muted'>{escape(account.surety)}</p></div>"
    if account.advice:
        yield f"<h2>{escape(RECOMMENDED)}</h2><ul>"
        for advice in account.advice:
            yield (
                f"<li>{escape(advice.text)} <span class='muted'>{escape(advice.why)} ({escape(advice.source)})</span>"
            )
        yield "</ul>"
    yield from _cards(account.cards, ink)
    yield from _outputs(account.outputs)


def _cards(cards: Sequence[Card], ink: _Ink) -> Iterator[str]:
    if not cards:
        return
    yield f"<h2>{escape(NODES)}</h2><div class='cards'>"
    for each in cards:
        is_how = ", ".join(filter(None, (each.op_type, each.word, each.how)))
        told = filter(None, (each.share_text, is_how, each.why, each.told))
        lines = "".join(f"<p class='wrap'>{escape(line)}</p>" for line in told)
        numbers = "".join(
            f"<dt title='{escape(fact.tip)}'>{escape(fact.label)}</dt><dd>{escape(fact.text)}</dd>"
            for fact in each.numbers
        )
        picture = ink.themed(each.picture, recolored(each.picture, colors_in_the_dark()))
        link = f"<button class='go' data-node='{each.node}'>{escape(each.title)}</button>"
        yield f"<div class='card'><h3>{link}</h3>{lines}<dl>{numbers}</dl>{picture}</div>"
    yield "</div>"


def _outputs(outputs: Sequence[JudgedOutput]) -> Iterator[str]:
    if outputs:
        rows = tuple((each.name, each.kind, each.text) for each in outputs)
        yield from _plain_table(OUTPUTS, AccountTable(("Output", "Verdict", "Why"), rows))


def _plain_table(title: str, table: AccountTable) -> Iterator[str]:
    if not table.rows:
        return
    heads = "".join(f"<th>{escape(head)}</th>" for head in table.heads)
    yield f"<h2>{escape(title)}</h2><div class='scroll'><table class='plain'><thead><tr>{heads}</tr></thead><tbody>"
    for row in table.rows:
        yield f"<tr>{''.join(f'<td class=wrap>{escape(cell)}</td>' for cell in row)}</tr>"
    yield "</tbody></table></div>"


def _graph(drawing: str) -> Iterator[str]:
    yield (
        "<h2>Graph</h2><div class='stage'><div class='view' id='view' aria-label='Graph: arrow keys pan, + and - zoom, "
        f"0 shows all'>{drawing}<div class='tools'><button id='in' aria-label='Zoom in'>+</button>"
        "<button id='out' aria-label='Zoom out'>−</button><button id='fit'>Show all</button>"
        "<input id='search' type='search' placeholder='Find nodes' aria-label='Find nodes: Enter goes to the next'>"
        "<span id='count' aria-live='polite'></span></div></div><div class='side' id='side' aria-live='polite'>"
        "<p class='muted'>Click a node, here or in a table, to see what is known of it. "
        "Drag to move, turn the wheel to zoom.</p></div></div>"
    )


def _tables(case: Content, ink: _Ink) -> Iterator[str]:
    for heading, (light, dark) in case.plots.items():
        yield f"<h2>{escape(heading)}</h2><div class='plot'>{ink.themed(light, dark)}</div>"
    yield _table("Nodes", "nodes")
    if case.findings is not None and case.findings.blame is not None:
        yield f"<p class='muted'>{escape(SHARE_NOTE)}</p>"
    if case.findings is not None:
        yield _table("Tensors", "tensors")


def _table(title: str, key: str) -> str:
    return (
        f"<h2>{title}</h2><div id='{key}'><div class='bar'><input type='search' placeholder='Filter' "
        f"aria-label='Filter {title.lower()}'><span class='muted' aria-live='polite'></span>"
        "<button class='more' hidden></button></div><div class='scroll'><table></table></div></div>"
    )


def _rest(case: Content, account: Account) -> Iterator[str]:
    yield from _plain_table(CHANGED, account.changed)
    yield from _plain_table(TRIED, account.tried)
    for heading, lines in case.chapters.items():
        yield f"<h2>{escape(heading)}</h2>{_list(lines)}"
    if case.notes:
        noted = [f"{name}: {text}" for name, text in case.notes.items()]
        yield f"<h2>{escape(NOTED)}</h2>{_list(noted)}"
    lacking = (*(each.text for each in account.lacks), *account.oddities)
    if lacking:
        more = len(lacking) - _MOST_TOLD
        told = [*lacking[:_MOST_TOLD], *([f"… and {more:,} more"] if more > 0 else [])]
        yield f"<h2>{escape(UNMEASURED)}</h2>{_list(told)}"
    facts = {**case.facts, **{path.name: size_text(path.stat().st_size) for path in case.files if path.exists()}}
    if facts:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td class='wrap'>{escape(text)}</td></tr>" for name, text in facts.items()
        )
        yield f"<h2>What this rests on</h2><table class='plain'><tbody>{rows}</tbody></table>"


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li class=wrap>{escape(line)}' for line in lines)}</ul>"


# Parts that are no text to be read: programs, dresses; the data of the page's script are looked through.
_APART = re.compile(r"(<script\b.*?</script>|<style\b.*?</style>)", re.DOTALL)
_DATA = re.compile(r'(<script type="application/json" id="data">)(.*)(</script>)', re.DOTALL)
# Tags that a sentence may go on behind; all others end it.
_BETWEEN = re.compile(r"(<(?!/?(?:a|b|i|em|strong|span|code|small|sub|sup)\b)[^<>]*>)")
_ATTRIBUTE = re.compile(r"\b(title|aria-label|placeholder|alt)=(['\"])(.*?)\2")
# What the page's script says itself, as it stands there.
_OF_SCRIPT = (
    "Name",
    "Type",
    "Depth",
    "Verdict",
    "Accumulated",
    "Share of blame",
    "Introduced",
    "Inherited",
    INTRODUCED_SHARE,
    "States",
    "Tensor",
    "Shape",
    "Note",
    "Relative error of what it makes",
    "What the node itself adds",
    "What arrives and passes through",
    "Of its error, what it adds itself",
    "The part of the error at the output that goes back to the node",
    "It stands in a closed group of the drawing.",
    "Show all ",
    " nodes",
    " node",
    " rows",
)


def spoken(page: str) -> str:
    """The whole file; in English it is what it was."""
    if current() is ENGLISH:
        return page
    parts = _APART.split(page)
    said = "".join(_apart(part) if number % 2 else _body(part) for number, part in enumerate(parts))
    return said.replace("<html lang='en'>", f"<html lang='{current().key.replace('_', '-')}'>", 1)


def _body(text: str) -> str:
    parts = _BETWEEN.split(text)
    said = (
        _ATTRIBUTE.sub(_attribute, part) if number % 2 else _spoken_words(part, parts[number - 1] if number else "")
        for number, part in enumerate(parts)
    )
    return "".join(said)


def _spoken_words(text: str, tag: str) -> str:
    """Translates what stands between two tags; what has none inside is taken out of its entities first.

    In drawings it may be the type of an operator.
    """
    if not text.strip():
        return text
    if "<" in text:
        return translated(text, label=True)
    bare = unescape(text)
    said = translated(bare, label=not tag.startswith("<text"))
    return text if said == bare else escape(said)


def _attribute(found: re.Match[str]) -> str:
    name, quote, text = found.groups()
    return f"{name}={quote}{escape(translated(unescape(text), label=True))}{quote}"


def _apart(part: str) -> str:
    data = _DATA.fullmatch(part)
    if data is not None:
        rows = _row(json.loads(data[2]))
        text = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003C")
        return f"{data[1]}{text}{data[3]}"
    if part.startswith("<script"):
        for words in _OF_SCRIPT:
            said = json.dumps(_of_script(words), ensure_ascii=False)
            part = part.replace(f'"{words}"', said)
    return part


def _of_script(words: str) -> str:
    """A word that the script puts behind a number is said as behind one."""
    return translated(f"2{words}")[1:] if words.startswith(" ") else translated(words, label=True)


def _row(value: Any) -> Any:
    """Words in the rows of the tables; names look like none, and types of operators stay."""
    if isinstance(value, str):
        return translated(value)
    if isinstance(value, list):
        return [_row(each) for each in value]
    if isinstance(value, dict):
        return {key: each if key in ("key", "better", "formula") else _row(each) for key, each in value.items()}
    return value
