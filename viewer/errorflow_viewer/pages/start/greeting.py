"""What somebody sees who starts the app for the first time: what it is, and one obvious thing to do."""

from functools import partial
from importlib.resources import files

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from errorflow.base.language import ENGLISH, LANGUAGES, current
from errorflow.base.sample import SAMPLES
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import DISPLAY, GAP, PADDING, RADIUS, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import font
from errorflow_viewer.pages.desk import PageDesk

# The sample that is proposed, how wide what is told of it may be, and the size in which its picture is shown.
SAMPLE = SAMPLES[0]
STORY = 480
PICTURE = QSize(312, 196)


def is_first_start(settings: Settings) -> bool:
    """Whether no window of this user has ever been closed, and nothing was ever opened."""
    return settings.geometry.isEmpty() and not settings.recents


class Greeting(QWidget):
    """One sentence, the sample, the tour, and in which language."""

    def __init__(self, desk: PageDesk) -> None:
        super().__init__()
        self._desk = desk
        self.setAccessibleName("Welcome")
        box = spaced(QVBoxLayout(self), GAP)
        box.addLayout(self._head())
        box.addWidget(self._sheet())
        desk.appearance.changed.connect(self.picture.set_theme)
        desk.speech.chosen.connect(self._mark_language)
        self._mark_language()
        self.setFocusProxy(self.open_button)

    def _head(self) -> QHBoxLayout:
        mark = QLabel()
        mark.setPixmap(icons.app_icon().pixmap(px(48), px(48)))
        mark.setAccessibleName("Errorflow")
        title = QLabel("Welcome to Errorflow")
        title.setFont(font(DISPLAY, strong=True))
        said = text_label(
            "See where a converted or quantized neural network goes wrong: at which operator, and why.",
            muted=True,
            wraps=True,
        )
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(title)
        words.addWidget(said)
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        head.addLayout(self._languages())
        return head

    def _languages(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(GAP)
        self.languages = {language.key: QPushButton(language.name) for language in LANGUAGES}
        for key, button in self.languages.items():
            button.setProperty("link", True)
            button.clicked.connect(partial(self._desk.speech.choose, key))
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _mark_language(self) -> None:
        """The one that is spoken is no way to anywhere, unless it stands in for another one that was chosen."""
        is_english = current() is ENGLISH
        for language in LANGUAGES:
            button = self.languages[language.key]
            button.setEnabled(language.key != current().key or self._desk.speech.unreadable is not None)
            # Where no font has its characters, its own name is boxes.
            button.setToolTip(language.in_english if is_english else "")

    def _sheet(self) -> QFrame:
        self.picture = SamplePicture(self._desk.appearance.theme)
        title = text_label("Begin with a broken network", role="title")
        story = QLabel(
            "Int8 ruins this digit classifier: 98 % of its answers are right in float, 9 % in int8. "
            "One of its 31 operators is to blame. The graph shows which."
        )
        story.setWordWrap(True)
        story.setMaximumWidth(STORY)
        self.open_button = text_button("Open the sample", lambda: self._desk.open(SAMPLE.model))
        self.open_button.setProperty("primary", True)
        self.open_button.setMinimumHeight(32)
        self.tour_button = text_button(
            "Take the two-minute tour",
            lambda: self._desk.commands.run("tour"),
            "Eight steps in this window, on the sample; it can be left at any of them",
        )
        self.tour_button.setMinimumHeight(32)
        buttons = QHBoxLayout()
        buttons.setSpacing(PADDING)
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.tour_button)
        buttons.addStretch(1)
        words = spaced(QVBoxLayout(), PADDING, (GAP + 4, GAP, GAP + 4, GAP))
        words.addStretch(1)
        for part in (title, story):
            words.addWidget(part)
        words.addSpacing(GAP)
        words.addLayout(buttons)
        words.addStretch(1)
        sheet = QFrame()
        sheet.setProperty("role", "sheet")
        row = spaced(QHBoxLayout(sheet), 0, (1, 1, 1, 1))
        row.addWidget(self.picture)
        row.addLayout(words, 1)
        return sheet


class SamplePicture(QWidget):
    """The sample as it will look; made beforehand."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._image = _image(theme)
        self.setMinimumSize(PICTURE.width() // 2, PICTURE.height())
        self.setMaximumWidth(PICTURE.width())
        self.setAccessibleName("The sample, painted by its error")

    def sizeHint(self) -> QSize:
        return PICTURE

    def set_theme(self, theme: Theme) -> None:
        self._theme, self._image = theme, _image(theme)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        path = QPainterPath()
        path.addRoundedRect(QRectF(self.rect()).adjusted(0, 0, RADIUS, 0), RADIUS - 1, RADIUS - 1)
        painter.setClipPath(path)
        painter.fillRect(self.rect(), QColor(self._theme.canvas))
        scale = min(self.width() / self._image.width(), self.height() / self._image.height())
        width, height = self._image.width() * scale, self._image.height() * scale
        left, top = (self.width() - width) / 2, (self.height() - height) / 2
        painter.drawImage(QRectF(left, top, width, height), self._image)
        painter.fillRect(QRectF(self.width() - 1, 0, 1, self.height()), QColor(self._theme.hairline))


def _image(theme: Theme) -> QImage:
    file = files("errorflow_resources") / "start" / f"{SAMPLE.key}-{theme.name}.png"
    return QImage.fromData(file.read_bytes())
