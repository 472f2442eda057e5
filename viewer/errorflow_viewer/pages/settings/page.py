"""The settings in sections that can be searched; a list of the sections leads to each."""

from collections.abc import Sequence
from functools import partial
from typing import cast

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from errorflow.base.allowance import CACHE, CORES, LEAST_MEMORY, MEMORY, machine_memory, processors
from errorflow.base.language import LANGUAGES
from errorflow.case.session.model import PALETTES, Painting, Palette
from errorflow_viewer.canvas.error_actions import PALETTE_WORDS
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit import caches
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.layouts import (
    in_the_middle,
    page_foot,
    page_head,
    scrolled,
    search_field,
    spaced,
    text_button,
    text_label,
)
from errorflow_viewer.kit.look import DISPLAY, GAP, GRID, PADDING
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.settings import TEXT_SIZES, MotionChoice, ThemeChoice
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.taking_effect import automatic_cores, automatic_memory, said_outside, take_effect
from errorflow_viewer.pages.desk import PageDesk
from errorflow_viewer.pages.settings import menu_entry
from errorflow_viewer.pages.settings.extras import KeptTable, PaletteStrip, button_for
from errorflow_viewer.pages.settings.row import Other, Row, RowBox, Setting, Value, size_text

WIDTH, SIDE = 860, 160
# Of the page, in px: with less, the list of sections gives way.
ROOMY = 760


class SettingsSection(QWidget):
    """Rows below a heading."""

    def __init__(self, name: str, rows: Sequence[RowBox]) -> None:
        super().__init__()
        self.rows = rows
        self.heading = text_label(name, role="title")
        box = spaced(QVBoxLayout(self), 0, (0, 0, 0, GAP))
        box.addWidget(self.heading)
        box.addSpacing(GRID)
        for row in rows:
            box.addWidget(row)

    def narrow(self, words: list[str]) -> int:
        """Shows the rows with all the words, and says how many there are."""
        found = [row for row in self.rows if row.matches(words)]
        for row in self.rows:
            row.setVisible(row in found)
        self.setVisible(bool(found))
        return len(found)


class SettingsPage(QWidget):
    """Page of settings in place of the graph."""

    left = Signal()

    def __init__(self, desk: PageDesk) -> None:
        super().__init__()
        self.setProperty(HELP, "how-to/settings.md")
        self.setAccessibleName("Settings")
        self.setAutoFillBackground(True)
        self._desk = desk
        self.rows = {row.key: RowBox(row, desk) for row in ROWS if getattr(row, "wanted", lambda _: True)(desk)}
        self.sections = {name: self._section(name) for name in SECTIONS}
        self._before: dict[str, Value] = {}
        self.nothing = text_label("No setting matches.", muted=True)
        self.area = self._make_area()
        self.side = self._make_side()
        middle = spaced(QHBoxLayout())
        middle.addWidget(self.side)
        middle.addWidget(self.area, 1)
        column = QWidget()
        column.setMaximumWidth(WIDTH + SIDE)
        inside = spaced(QVBoxLayout(column))
        inside.addWidget(self._make_head())
        inside.addLayout(middle, 1)
        box = spaced(QVBoxLayout(self))
        box.addLayout(in_the_middle(column), 1)
        box.addWidget(self._make_foot())
        for row in self.rows.values():
            row.changed.connect(self._on_row)
        desk.appearance.changed.connect(self._on_theme)
        self._search("")

    def _section(self, name: str) -> SettingsSection:
        return SettingsSection(name, [row for row in self.rows.values() if row.row.section == name])

    # How it is laid out

    def _make_head(self) -> QFrame:
        title = QLabel("Settings")
        title.setFont(font(DISPLAY, strong=True))
        self.search = search_field("Search settings", "Search settings")
        self.search.textChanged.connect(self._search)
        self.setFocusProxy(self.search)  # whoever shows the page gives it the keyboard
        self.all = text_button(
            "Reset all", self._reset_all, "Give every setting of this page its default; keys have a page of their own"
        )
        head = page_head(title, self.search, self.all)
        head.setContentsMargins(GAP, GAP, GAP, GAP)
        return head

    def _make_area(self) -> QScrollArea:
        column = QWidget()
        column.setMaximumWidth(WIDTH)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        inside = spaced(QVBoxLayout(column), GAP, (GAP, 0, GAP, GAP * 2))
        for section in self.sections.values():
            inside.addWidget(section)
        inside.addWidget(self.nothing)
        inside.addStretch(1)
        area = scrolled(column)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    def _make_side(self) -> QWidget:
        side = QWidget()
        side.setFixedWidth(SIDE)
        box = spaced(QVBoxLayout(side), 2, (GAP - GRID, 0, 0, GAP))
        self.leads: dict[str, QPushButton] = {}
        for name in SECTIONS:
            lead = self.leads[name] = QPushButton(name)
            lead.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            lead.setProperty("role", "lead")
            lead.clicked.connect(partial(self.show_section, name))
            box.addWidget(lead)
        box.addStretch(1)
        return side

    def _make_foot(self) -> QWidget:
        self.place = Elided(Qt.TextElideMode.ElideMiddle)
        self.place.setProperty("muted", True)
        self.back = text_button("Back", lambda: self.left.emit(), "Show what was on view before (Esc)")
        return page_foot(WIDTH + SIDE, self.place, self.back)

    # What it does

    def show_section(self, name: str, _checked: bool = False) -> None:
        self.search.clear()
        QTimer.singleShot(0, self, lambda: self._scroll_to(name))

    def _scroll_to(self, name: str) -> None:
        inside = self.area.widget()
        assert inside is not None, "the sections"
        self.area.verticalScrollBar().setValue(self.sections[name].mapTo(inside, QPoint()).y())
        first = next((row.control for row in self.sections[name].rows if row.control is not None), None)
        if first is not None:
            first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _search(self, text: str) -> None:
        words = text.lower().split()
        counts = {name: section.narrow(words) for name, section in self.sections.items()}
        for name, lead in self.leads.items() if hasattr(self, "leads") else ():
            lead.setEnabled(counts[name] > 0)
        self.nothing.setVisible(not any(counts.values()))

    def _on_row(self) -> None:
        self._before = {}
        self.refresh()

    def _on_theme(self, _theme: object) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Refreshes by the settings, which menus change as well."""
        for row in self.rows.values():
            row.refresh()
        changed = any(row.is_changed for row in self.rows.values())
        self.all.setEnabled(changed or bool(self._before))
        self.all.setText("Undo reset" if self._before else "Reset all")
        settings = self._desk.settings
        place = settings.place
        said = f"Kept in {place}" if settings.is_kept else f"Not kept: {place} cannot be written"
        self.place.show_text(said)
        self.place.setToolTip(place)

    def _reset_all(self) -> None:
        """Or takes that back, as long as nothing else was set since."""
        before = self._before
        changed = {key: row.value for key, row in self.rows.items() if row.is_changed and row.value is not None}
        for key, row in self.rows.items():
            if before and key in before:
                row.take(before[key])
            elif not before:
                row.go_back()
        self._before = {} if before else changed
        self.refresh()

    # Events

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        table = self.rows["kept"].extra
        if isinstance(table, KeptTable):
            table.count()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.side.setVisible(self.width() >= px(ROOMY))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.search.text():
            self.search.clear()
        else:
            self.left.emit()


APPEARANCE, MACHINE, FILES, KEYBOARD, PRIVACY = "Appearance", "Performance", "Files", "Keyboard", "Privacy"
SECTIONS = (APPEARANCE, MACHINE, FILES, KEYBOARD, PRIVACY)
# Of the machine's memory, the most that can be chosen here.
_MOST_SHARE = 2


def _themes(_: PageDesk) -> Sequence[tuple[str, Value]]:
    return (("As the system has it", "system"), ("Light", "light"), ("Dark", "dark"))


def _languages(_: PageDesk) -> Sequence[tuple[str, Value]]:
    return (("Language of the system", "system"), *((each.name, each.key) for each in LANGUAGES))


def _palettes(_: PageDesk) -> Sequence[tuple[str, Value]]:
    return tuple((PALETTE_WORDS[each][0], each) for each in PALETTES)


def _text_sizes(_: PageDesk) -> Sequence[tuple[str, Value]]:
    return tuple((f"{size} %", size) for size in TEXT_SIZES)


def _motions(_: PageDesk) -> Sequence[tuple[str, Value]]:
    return (("As the system has it", "system"), ("Reduced", "on"), ("Full", "off"))


def _cores(desk: PageDesk) -> Sequence[tuple[str, Value]]:
    most = max(processors(), desk.settings.cores)
    automatic = automatic_cores()
    return ((f"Automatic ({automatic})", 0), *((str(count), count) for count in range(1, most + 1)))


def _memories(desk: PageDesk) -> Sequence[tuple[str, Value]]:
    least, most = LEAST_MEMORY >> 20, (machine_memory() or 8 << 30) // _MOST_SHARE >> 20
    sizes = {size for size in (least << step for step in range(20)) if 2 * least <= size <= most}
    sizes |= {desk.settings.memory} - {0}
    automatic = size_text(automatic_memory())
    return ((f"Automatic ({automatic})", 0), *((size_text(size << 20), size) for size in sorted(sizes)))


def _give_theme(desk: PageDesk, value: Value) -> None:
    desk.set_theme(cast(ThemeChoice, value))


def _give_palette(desk: PageDesk, value: Value) -> None:
    desk.settings.palette = cast(Palette, value)


def _give_text_size(desk: PageDesk, value: Value) -> None:
    desk.settings.text_size = int(value)
    desk.appearance.set_text_size(int(value))


def _give_motion(desk: PageDesk, value: Value) -> None:
    desk.settings.reduced_motion = cast(MotionChoice, value)
    desk.switches.apply()


def _give_cores(desk: PageDesk, value: Value) -> None:
    desk.settings.cores = int(value)
    take_effect(desk.settings)


def _give_memory(desk: PageDesk, value: Value) -> None:
    desk.settings.memory = int(value)
    take_effect(desk.settings)


def _give_cache(desk: PageDesk, value: Value) -> None:
    desk.settings.cache = str(value)
    take_effect(desk.settings)


def _give_reopening(desk: PageDesk, value: Value) -> None:
    desk.settings.reopens = bool(value)


def _give_recents(desk: PageDesk, value: Value) -> None:
    desk.settings.keeps_recents = bool(value)


def _held(name: str) -> str:
    said = said_outside(name)
    return f"The environment says {said} ({name}), which counts more than what is set here." if said else ""


def _clears_recents(desk: PageDesk) -> None:
    desk.recents.clear()
    desk.say("Recent files are forgotten")


THERE, ADD, REMOVE = "Is in the menu", "Add to menu", "Remove"
# Said where the button would have no effect.
OF_PACKAGE = "Is in the menu for all users; the package that brought Errorflow takes it out when it is removed."


class InMenu(QWidget):
    """Asks anew when it is seen, and when something was done about it, here or from the menu Help."""

    def __init__(self, desk: PageDesk) -> None:
        super().__init__()
        self._desk = desk
        self._at_work = False
        self.state = text_label(THERE, muted=True)
        self.button = text_button("", self._press)
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row = spaced(QHBoxLayout(self), PADDING)
        row.addWidget(self.state)
        row.addWidget(self.button)
        desk.jobs.changed.connect(self._on_jobs)
        self.refresh()

    @property
    def is_own(self) -> bool:
        """Whether there is an entry for this user, which can be taken out here."""
        return menu_entry.can_remove(self._desk)

    def refresh(self) -> None:
        own = self.is_own
        of_package = not menu_entry.can_add(self._desk)
        self.state.setVisible(own or of_package)
        self.state.setToolTip("" if own else OF_PACKAGE)
        self.button.setText(REMOVE if own else ADD)
        self.button.setAccessibleName("Remove Errorflow from the menu" if own else "Add Errorflow to the menu")
        self.button.setVisible(own or not of_package)
        self.button.setEnabled(not self._desk.jobs.running(menu_entry.KEY))

    def _press(self) -> None:
        if self.is_own:
            menu_entry.remove(self._desk)
        else:
            menu_entry.add(self._desk)
        self.refresh()

    def _on_jobs(self, _steps: object) -> None:
        """Files are looked at for it: not with each step of any job."""
        at_work = self._desk.jobs.running(menu_entry.KEY)
        if at_work != self._at_work and self.isVisible():
            self.refresh()
        self._at_work = at_work

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()


ROWS: tuple[Row, ...] = (
    Setting(
        "theme",
        APPEARANCE,
        "Theme",
        "Light or dark; as the system has it, it follows when the system changes.",
        lambda d: d.settings.theme,
        _give_theme,
        "system",
        _themes,
        also_called="dark light night mode color colour",
    ),
    Setting(
        "language",
        APPEARANCE,
        "Language",
        "Of the window and of the reports that are made here. Names in models and files stay as they are.",
        lambda d: d.speech.choice,
        lambda d, value: d.speech.choose(str(value)),
        "system",
        _languages,
        also_called="translation chinese 语言 中文 简体中文",
    ),
    Setting(
        "palette",
        APPEARANCE,
        "Colours of error",
        "For sessions that are new; a session keeps its own. All can be read by lightness alone, whatever eyes see.",
        lambda d: d.settings.palette,
        _give_palette,
        Painting().palette,
        _palettes,
        also_called="palette colors ember blue orange heat map",
        beside=PaletteStrip,
    ),
    Setting(
        "text",
        APPEARANCE,
        "Text size",
        "Of panels, tables and menus. The text in the graph grows with the graph.",
        lambda d: d.settings.text_size,
        _give_text_size,
        100,
        _text_sizes,
        also_called="font size zoom scale larger smaller",
    ),
    Setting(
        "motion",
        APPEARANCE,
        "Motion",
        "Reduced, the picture jumps where it would glide.",
        lambda d: d.settings.reduced_motion,
        _give_motion,
        "system",
        _motions,
        also_called="animation reduced motion accessibility",
    ),
    Setting(
        "cores",
        MACHINE,
        "Processors",
        "How many may compare, simulate and rank at a time. It counts from the next piece of work on.",
        lambda d: d.settings.cores,
        _give_cores,
        0,
        _cores,
        also_called="cores cpu threads processes parallel workers",
        held=lambda _: _held(CORES),
    ),
    Setting(
        "memory",
        MACHINE,
        "Memory for tensors",
        "What a comparison holds at a time, and what a simulation keeps so that a rerun is quick. It counts from the "
        "next piece of work on.",
        lambda d: d.settings.memory,
        _give_memory,
        0,
        _memories,
        also_called="memory ram budget cache limit",
        held=lambda _: _held(MEMORY),
    ),
    Setting(
        "reopen",
        FILES,
        "Reopen the last model at start",
        "With what was selected and seen of it. One that brought the app down is not opened again.",
        lambda d: d.settings.reopens,
        _give_reopening,
        True,
        also_called="session restore start",
    ),
    Setting(
        "recents",
        FILES,
        "Remember recent files",
        "For the start page and the menu File.",
        lambda d: d.settings.keeps_recents,
        _give_recents,
        True,
        also_called="history recently opened privacy",
        beside=lambda d: button_for("Clear recent files", lambda: _clears_recents(d)),
    ),
    Setting(
        "cache",
        FILES,
        "Cache folder",
        "For what can be made again. What lies in the old folder stays there until it is cleared.",
        lambda d: d.settings.cache,
        _give_cache,
        "",
        folder=lambda _: str(caches.cache_root()),
        also_called="cache disk temporary directory",
        held=lambda _: _held(CACHE),
    ),
    Other(
        "kept",
        FILES,
        "What is kept",
        "All of it can be made again. What is in use stays; your models, runs and sessions are never touched.",
        KeptTable,
        also_called="cache clear free space disk size thumbnails digests",
    ),
    Other(
        "menu",
        FILES,
        "Menu of the system",
        "Puts Errorflow into the menu, and lets the file manager open models and sessions with it.",
        InMenu,
        also_called="file association desktop entry double click launcher",
        wanted=lambda _: menu_entry.is_possible(),
    ),
    Other(
        "keys",
        KEYBOARD,
        "Keys",
        "Every command with its keys: search them, change them, print them.",
        lambda d: button_for("Change keys…", lambda: d.commands.run("shortcuts")),
        also_called="keyboard shortcuts hotkeys bindings",
    ),
    Other(
        "private",
        PRIVACY,
        "Nothing leaves this machine",
        "Errorflow opens no network connection. It sends no usage data, asks for no updates and needs no account. "
        "Models, tensors and sessions stay where they are; a ticket bundle says what it takes along before it is made.",
        also_called="telemetry network update tracking usage data",
    ),
)
