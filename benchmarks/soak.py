"""A long working day, over and over: python benchmarks/soak.py --minutes 10 | --hours 2 [--xvfb] [--only TASK …]

The real window opens models of several kinds, compares, simulates, switches nodes and runs again, undoes, exports,
saves and opens sessions, shows panels and pages, changes theme and language: thousands of rounds, each one task, done
by the commands that a user has. Every few rounds the model is closed and what the process holds is looked at: memory,
handles, threads, children, widgets, Python objects, temporary files, and the memory of the X server if it is ours.

Printed is how much of each is gained per 1000 rounds once it has warmed up. The end is 1 if something grows.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

# A home of its own, before Qt asks for it.
PLACE = Path(os.environ.get("ERRORFLOW_SOAK_PLACE") or tempfile.mkdtemp(prefix="soak-"))
XVFB = "ERRORFLOW_SOAK_XVFB"
# What is looked at after so many rounds, and which part of all does not count as it only warms up.
EVERY, WARM_UP = 20, 0.4


def _make_home() -> None:
    os.environ["ERRORFLOW_SOAK_PLACE"] = str(PLACE)  # for processes that are started from this one
    names = {"HOME": "", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache"}
    for variable, name in {**names, "XDG_DATA_HOME": "data", "XDG_RUNTIME_DIR": "run", "TMPDIR": "temporary"}.items():
        folder = PLACE / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.environ[variable] = str(folder)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("ERRORFLOW_LANGUAGE", "en")


if __name__ == "__main__":
    _make_home()

from PySide6.QtCore import QCoreApplication, QSettings, Qt, qInstallMessageHandler  # noqa: E402 - the home comes first
from soak_person import WEIGHTS, Person  # noqa: E402 - likewise
from soak_watch import Watch  # noqa: E402 - likewise

from errorflow_viewer.app.crash import CrashReporter  # noqa: E402 - likewise
from errorflow_viewer.app.running import Application  # noqa: E402 - likewise
from errorflow_viewer.kit.settings import Settings  # noqa: E402 - likewise
from errorflow_viewer.kit.style import Appearance  # noqa: E402 - likewise
from errorflow_viewer.window.window import MainWindow  # noqa: E402 - likewise


def soak(options: argparse.Namespace) -> int:
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    # The screen that is none tells of each window what it cannot do, ten thousand times.
    qInstallMessageHandler(lambda _kind, _context, text: None if "plugin does not" in text else print(text, flush=True))
    app = Application(sys.argv[:1])
    reporter = CrashReporter(lambda: "")
    reporter.install()
    settings = Settings(QSettings(str(PLACE / "settings.ini"), QSettings.Format.IniFormat))
    settings.switch("still", True)
    window = MainWindow(settings, Appearance(app, "light"), PLACE / "state" / "errorflow.log")
    window.resize(1400, 900)
    window.show()
    window.panels.make_all()
    person = Person(window, options.seed, PLACE / "work")
    names = options.only or list(person.tasks)
    watch = Watch(PLACE, int(os.environ.get(XVFB, "0")))
    done, counts = _work(person, names, watch, options, reporter)
    window.close()
    print(f"\n{done} rounds: {', '.join(f'{name} {count}' for name, count in sorted(counts.items()))}")
    reporter.remove()
    grows = watch.tell(WARM_UP, options.types)
    if reporter.last:
        print(f"\nAn error came up:\n{reporter.last}")
    return 1 if grows or reporter.last else 0


def _work(
    person: Person, names: list[str], watch: Watch, options: argparse.Namespace, reporter: CrashReporter
) -> tuple[int, "Counter[str]"]:
    start, done, counts = time.monotonic(), 0, Counter[str]()
    seconds = 60 * options.minutes + 3600 * options.hours
    weights = [WEIGHTS.get(name, 1.0) for name in names]
    said = start
    while time.monotonic() - start < seconds and (not options.rounds or done < options.rounds):
        # All once and again at first: what is made at the first time is no leak.
        name = names[done % len(names)] if done < 2 * len(names) else person.random.choices(names, weights)[0]
        person.tasks[name]()
        person.settle()
        counts[name] += 1
        done += 1
        if reporter.last:
            break
        if done % options.every == 0:
            person.rest()
            watch.look(done)
            if time.monotonic() - said > 30:
                said = time.monotonic()
                print(f"{(said - start) / 60:6.1f} min, {done} rounds: {watch.now()}", flush=True)
    return done, counts


def _under_xvfb(arguments: list[str]) -> int:
    """The same on a screen of its own, whose memory is looked at as well."""
    reader, writer = os.pipe()
    screen = ["-screen", "0", "1600x1200x24", "-nolisten", "tcp", "-displayfd", str(writer)]
    server = subprocess.Popen(["Xvfb", *screen], pass_fds=(writer,), stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        number = os.fdopen(reader).readline().strip()
        display = {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb", XVFB: str(server.pid)}
        rest = [each for each in arguments if each != "--xvfb"]
        return subprocess.run([sys.executable, __file__, *rest], env={**os.environ, **display}, check=False).returncode
    finally:
        server.terminate()
        server.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--hours", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=0, help="end after so many")
    parser.add_argument("--every", type=int, default=EVERY, help="look after so many rounds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", metavar="TASK", help="these tasks alone")
    parser.add_argument("--types", type=int, default=8, help="tell so many types of objects that became more")
    parser.add_argument("--xvfb", action="store_true", help="on a screen of its own instead of none")
    options = parser.parse_args()
    if not options.minutes and not options.hours:
        options.minutes = 10.0
    try:
        return _under_xvfb(sys.argv[1:]) if options.xvfb else soak(options)
    finally:
        shutil.rmtree(PLACE, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
