"""Every setting, in the order of the page. To add one: a row here, and an entrance in `settings`."""

from collections.abc import Sequence
from typing import cast

from errorflow.base.allowance import CACHE, CORES, LEAST_MEMORY, MEMORY, machine_memory, processors
from errorflow.base.language import LANGUAGES
from errorflow.case.session.model import PALETTES, Painting, Palette
from errorflow_viewer.canvas.error_actions import PALETTE_WORDS
from errorflow_viewer.kit import caches
from errorflow_viewer.kit.settings import TEXT_SIZES, MotionChoice, ThemeChoice
from errorflow_viewer.kit.taking_effect import automatic_cores, automatic_memory, said_outside, take_effect
from errorflow_viewer.pages.desk import PageDesk
from errorflow_viewer.pages.settings import menu_entry
from errorflow_viewer.pages.settings.extras import KeptTable, PaletteStrip, button_for
from errorflow_viewer.pages.settings.in_menu import InMenu
from errorflow_viewer.pages.settings.model import Other, Row, Setting, Value
from errorflow_viewer.pages.settings.sizes import size_text

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
