"""Whether a language can be read here: without a font for it, its texts are empty boxes."""

from PySide6.QtGui import QFontDatabase, QFontMetrics
from PySide6.QtWidgets import QApplication

from errorflow.base.language import Language

# What Qt calls the characters of a language. A font that has all that belong to them says so.
_WRITTEN_IN = {"zh_CN": QFontDatabase.WritingSystem.SimplifiedChinese}


def can_show(language: Language) -> bool:
    """Asks the list of fonts first, which costs nothing; then whether others together have what is peculiar to it."""
    system = _WRITTEN_IN.get(language.key)
    if system is None or QFontDatabase.families(system):
        return True
    metrics = QFontMetrics(QApplication.font())
    return all(metrics.inFontUcs4(ord(sign)) for sign in language.signs)
