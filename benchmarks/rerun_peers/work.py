"""What every side gets to do, and what it took. It runs in the environments of others too, and needs numpy only."""

import json
import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
# What is quantized alone: tensors with what they hold: "activation", "weight" with one scale, "weights" with a scale
# per channel, "bias".
Unit = dict[str, str]
# In decibels; what is equal to the bit counts as much.
EQUAL = 200.0
_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TOLD = 160
# Seconds for one part.
_LIMIT = 60


@dataclass(frozen=True, slots=True)
class Work:
    """The same for all."""

    model: str
    # A folder with 0.npy, 1.npy and so on, and the input that they are for.
    data: str
    input: str
    images: int
    calibration_images: int
    # By side the units that it ranks, for ours to rank too.
    units: Mapping[str, Mapping[str, Unit]] = field(default_factory=dict)
    # And the ranges that it has for activations, where they are its own.
    ranges: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)

    def arrays(self, count: int) -> list[Array]:
        return [np.load(Path(self.data) / f"{number}.npy") for number in range(count)]

    def samples(self, count: int) -> list[dict[str, Array]]:
        return [{self.input: array} for array in self.arrays(count)]

    @property
    def text(self) -> str:
        return json.dumps({name: getattr(self, name) for name in self.__dataclass_fields__})


@dataclass(slots=True)
class Meter:
    """CPU and wall seconds of each part, and its peak memory above what was there when the libraries were loaded."""

    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    base: int = field(default_factory=lambda: _resident(os.getpid()))

    def take(self, name: str, work: Callable[[], Any], *, times: int | None = None, note: str = "") -> Any:
        """What `work` gives. Seconds are told for one of `times`; None: of as many as what it gives has."""
        for process in (os.getpid(), *children()):
            _forget_peak(process)
        cpu, wall = spent(), time.perf_counter()
        try:
            found = _limited(work)
        except Exception as error:  # noqa: BLE001 - one part that a tool cannot do is told, and the others go on
            text = " ".join(str(error).split())[:_TOLD]
            self.rows[name] = {"failed": f"{type(error).__name__}: {text}"}
            return None
        number = max(len(found) if times is None else times, 1)
        took = (spent() - cpu) / number, (time.perf_counter() - wall) / number
        peak = max(_peak(process) for process in (os.getpid(), *children()))
        self.rows[name] = {"cpu": took[0], "wall": took[1], "memory": max(0, peak - self.base), "note": note}
        return found


def _limited(work: Callable[[], Any]) -> Any:
    def stop(*_: object) -> None:
        raise TimeoutError(f"more than {_LIMIT} s of CPU")

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, _LIMIT)
    try:
        return work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def spent() -> float:
    """CPU seconds of this process and all that it started."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + usage.ru_utime + usage.ru_stime + sum(_seconds(process) for process in children())


def children() -> list[int]:
    """Those that run, and theirs."""
    found = [os.getpid()]
    for process in found:
        for file in Path(f"/proc/{process}/task").glob("*/children"):
            found += [int(word) for word in _read(file).split()]
    return found[1:]


def _seconds(process: int) -> float:
    words = _read(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return sum(int(word) for word in words[11:15]) / _TICK if words else 0.0


def _resident(process: int) -> int:
    return int(_read(Path(f"/proc/{process}/statm")).split()[1]) * _PAGE


def _peak(process: int) -> int:
    lines = _read(Path(f"/proc/{process}/status")).splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def _forget_peak(process: int) -> None:
    try:
        Path(f"/proc/{process}/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def sqnr(golden: Iterable[Array], mine: Iterable[Array]) -> float:
    """In decibels, of the worst of the outputs."""
    found = [EQUAL]
    for one, other in zip(golden, mine, strict=True):
        r, d = np.asarray(one, np.float64).ravel(), np.asarray(other, np.float64).ravel()
        noise, power = float(np.square(d - r).sum()), float(np.square(r).sum())
        if noise:
            found.append(10 * np.log10(power / noise) if power else -EQUAL)
    return float(min(found))


def spread(names: Sequence[str], count: int) -> list[str]:
    """So many of them, evenly."""
    return list(names[:: max(1, len(names) // count)][:count]) if names else []
