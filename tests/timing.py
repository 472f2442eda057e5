"""How long tests take: the time that is left is told before they start, and a quick run is chosen from recorded times.

`python tests/timing.py FILE.xml …` records the times anew, from JUnit reports: of a whole run, or of what has changed.
"""

import json
import os
import sys
import xml.etree.ElementTree as Xml
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RECORDED = Path(__file__).with_name("times.json")
# Seconds of processor time that a quick run has for its tests: two minutes on two cores, without what starting takes.
QUICK = 140.0


@dataclass(frozen=True, slots=True)
class Times:
    """Of a file: how many tests it has, and the seconds that they take one after another."""

    tests: int
    seconds: float

    @property
    def each(self) -> float:
        return self.seconds / max(self.tests, 1)


def recorded(path: Path = RECORDED) -> Mapping[str, Times]:
    return {name: Times(*times) for name, times in json.loads(path.read_text(encoding="utf-8")).items()}


def room_of(name: str) -> str:
    """The folder whose tests a file holds: of core and viewer, and of others the first one."""
    folders = Path(name).parts[1:-1]
    return "/".join(folders[:2] if folders[:1] in (("core",), ("viewer",)) else folders[:1])


def quick(times: Mapping[str, Times], budget: float = QUICK) -> frozenset[str]:
    """Of every room the file with the quickest tests, then as many of the others as there is time for."""
    order = sorted(times, key=lambda name: (times[name].each, name))
    first = list({room_of(name): name for name in reversed(order)}.values())
    chosen, left = set(first), budget - sum(times[name].seconds for name in first)
    for name in order:
        if name not in chosen and times[name].seconds <= left:
            chosen.add(name)
            left -= times[name].seconds
    return frozenset(chosen)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="some tests of every room, chosen from the recorded times")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file that a quick run leaves out is not even read."""
    if not config.getoption("--quick") or collection_path.suffix != ".py":
        return None
    return None if _name(collection_path) in quick(recorded()) else True


def pytest_report_header(config: pytest.Config) -> str | None:
    """On the process that hands the tests out; who wants one file only is not told."""
    if hasattr(config, "workerinput") or not RECORDED.exists():
        return None
    times = recorded()
    wanted = [times[name] for name in (quick(times) if config.getoption("--quick") else _asked(config, times))]
    if not wanted:
        return None
    processes = config.getoption("numprocesses", None) or 1
    minutes = sum(each.seconds for each in wanted) / processes / 60
    count = sum(each.tests for each in wanted)
    return f"about {count:,} tests and {max(minutes, 0.1):.1f} minutes on {processes} of {os.cpu_count()} cores"


def _asked(config: pytest.Config, times: Mapping[str, Times]) -> Iterator[str]:
    """The files among and below the paths of the call."""
    paths = [_name(Path(str(argument).split("::")[0])) for argument in config.args]
    return (name for name in times if any(Path(name).is_relative_to(path) for path in paths))


def _name(path: Path) -> str:
    whole = path.absolute()
    return whole.relative_to(ROOT).as_posix() if whole.is_relative_to(ROOT) else whole.as_posix()


def read_times(reports: Iterable[Path]) -> dict[str, Times]:
    """By file, what JUnit reports say of their tests."""
    found: dict[str, list[float]] = defaultdict(list)
    for report in reports:
        for case in Xml.parse(report).iter("testcase"):
            if case.find("skipped") is None and (name := _file_of(case.get("classname", ""))):
                found[name].append(float(case.get("time", "0")))
    return {name: Times(len(each), round(sum(each), 2)) for name, each in sorted(found.items())}


def _file_of(module: str) -> str:
    """A class in a file adds its name to that of the module."""
    parts = module.split(".")
    names = ("/".join(parts[:count]) + ".py" for count in range(len(parts), 1, -1))
    return next((name for name in names if (ROOT / name).is_file()), "")


def main(*reports: str) -> None:
    there = {name: each for name, each in recorded().items() if (ROOT / name).is_file()}
    times = dict(sorted((there | read_times(map(Path, reports))).items()))
    rows = (f"{json.dumps(name)}: [{each.tests}, {each.seconds}]" for name, each in times.items())
    RECORDED.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    sys.stdout.write(f"{len(times)} files, {sum(each.seconds for each in times.values()):.0f} s in all\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
