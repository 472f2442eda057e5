"""The commands that give the picture of the graph away, rows of the table in `actions`."""

from functools import partial

from errorflow_viewer.action import Action, has_model
from errorflow_viewer.desk import Desk, Entry
from errorflow_viewer.settings import PICTURE_SCALES


def _scales(desk: Desk) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            f"{scale}× the pixels of the screen",
            partial(_choose_scale, scale),
            "For views that are copied or saved",
            checked=desk.exports.scale == scale,
        )
        for scale in PICTURE_SCALES
    )


def _choose_scale(scale: int, desk: Desk) -> None:
    desk.exports.choose_scale(scale)


EXPORTING: tuple[Action, ...] = (
    Action(
        "export.view",
        "&View as PNG…",
        "File",
        "export",
        lambda d: d.exports.save_view(),
        "picture",
        ("Ctrl+Shift+S",),
        "Write what is visible of the graph, up to four times as fine as the screen",
        has_model,
        submenu="&Export",
    ),
    Action(
        "export.copy",
        "&Copy view",
        "File",
        "export",
        lambda d: d.exports.copy_view(),
        "copy",
        ("Ctrl+Shift+C",),
        "Copy what is visible of the graph as a picture",
        has_model,
        submenu="&Export",
    ),
    Action(
        "export.svg",
        "Whole graph as &SVG…",
        "File",
        "export",
        lambda d: d.exports.save_graph("svg"),
        tip="Write all of the graph, as far as it is open: scales without loss, can be searched",
        enabled=has_model,
        submenu="&Export",
    ),
    Action(
        "export.pdf",
        "Whole graph as P&DF…",
        "File",
        "export",
        lambda d: d.exports.save_graph("pdf"),
        tip="Write all of the graph, as far as it is open, on one page of its size",
        enabled=has_model,
        submenu="&Export",
    ),
    Action(
        "export.png",
        "Whole graph as &PNG…",
        "File",
        "export",
        lambda d: d.exports.save_graph("png"),
        tip="Write all of the graph, as far as it is open; in tiles if it is too large for one picture",
        enabled=has_model,
        submenu="&Export",
    ),
    Action(
        "export.caption",
        "Pictures with c&aption",
        "File",
        "export",
        lambda d: d.exports.turn_captions(),
        tip="Write on pictures what they show: names, what was compared, legend and limits, date and versions",
        checked=lambda d: d.exports.captions,
        submenu="&Export",
        also_called="title header screenshot legend date versions",
    ),
    Action(
        "export.scale",
        "Si&ze of pictures",
        "File",
        "export",
        lambda d: d.open_palette("Size of pictures"),
        tip="How many times as fine as the screen views are copied and saved",
        submenu="&Export",
        entries=_scales,
    ),
    Action(
        "export.report",
        "&Report as HTML…",
        "File",
        "export",
        lambda d: d.exports.save_report(),
        tip="Write all that was found out as one page that anybody can open: graph, verdict, tables, plots",
        enabled=has_model,
        submenu="&Export",
        also_called="html page ticket share",
    ),
    Action(
        "export.paper",
        "R&eport as PDF…",
        "File",
        "export",
        lambda d: d.exports.save_report("pdf"),
        tip="Write all that was found out as pages to print or send: verdict, pictures, graph, tables, bookmarks",
        enabled=has_model,
        submenu="&Export",
        also_called="document print paper",
    ),
    Action(
        "export.tables",
        "&Tables as CSV…",
        "File",
        "export",
        lambda d: d.exports.save_tables(),
        tip="Write all nodes, and beside them all tensors and what was tried, as tables for a spreadsheet",
        enabled=has_model,
        submenu="&Export",
        also_called="spreadsheet excel nodes tensors",
    ),
    Action(
        "ticket",
        "Tic&ket…",
        "File",
        "export",
        lambda d: d.make_ticket(),
        tip="Write the case as one bundle that opens as the same session elsewhere, without weights, folders and names",
        enabled=has_model,
        submenu="&Export",
        also_called="bundle zip support send redact share",
    ),
)
