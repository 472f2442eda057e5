"""What makes the many imports of a start cheap. Called before what a window needs is loaded."""

import sys

from errorflow.base import late_methods


def hasten() -> None:
    late_methods.install()
    _leave_sources_unread()


def _leave_sources_unread() -> None:
    """PySide reads the source of each module that is imported after it, as it might choose other names for Qt's methods
    (`from __feature__ import …`). None of ours does; a bundle has no sources, and goes without as well.
    """
    import PySide6.QtCore  # noqa: F401  # brings what is mended

    feature = sys.modules.get("shibokensupport.feature")
    if feature is not None and hasattr(feature, "_mod_uses_pyside"):
        vars(feature)["_mod_uses_pyside"] = lambda _: False
