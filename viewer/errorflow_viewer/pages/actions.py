"""The commands that lead to pages, rows of the table of commands."""

from errorflow_viewer.commands.api import Action, has_model
from errorflow_viewer.pages.desk import PageDesk

JUDGING: tuple[Action[PageDesk], ...] = (
    Action(
        "verdict.page",
        "&Verdict page",
        "Go/pages",
        lambda d: d.whole_pages.turn_verdict(),
        "verdict",
        ("F4",),
        "Read all that was found on one page: verdict, nodes that matter, what was tried, what to do; or go back",
        has_model,
        also_called="report summary advice recommendation ticket",
    ),
)

TICKET: tuple[Action[PageDesk], ...] = (
    Action(
        "ticket",
        "Tic&ket…",
        "File/export",
        lambda d: d.whole_pages.show_ticket(),
        tip="Write the case as one bundle that opens as the same session elsewhere, without weights, folders and names",
        enabled=has_model,
        submenu="&Export",
        also_called="bundle zip support send redact share",
    ),
)

GUIDING: tuple[Action[PageDesk], ...] = (
    Action(
        "guide",
        "&Guide…",
        "Help/find",
        lambda d: d.guide(),
        "guide",
        ("Shift+F1",),
        "Find a loss of accuracy step by step: what to obtain, how to compare it, what the result means",
        also_called="wizard assistant Ascend AMCT ATC Pulsar2 Horizon steps how to",
    ),
)

ALIGNING: tuple[Action[PageDesk], ...] = (
    Action(
        "align",
        "&Align two pipelines…",
        "Improve/pipelines",
        lambda d: d.whole_pages.show_align(),
        "align",
        tip="Set what two pipelines hand the model side by side: channel order, layout, scale, resizing, rounding",
        also_called="preprocessing postprocessing RGB BGR NHWC mean std deployment",
    ),
)

KEYS: tuple[Action[PageDesk], ...] = (
    Action(
        "shortcuts",
        "&Keyboard shortcuts",
        "Help/find",
        lambda d: d.whole_pages.show_keys(),
        "shortcuts",
        ("Ctrl+F1",),
        "Every command with its keys: to search, to change, to print",
        also_called="keys hotkeys bindings keymap",
    ),
)

SETTINGS: tuple[Action[PageDesk], ...] = (
    Action(
        "settings",
        "&Settings…",
        "Edit/settings",
        lambda d: d.whole_pages.show_settings(),
        "settings",
        ("Ctrl+,",),
        "Theme, language, text size, memory, cache and more; each takes effect at once",
        also_called="preferences options configuration 设置",
    ),
)
