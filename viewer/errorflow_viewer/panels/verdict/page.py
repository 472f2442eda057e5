"""The verdict as a page of rich text."""

from collections.abc import Iterator, Sequence
from html import escape

from errorflow.base.language import Verbatim, filled_in, opened
from errorflow_viewer.kit.look import LABEL, TITLE, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.panels.sections import BREAK, breakable, hinted, link, plain, soft
from errorflow_viewer.panels.verdict.told import Contributor, Told

# Of bars in px, which stand so far above the line of the text beside them.
BAR, BELOW = (160, 3), 3
# As wide as a figure.
FIGURE_SPACE = "\u2007"
SHARE = "contribution · share of the power of the error at the output"


def page(told: Told, theme: Theme) -> str:
    """Links are `node:5`, `tensor:3`, `search:…`, `explain:` and `problems:`; images `sign:node/light` and
    `bar:0.5/light`."""
    return "".join((_style(theme), *_head(told, theme), *_body(told, theme)))


def _style(theme: Theme) -> str:
    return (
        f"<style>a {{ color: {theme.link}; text-decoration: none; }} i {{ color: {theme.muted}; font-style: normal; }}"
        "</style>"
    )


def _head(told: Told, theme: Theme) -> Iterator[str]:
    head = plain(told.head if told.head else "Verdict")
    yield (
        "<table cellspacing='0' cellpadding='0' style='margin: 4px 2px 0 0'><tr>"
        "<td style='padding-right: 6px; vertical-align: middle'>"
        f"<img src='sign:{told.sign}/{theme.name}' width='20' height='20'></td>"
        f"<td style='font-size: {px(TITLE)}px; font-weight: 600; vertical-align: middle'>{head}</td></tr></table>"
    )
    yield f"<p style='margin: 6px 2px 0 2px'>{_linked(told)}</p>"
    if told.method:
        looks = f"color: {theme.muted}; font-size: {px(LABEL)}px; margin: 4px 2px 0 2px"
        yield f"<p style='{looks}'>{plain(told.why)}</p>"


def _body(told: Told, theme: Theme) -> Iterator[str]:
    yield from _section("Which step is at fault", [plain(line) for line in told.stages], theme)
    yield from _contributors(told.contributors, theme)
    yield from _advice(told, theme)
    yield from _section("Where it turns clearly bad", list(_first(told)), theme)
    yield from _outputs(told, theme)
    yield from _section("Not judged", list(_left(told)), theme)


def _section(title: str, lines: Sequence[str], theme: Theme) -> Iterator[str]:
    if lines:
        yield _title(title, theme)
        yield from (f"<p style='margin: 4px 2px 0 2px'>{breakable(line)}</p>" for line in lines)


def _title(text: str, theme: Theme) -> str:
    return (
        f"<p style='color: {theme.muted}; font-size: {px(LABEL)}px; font-weight: 600; margin: 14px 0 2px 2px'>"
        f"{plain(text)}</p>"
    )


def _contributors(contributors: Sequence[Contributor], theme: Theme) -> Iterator[str]:
    if not contributors:
        return
    yield _title("What brings the error", theme)
    for each in contributors:
        share = f"{each.share * 100:.0f} %".rjust(len("100 %"), FIGURE_SPACE)
        yield (
            f"<p style='margin: 8px 2px 0 2px'>{breakable(link(f'node:{each.node}', Verbatim(each.title)))}</p>"
            f"<p style='margin: 0 2px'><img src='bar:{each.share:.3f}/{theme.name}' width='{BAR[0]}'"
            f" height='{BAR[1] + BELOW}'>&nbsp; {hinted(share, SHARE)}</p>"
            f"<p style='margin: 0 2px 0 2px'>{breakable(soft(each.what))}</p>"
        )


def _advice(told: Told, theme: Theme) -> Iterator[str]:
    if told.advice:
        yield _title("What to do", theme)
    for advice in told.advice:
        yield f"<p style='margin: 4px 2px 0 2px'>{plain(advice.text)}</p>"
        yield f"<p style='margin: 2px 2px 0 2px'>{soft(advice.why)}</p>"
        yield (
            f"<p style='margin: 2px 2px 4px 2px; font-size: {px(LABEL)}px' title='{escape(advice.when)}'>"
            f"{soft(f'Source: {advice.source}')}</p>"
        )


def _first(told: Told) -> Iterator[str]:
    for each in told.first:
        yield link(f"node:{each.node}", Verbatim(each.title))
        if each.note:
            yield soft(f"{each.note}.")
    if told.first:
        more = f"{told.more_first:,} more; " if told.more_first else ""
        said = f"{more}{told.follows}."
        yield f"{plain(said[:1].upper() + said[1:])}"
        yield link("explain:", "Show what it explains")
        yield link("search:verdict:origin", "List all origins")


def _outputs(told: Told, theme: Theme) -> Iterator[str]:
    if not told.outputs:
        return
    yield _title("Outputs", theme)
    yield "<table width='100%' cellspacing='0' cellpadding='2'>"
    for each in told.outputs:
        yield (
            f"<tr><td>{breakable(link(f'tensor:{each.tensor}', Verbatim(each.name)))}<br>"
            f"<span title='{escape(each.text)}'>{soft(each.kind[:1].upper() + each.kind[1:])}</span></td>"
            f"<td align='right' title='{escape(each.tip)}'>{hinted(each.value, each.tip)}</td></tr>"
        )
    yield "</table>"


def _left(told: Told) -> Iterator[str]:
    if not told.unjudged:
        return
    yield plain(f"{told.unjudged:,} of {told.nodes:,} nodes could not be judged.")
    yield from (soft(f"{count:,}: {reason}") for reason, count in told.reasons)
    yield f"{link('search:verdict:not-measured', 'List them')} &nbsp; {link('problems:', 'Problems')}"


def _linked(told: Told) -> str:
    names: list[str] = []
    said = escape(opened(told.sentence, names), quote=False)
    return filled_in(said, [_name(name, told.links.get(name, "")) for name in names])


def _name(name: str, href: str) -> str:
    """A name that does not begin on the line before with its first slash."""
    known = Verbatim(name)
    return breakable(link(href, known) if href else plain(known)).replace(f">/{BREAK}", ">/")
