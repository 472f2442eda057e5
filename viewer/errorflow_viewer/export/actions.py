"""The commands that give the picture of the graph away, rows of the table of commands."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol

from errorflow_viewer.commands.api import Action, Desk, Entry, has_model
from errorflow_viewer.kit.settings import PICTURE_SCALES

if TYPE_CHECKING:
    from errorflow.report.request import Kind as PictureKind

# A report as a page, or as a document to print.
ReportKind = Literal["html", "pdf"]


class ExportsApi(Protocol):
    """Gives the picture of the graph away."""

    @property
    def captions(self) -> bool: ...

    def turn_captions(self) -> None: ...

    @property
    def scale(self) -> int: ...

    def choose_scale(self, scale: int) -> None: ...

    def save_view(self) -> None: ...

    def copy_view(self) -> None: ...

    def save_graph(self, kind: "PictureKind") -> None: ...

    def save_report(self, kind: ReportKind = "html") -> None: ...

    def save_tables(self) -> None: ...


class ExportDesk(Desk, Protocol):
    """A desk with something to give away."""

    @property
    def exports(self) -> ExportsApi: ...


_EXPORT = "&Export"


def _scales(desk: ExportDesk) -> tuple[Entry[ExportDesk], ...]:
    return tuple(
        Entry(
            f"{scale}× the pixels of the screen",
            partial(_choose_scale, scale),
            "For views that are copied or saved",
            checked=desk.exports.scale == scale,
        )
        for scale in PICTURE_SCALES
    )


def _choose_scale(scale: int, desk: ExportDesk) -> None:
    desk.exports.choose_scale(scale)


def _row(
    key: str,
    text: str,
    run: Callable[[ExportDesk], None],
    tip: str,
    icon: str = "",
    shortcuts: tuple[str, ...] = (),
    also_called: str = "",
) -> Action[ExportDesk]:
    """Makes the row of a command that saves something of the model."""
    return Action(
        key, text, "File/export", run, icon, shortcuts, tip, has_model, submenu=_EXPORT, also_called=also_called
    )


EXPORTING: tuple[Action[ExportDesk], ...] = (
    _row(
        "export.view",
        "&View as PNG…",
        lambda d: d.exports.save_view(),
        "Write what is visible of the graph, up to four times as fine as the screen",
        icon="picture",
        shortcuts=("Ctrl+Shift+S",),
    ),
    _row(
        "export.copy",
        "&Copy view",
        lambda d: d.exports.copy_view(),
        "Copy what is visible of the graph as a picture",
        icon="copy",
        shortcuts=("Ctrl+Shift+C",),
    ),
    _row(
        "export.svg",
        "Whole graph as &SVG…",
        lambda d: d.exports.save_graph("svg"),
        "Write all of the graph, as far as it is open: scales without loss, can be searched",
    ),
    _row(
        "export.pdf",
        "Whole graph as P&DF…",
        lambda d: d.exports.save_graph("pdf"),
        "Write all of the graph, as far as it is open, on one page of its size",
    ),
    _row(
        "export.png",
        "Whole graph as &PNG…",
        lambda d: d.exports.save_graph("png"),
        "Write all of the graph, as far as it is open; in tiles if it is too large for one picture",
    ),
    Action(
        "export.caption",
        "Pictures with c&aption",
        "File/export",
        lambda d: d.exports.turn_captions(),
        tip="Write on pictures what they show: names, what was compared, legend and limits, date and versions",
        checked=lambda d: d.exports.captions,
        submenu=_EXPORT,
        also_called="title header screenshot legend date versions",
    ),
    Action(
        "export.scale",
        "Si&ze of pictures",
        "File/export",
        lambda d: d.commands.open_palette("Size of pictures"),
        tip="How many times as fine as the screen views are copied and saved",
        submenu=_EXPORT,
        entries=_scales,
    ),
    _row(
        "export.report",
        "&Report as HTML…",
        lambda d: d.exports.save_report(),
        "Write all that was found out as one page that anybody can open: graph, verdict, tables, plots",
        also_called="html page ticket share",
    ),
    _row(
        "export.paper",
        "R&eport as PDF…",
        lambda d: d.exports.save_report("pdf"),
        "Write all that was found out as pages to print or send: verdict, pictures, graph, tables, bookmarks",
        also_called="document print paper",
    ),
    _row(
        "export.tables",
        "&Tables as CSV…",
        lambda d: d.exports.save_tables(),
        "Write all nodes, and beside them all tensors and what was tried, as tables for a spreadsheet",
        also_called="spreadsheet excel nodes tensors",
    ),
)
