"""The commands on how near the graph is and how the window is dressed, rows of the table in `actions`."""

from errorflow.base.language import LANGUAGES
from errorflow_viewer.commands.action import Action, sees_graph, sees_selection
from errorflow_viewer.kit.translation.speech import SYSTEM

ZOOM_STEP = 1.25

ZOOMING: tuple[Action, ...] = (
    Action(
        "zoom_in",
        "Zoom &in",
        "View",
        "zoom",
        lambda d: d.view.zoom_by(ZOOM_STEP),
        "zoom-in",
        ("Ctrl++", "Ctrl+="),
        enabled=sees_graph,
        toolbar=7,
    ),
    Action(
        "zoom_out",
        "Zoom &out",
        "View",
        "zoom",
        lambda d: d.view.zoom_by(1 / ZOOM_STEP),
        "zoom-out",
        ("Ctrl+-",),
        enabled=sees_graph,
        toolbar=6,
    ),
    Action(
        "fit",
        "Fi&t graph",
        "View",
        "zoom",
        lambda d: d.view.fit(),
        "fit",
        ("Ctrl+0",),
        "Show the whole graph",
        sees_graph,
        toolbar=8,
    ),
    Action(
        "actual",
        "&Actual size",
        "View",
        "zoom",
        lambda d: d.view.zoom_to(1.0),
        "actual",
        ("Ctrl+1",),
        "Zoom to 100 %",
        sees_graph,
    ),
    Action(
        "centre",
        "&Centre on selection",
        "View",
        "zoom",
        lambda d: d.centre_on_selection(),
        "centre",
        ("Ctrl+E",),
        "Bring what is selected to the middle",
        sees_selection,
    ),
)


def _language(key: str, text: str) -> Action:
    """A language calls itself what it is called in itself."""
    return Action(
        f"language.{key}",
        text,
        "View",
        "language",
        lambda d: d.speech.choose(key),
        checked=lambda d: d.speech.choice == key,
        choice="language",
        submenu="&Language",
        also_called="language translation 语言 中文 chinese",
    )


_THEME = "Light or dar&k"
DRESSING: tuple[Action, ...] = (
    Action(
        "theme.system",
        "Theme of the &system",
        "View",
        "theme",
        lambda d: d.set_theme("system"),
        "system",
        checked=lambda d: d.appearance.choice == "system",
        choice="theme",
        submenu=_THEME,
    ),
    Action(
        "theme.light",
        "&Light theme",
        "View",
        "theme",
        lambda d: d.set_theme("light"),
        "light",
        checked=lambda d: d.appearance.choice == "light",
        choice="theme",
        submenu=_THEME,
    ),
    Action(
        "theme.dark",
        "&Dark theme",
        "View",
        "theme",
        lambda d: d.set_theme("dark"),
        "dark",
        checked=lambda d: d.appearance.choice == "dark",
        choice="theme",
        submenu=_THEME,
    ),
    _language(SYSTEM, "Language of the s&ystem"),
    *(_language(each.key, f"&{each.name}") for each in LANGUAGES),
)
