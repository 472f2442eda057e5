"""The commands on how the window is dressed, rows of the table of commands."""

from errorflow.base.language import LANGUAGES
from errorflow_viewer.commands.api import Action
from errorflow_viewer.kit.translation.speech import SYSTEM
from errorflow_viewer.window.desk import WholeDesk


def _language(key: str, text: str) -> Action[WholeDesk]:
    """A language calls itself what it is called in itself."""
    return Action(
        f"language.{key}",
        text,
        "View/language",
        lambda d: d.speech.choose(key),
        checked=lambda d: d.speech.choice == key,
        choice="language",
        submenu="&Language",
        also_called="language translation 语言 中文 chinese",
    )


_THEME = "Light or dar&k"

DRESSING: tuple[Action[WholeDesk], ...] = (
    Action(
        "theme.system",
        "Theme of the &system",
        "View/theme",
        lambda d: d.set_theme("system"),
        "system",
        checked=lambda d: d.appearance.choice == "system",
        choice="theme",
        submenu=_THEME,
    ),
    Action(
        "theme.light",
        "&Light theme",
        "View/theme",
        lambda d: d.set_theme("light"),
        "light",
        checked=lambda d: d.appearance.choice == "light",
        choice="theme",
        submenu=_THEME,
    ),
    Action(
        "theme.dark",
        "&Dark theme",
        "View/theme",
        lambda d: d.set_theme("dark"),
        "dark",
        checked=lambda d: d.appearance.choice == "dark",
        choice="theme",
        submenu=_THEME,
    ),
    _language(SYSTEM, "Language of the s&ystem"),
    *(_language(each.key, f"&{each.name}") for each in LANGUAGES),
)
