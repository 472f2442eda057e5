"""The command that leads to the page of keys, a row of the table of commands."""

from errorflow_viewer.commands.api import Action

KEYS: tuple[Action, ...] = (
    Action(
        "shortcuts",
        "&Keyboard shortcuts",
        "Help",
        "find",
        lambda d: d.whole_pages.show_keys(),
        "shortcuts",
        ("Ctrl+F1",),
        "Every command with its keys: to search, to change, to print",
        also_called="keys hotkeys bindings keymap",
    ),
)
