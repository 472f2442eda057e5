"""Commands for a user who is stuck, rows of the table of commands."""

from errorflow_viewer.commands.api import Action
from errorflow_viewer.window.desk import WholeDesk

TOURING: tuple[Action[WholeDesk], ...] = (
    Action(
        "tour",
        "Two-minute &tour",
        "Help/find",
        lambda d: d.tour(),
        "sample",
        tip="See on a sample how an error is found; what is on view now comes back afterwards",
        also_called="tutorial introduction welcome first steps learn",
    ),
)
READING: tuple[Action[WholeDesk], ...] = (
    Action(
        "help",
        "&Help on this",
        "Help/find",
        lambda d: d.support.show_help(),
        "help",
        ("F1",),
        "Open the manual at the page about the panel that has the keyboard, or what is on view",
    ),
    Action(
        "manual",
        "&Manual",
        "Help/find",
        lambda d: d.support.show_help("contents.md"),
        "contents",
        tip="All pages of the manual, to read and to search; needs no network",
        also_called="documentation docs book how to",
    ),
)
SUPPORTING: tuple[Action[WholeDesk], ...] = (
    Action("log", "Show &log", "Help/support", lambda d: d.support.show_log(), "log", tip="Open the log file"),
    Action(
        "log_folder",
        "Show log &folder",
        "Help/support",
        lambda d: d.support.show_log_folder(),
        "folder",
        tip="Open the folder with the log files",
    ),
    Action(
        "diagnostics",
        "Copy &diagnostic info",
        "Help/support",
        lambda d: d.support.copy_diagnostics(),
        "copy",
        tip="Copy versions and settings for a ticket",
    ),
)

# At the end of its menu, as everywhere.
ABOUT: tuple[Action[WholeDesk], ...] = (
    Action("about", "&About Errorflow", "Help/about", lambda d: d.support.show_about(), "info"),
)
