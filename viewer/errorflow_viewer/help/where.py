"""Page of the manual about what one looks at."""

from PySide6.QtWidgets import QApplication, QWidget

# What a widget says its page is; what lies in it says nothing, or something closer.
HELP = "help"
# Of the graph, and of all that has no page of its own.
GRAPH = "how-to/read-the-graph.md"


def page_for(widget: QWidget | None) -> tuple[str, str]:
    """Path and heading, of the widget or of what it lies in."""
    while widget is not None:
        named = widget.property(HELP)
        if isinstance(named, str) and named:
            path, _, heading = named.partition("#")
            return path, heading
        widget = widget.parentWidget()
    return GRAPH, ""


def page_with_keyboard(on_view: QWidget) -> tuple[str, str]:
    """Finds the page of the panel that has the keyboard, else of the page on view."""
    focused = QApplication.focusWidget()
    return page_for(on_view if focused is None or not on_view.window().isAncestorOf(focused) else focused)
