"""The command that sets up the app, a row of the table in `actions`."""

from errorflow_viewer.action import Action

SETTING: tuple[Action, ...] = (
    Action(
        "settings",
        "&Settings…",
        "Edit",
        "settings",
        lambda d: d.whole_pages.show_settings(),
        "settings",
        ("Ctrl+,",),
        "Theme, language, text size, memory, cache and more; each takes effect at once",
        also_called="preferences options configuration 设置",
    ),
)
