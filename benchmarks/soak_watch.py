"""What a process holds, looked at again and again, and whether that grows."""

import contextlib
import ctypes
import gc
import math
import os
import sys
import threading
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from PySide6.QtCore import QObject, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication, QPixmapCache
from PySide6.QtWidgets import QApplication

MEGABYTE = 1024 * 1024
# Fewer looks tell nothing.
FEWEST = 6


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that is counted, and how much of it may be gained per 1000 rounds before it counts as growing.

    What is never more than `bound` does not grow: it is kept on purpose, and fills up.
    """

    name: str
    unit: str
    most: float
    bound: float = 0.0


# Of memory, what no file is behind, and what was written to: pages of libraries are shared with whoever else has loaded
# them, and count more for those that are left when another process ends.
QUANTITIES = (
    Quantity("memory behind no file", "MB", 12.0),
    Quantity("memory written to", "MB", 12.0),
    Quantity("heap in use", "MB", 4.0),
    Quantity("blocks of Python", "", 20000.0),
    Quantity("open files", "", 1.0),
    Quantity("threads", "", 1.0),
    Quantity("processes", "", 1.0),
    Quantity("widgets", "", 20.0),
    Quantity("windows", "", 2.0),
    Quantity("objects of Qt", "", 60.0),
    Quantity("objects of Python", "", 3000.0),
    Quantity("temporary files", "", 5.0),
    # 60 thumbnails, 13 drafts, 8 bundles of about 20 files, 40 comparisons of a few, with their folders.
    Quantity("files of the app", "", 20.0, 400.0),
    Quantity("memory of the X server", "MB", 6.0),
)


class Counts:
    """What was counted at each look, kept small: who looks must not grow himself."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._looks: list[array[int]] = []

    def add(self, counted: "Counter[str]") -> int:
        """How many it was in all."""
        for name in counted:
            self._places.setdefault(name, len(self._places))
        self._looks.append(array("q", (counted[name] for name in self._places)))
        return counted.total()

    def gains(self, begin: int) -> list[tuple[float, str]]:
        """What became more from the first third of what counts to the last."""
        looks = self._looks[begin:]
        third = max(1, len(looks) // 3)

        def middle(part: list["array[int]"], place: int) -> float:
            return median(each[place] if place < len(each) else 0 for each in part)

        found = [(middle(looks[-third:], at) - middle(looks[:third], at), name) for name, at in self._places.items()]
        return sorted((gain, name) for gain, name in found if gain > 0)[::-1]


class Watch:
    """Looks at this process, its folders below `place`, and the X server of that number (0: it is not ours)."""

    def __init__(self, place: Path, server: int) -> None:
        self._place = place
        self._server = server
        self.rounds: list[int] = []
        self.seen: dict[str, list[float]] = {row.name: [] for row in QUANTITIES}
        self._types, self._kinds, self._folders = Counts(), Counts(), Counts()

    def look(self, done: int) -> None:
        gc.unfreeze()
        gc.collect()
        things = gc.get_objects()
        count = self._types.add(Counter(f"{type(each).__module__}.{type(each).__qualname__}" for each in things))
        del things
        # Now, as looking at objects of Qt makes objects of Python for them.
        kinds = self._kinds.add(_kinds_of_qt())
        qt = len(QApplication.allWidgets()), len(QGuiApplication.allWindows()), kinds
        _clear()
        memory = (*self._memory(), _heap(), sys.getallocatedblocks())
        values = (*memory, *_handles(), *qt, count, *self._files(), _server(self._server))
        self.rounds.append(done)
        for row, value in zip(QUANTITIES, values, strict=True):
            self.seen[row.name].append(value)

    def _memory(self) -> tuple[float, float]:
        return _rollup(os.getpid(), "Pss_Anon:"), _rollup(os.getpid(), "Private_Dirty:")

    def _files(self) -> tuple[int, int]:
        temporary = sum(1 for _ in (self._place / "temporary").rglob("*"))
        own = [path for name in ("state", "cache", "data", "config") for path in (self._place / name).rglob("*")]
        self._folders.add(Counter(str(path.parent.relative_to(self._place)) for path in own))
        return temporary, len(own)

    def now(self) -> str:
        """The last look in a line."""
        last = {name: values[-1] for name, values in self.seen.items()}
        return (
            f"{last['memory behind no file']:.0f} MB, heap {last['heap in use']:.1f} MB, "
            f"{last['open files']:.0f} files, {last['threads']:.0f} threads, "
            f"{last['files of the app']:.0f} files of the app, "
            f"{last['widgets']:.0f} widgets, {last['objects of Python']:.0f} objects"
        )

    def tell(self, warm_up: float, most_types: int) -> bool:
        """Prints the table; True: something grows."""
        begin = int(len(self.rounds) * warm_up)
        rounds = self.rounds[begin:]
        if len(rounds) < FEWEST:
            print("Too short to tell whether anything grows.")
            return False
        print(f"\n{'':26}{'first':>10}{'last':>10}{'highest':>10}{'per 1000 rounds':>18}   from round {rounds[0]} on")
        grown = []
        for row in QUANTITIES:
            values = self.seen[row.name][begin:]
            slope, error = _slope(rounds, values)
            grows = 1000 * slope > row.most and slope > 3 * error and _steps_up(values) and max(values) > row.bound
            grown.append(grows)
            text = f"{1000 * slope:+.1f} ± {1000 * error:.1f}"
            line = f"{values[0]:10.1f}{values[-1]:10.1f}{max(values):10.1f}{text:>18}"
            print(f"{row.name:26}{line}   {'GROWS' if grows else 'flat'} {row.unit}".rstrip())
        self._tell_types(begin, most_types)
        return any(grown)

    def _tell_types(self, begin: int, most: int) -> None:
        rows = ("objects of Python", self._types), ("objects of Qt", self._kinds), ("files", self._folders)
        for title, counts in rows:
            gains = counts.gains(begin)[:most]
            text = ", ".join(f"{name} +{gain:.0f}" for gain, name in gains)
            print(f"\nOf these {title} there are more: {text or 'none'}")


def _handles() -> tuple[int, int, int]:
    children = sum(1 for _ in _children(os.getpid()))
    return len(list(Path("/proc/self/fd").iterdir())), _threads(), children


def _threads() -> int:
    """Of the system, with those of libraries."""
    return max(threading.active_count(), len(list(Path("/proc/self/task").iterdir())))


def _children(pid: int) -> Iterator[str]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        yield from (task / "children").read_text().split()


def _clear() -> None:
    """What is only kept for later is given back: by Qt, and by the allocator, where it can be told to.

    Qt keeps scaled icons and the like up to 10 MB, which fill for an hour and would look like a leak; the app lets it.
    Of the allocator the app asks the same when its user rests. What is gone to pieces in the heap stays, and counts.
    """
    QPixmapCache.clear()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


class _Heap(ctypes.Structure):
    """What glibc says of its heap, `mallinfo2`."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def _heap() -> float:
    """MB that were asked for and not given back, of all but Python's small objects; 0 where nobody can tell."""
    try:
        ask = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError):
        return 0.0
    ask.restype = _Heap
    told = ask()
    return float(told.uordblks + told.hblkhd) / MEGABYTE


def _kinds_of_qt() -> Counter[str]:
    """All objects below a window or the application, by their class."""
    app = QApplication.instance()
    roots: list[QObject] = [*QApplication.topLevelWidgets(), *QGuiApplication.topLevelWindows()]
    found = [root for root in roots if root.parent() is None] + ([] if app is None else [app])
    lines: list[str] = []
    # As text: an object of Python for each of them would be a leak of its own.
    before = qInstallMessageHandler(lambda _kind, _context, text: lines.append(text))
    for root in found:
        root.dumpObjectTree()
    qInstallMessageHandler(before)
    return Counter(line.strip().partition("::")[0].partition(" ")[0] for text in lines for line in text.splitlines())


def _rollup(pid: int, what: str) -> float:
    """In MB; 0 if nobody may look."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024


def _server(pid: int) -> float:
    return _rollup(pid, "Private_") if pid else 0.0


def _slope(x: list[int], y: list[float]) -> tuple[float, float]:
    """The line of least squares, and the standard error of its slope."""
    middle, height = mean(x), mean(y)
    spread = sum((each - middle) ** 2 for each in x)
    slope = sum((a - middle) * (b - height) for a, b in zip(x, y, strict=True)) / spread
    rest = sum((b - height - slope * (a - middle)) ** 2 for a, b in zip(x, y, strict=True))
    return slope, math.sqrt(rest / (len(x) - 2) / spread)


def _steps_up(values: list[float]) -> bool:
    """Whether the last third is above the middle one, and that above the first: a single step up is no leak."""
    third = len(values) // 3
    first, middle, last = values[:third], values[third : 2 * third], values[2 * third :]
    return median(first) < median(middle) < median(last)
