"""The commands on how error is painted, rows of the table of commands."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from errorflow.case.session.model import PALETTES, Palette
from errorflow.compare.metrics.metric import Scale
from errorflow.explain.findings.model import Findings
from errorflow_viewer.canvas.steering import CanvasDesk
from errorflow_viewer.commands.api import Action, Entry, has_findings

if TYPE_CHECKING:
    from errorflow.report.presets import LimitPreset

_LACK = "No two runs of this model are compared. File → Compare… compares some; a sample brings its own"

_NO_BLAME = "No two runs of this model are compared, or not so that one knows what each node introduces"

PALETTE_WORDS: dict[Palette, tuple[str, str]] = {
    "ember": ("Ember", "From grey over amber to crimson, on dark ground to coral"),
    "blue-orange": ("Blue to orange", "From grey over blue to brown, on dark ground to orange"),
    "single": ("One hue", "From grey to dark red, on dark ground to light red: told apart by lightness alone"),
}


def has_runs(desk: CanvasDesk) -> bool:
    return desk.document.comparison is not None


def has_blame(desk: CanvasDesk) -> bool:
    findings = desk.document.state.findings
    return findings is not None and findings.blame is not None


def _decide(desk: CanvasDesk, text: str, **decided: object) -> None:
    """A field of the painting, as a step that can be undone."""
    painting = replace(desk.document.session.painting, **decided)  # type: ignore[arg-type]  # the dataclass checks them
    desk.document.edit(text, painting=painting)


def _swap(desk: CanvasDesk) -> None:
    painting = desk.document.session.painting
    _decide(desk, "Swap the two marks", swapped=painting.swapped == painting.blamed, blamed=False)


_LOOK = "How e&rror looks"


def metric_entries(desk: CanvasDesk) -> tuple[Entry[CanvasDesk], ...]:
    """Lists all that was measured."""
    key = _metric(desk)
    return tuple(
        Entry(scale.label, partial(_paint_by, scale.key, scale.label), scale.formula, checked=scale.key == key)
        for scale in _scales(desk)
    )


def _scales(desk: CanvasDesk) -> "tuple[Scale, ...]":
    """Lists what nodes can be filled by: the share of blame, where there is any, and all that was measured."""
    findings = desk.document.state.findings
    if findings is None:
        return ()
    return (*_shares(findings), *findings.scales)


def _shares(findings: Findings) -> "tuple[Scale, ...]":
    from errorflow.report.findings_paint import SHARE

    return (SHARE,) if findings.blame is not None and findings.blame.blamed is not None else ()


def _metric(desk: CanvasDesk) -> str:
    """The key of what is painted."""
    findings, painting = desk.document.state.findings, desk.document.session.painting
    if findings is not None and painting.blamed and (shares := _shares(findings)):
        return shares[0].key
    scale = None if findings is None else findings.scale(painting.metric, painting.limits)
    return "" if scale is None else scale.key


def _paint_by(key: str, label: str, desk: CanvasDesk) -> None:
    from errorflow.report.findings_paint import SHARE

    found = {"blamed": True, "ranked": ""} if key == SHARE.key else {"blamed": False, "metric": key}
    _decide(desk, f"Paint by {label}", **found)


def _step_metric(step: int, desk: CanvasDesk) -> None:
    scales = _scales(desk)
    if scales and (key := _metric(desk)):
        scale = scales[([scale.key for scale in scales].index(key) + step) % len(scales)]
        _paint_by(scale.key, scale.label, desk)


def limit_entries(desk: CanvasDesk) -> tuple[Entry[CanvasDesk], ...]:
    """Limits for tasks, each with its reason."""
    from errorflow.report.presets import PRESETS

    painting = desk.document.session.painting
    return tuple(
        Entry(
            preset.label,
            partial(_take_limits, preset),
            f"{preset.why} ({preset.source})",
            checked=dict(painting.limits) == dict(preset.limits),
        )
        for preset in PRESETS
    )


def _take_limits(preset: "LimitPreset", desk: CanvasDesk) -> None:
    _decide(desk, f"Limits: {preset.label}", limits=dict(preset.limits), preset=preset.key)


def _has_own_limits(desk: CanvasDesk) -> bool:
    return has_findings(desk) and _metric(desk) in desk.document.session.painting.limits


def _reset_limits(desk: CanvasDesk) -> None:
    limits = {key: ends for key, ends in desk.document.session.painting.limits.items() if key != _metric(desk)}
    _decide(desk, "Reset the limits", limits=limits, preset="")


def palette_entries(desk: CanvasDesk) -> tuple[Entry[CanvasDesk], ...]:
    chosen = desk.document.session.painting.palette
    return tuple(
        Entry(PALETTE_WORDS[palette][0], partial(_dress, palette), PALETTE_WORDS[palette][1], checked=palette == chosen)
        for palette in PALETTES
    )


def _dress(palette: Palette, desk: CanvasDesk) -> None:
    _decide(desk, f"Palette: {PALETTE_WORDS[palette][0]}", palette=palette)


def _open_palette(text: str, desk: CanvasDesk) -> None:
    """A submenu has no command of its own; from the palette it lists what it holds."""
    desk.commands.open_palette(text)


PAINTING: tuple[Action[CanvasDesk], ...] = (
    Action(
        "switch.error",
        "Paint by &error",
        "View/error",
        lambda d: d.switches.turn("error"),
        shortcuts=("E",),
        tip="Paint nodes by how far two runs of the model differ, or by what they do",
        enabled=has_runs,
        checked=lambda d: d.switches.is_on("error"),
        graph_only=True,
        lack=_LACK,
    ),
    Action("metric", "Paint &by", "View/error", partial(_open_palette, "Paint by "), entries=metric_entries),
    Action(
        "metric.next",
        "&Next metric",
        "View/error",
        partial(_step_metric, 1),
        shortcuts=(".",),
        tip="Paint by the next of all that was measured",
        enabled=has_findings,
        graph_only=True,
        lack=_LACK,
        submenu=_LOOK,
    ),
    Action(
        "metric.previous",
        "&Previous metric",
        "View/error",
        partial(_step_metric, -1),
        shortcuts=(",",),
        tip="Paint by the one before of all that was measured",
        enabled=has_findings,
        graph_only=True,
        lack=_LACK,
        submenu=_LOOK,
    ),
    Action(
        "marks.swap",
        "S&wap the two marks",
        "View/error",
        _swap,
        "",
        ("X",),
        "Fill nodes by what each of them introduces, with what has come together as the bar, or the other way round",
        has_blame,
        checked=lambda d: d.document.session.painting.swapped,
        graph_only=True,
        lack=_NO_BLAME,
        submenu=_LOOK,
    ),
    Action("limits", "&Limits", "View/error", partial(_open_palette, "Limits "), entries=limit_entries, submenu=_LOOK),
    Action(
        "limits.reset",
        "&Reset the limits",
        "View/error",
        _reset_limits,
        tip="Give the metric on view its own limits back",
        enabled=_has_own_limits,
        lack="The metric on view has its own limits",
        submenu=_LOOK,
    ),
    Action(
        "palette.error",
        "&Colours of error",
        "View/error",
        partial(_open_palette, "Colours of error "),
        entries=palette_entries,
        also_called="palette colors",
        submenu=_LOOK,
    ),
    Action(
        "edges.tint",
        "&Tint edges",
        "View/error",
        lambda d: _decide(d, "Tint edges", edges=not d.document.session.painting.edges),
        tip="Give each edge the colour of what flows along it",
        enabled=has_findings,
        checked=lambda d: d.document.session.painting.edges,
        lack=_LACK,
        submenu=_LOOK,
    ),
    Action(
        "front.outline",
        "&Outline what the first fault explains",
        "View/error",
        lambda d: _decide(d, "Outline the front", front=not d.document.session.painting.front),
        tip="Outline the nodes behind the first bad one as far as its error explains theirs",
        enabled=has_blame,
        checked=lambda d: d.document.session.painting.front,
        lack=_NO_BLAME,
        submenu=_LOOK,
    ),
)

LEGENDS: tuple[Action[CanvasDesk], ...] = (
    Action(
        "legend.find",
        "&Find by the legend…",
        "View/error",
        lambda d: d.view.find_by_legend(),
        shortcuts=("Shift+E",),
        tip="List what the legend explains, and find all nodes of which it tells",
        enabled=lambda d: d.view.has_legend,
        graph_only=True,
        submenu=_LOOK,
        lack="Nothing is painted by error",
    ),
)
