"""Our layout and others on the same graphs in the same run: `python benchmarks/layout_peers.py [--only NAME …]`.

    --install    first puts the peers into a folder of their own (--peers DIR), which is outside of this one

Engines: Graphviz dot, dagre, elkjs, igraph, fast-sugiyama. Each graph is laid out by each of them in a process of its
own, with the same boxes and gaps, within a time and memory limit. What the columns mean is in docs/benchmarks.md.
"""

import argparse
import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from fnmatch import fnmatch
from pathlib import Path
from statistics import median_low
from typing import Any

from drawing_quality.bands import TooManyError
from drawing_quality.quality import overlaps
from peers import graphs
from peers.engines import ENGINES, Engine, Limits, allow_deep_recursion, install, run
from peers.joined import unjoined
from peers.measures import crossings, pierced, spine
from peers.pictures import picture
from peers.tangles import Setting, setting

from errorflow.layout.engine import LayoutOptions, layout

QUICK = 1.0  # CPU seconds below which an engine runs three times, and the middle one counts
HEAD = (
    *("engine", "CPU s", "× ours", "memory MB"),
    *("crossings", "overlaps", "through boxes", "not joined", "swerve px", "size px"),
)


def main() -> None:
    options = _options()
    if options.install:
        install(options.peers)
    engines = [engine for engine in ENGINES if _chosen(engine.name, options.engines)]
    for engine in engines:
        if not (engine.is_ours or engine.installed(options.peers)):
            print(_how_to_install(engine, options.peers))
    ready = [engine for engine in engines if engine.is_ours or engine.installed(options.peers)]
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}", flush=True)
    allow_deep_recursion()
    limits = Limits(options.seconds, int(options.memory * 1e9))
    versions: dict[str, str] = {}
    for name in graphs.names():
        if _chosen(name, options.only):
            _compare(name, ready, options.peers, limits, versions)
    print("\n" + " · ".join(f"{name} {version}" for name, version in versions.items()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(tempfile.gettempdir()) / "errorflow-layout-peers"
    parser.add_argument("--peers", type=Path, default=default, metavar="DIR", help=f"default: {default}")
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="GRAPH", help="names or patterns")
    parser.add_argument("--engines", nargs="+", default=["*"], metavar="ENGINE", help="names or patterns")
    parser.add_argument("--seconds", type=float, default=40, help="of CPU for one engine and graph (default: 40)")
    parser.add_argument("--memory", type=float, default=7, help="GB (default: 7)")
    return parser.parse_args()


def _chosen(name: str, patterns: list[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _how_to_install(engine: Engine, folder: Path) -> str:
    if engine.name == "dot":
        return "dot is not installed. On Debian and its relatives: apt install graphviz"
    return f"{engine.name} is not installed in {folder}. To install it: python benchmarks/layout_peers.py --install"


def _compare(name: str, engines: list[Engine], folder: Path, limits: Limits, versions: dict[str, str]) -> None:
    graph = graphs.make(name)
    asked = setting(graph, layout(graph, LayoutOptions(grouped=False)))
    print(f"\n### {name}: {len(asked.sizes):,} boxes, {len(asked.starts):,} edges\n")
    print(_line(HEAD))
    print(_line(["---", *["---:"] * (len(HEAD) - 1)]), flush=True)
    ours: float | None = None
    with tempfile.TemporaryDirectory() as made:
        question = Path(made) / "question.json"
        question.write_text(json.dumps(asdict(asked.tangle())))
        for engine in engines:
            drawn = _middle(engine, folder, name, question, limits)
            if isinstance(drawn, str):
                print(_line([engine.name, drawn, *[""] * (len(HEAD) - 2)]), flush=True)
                continue
            versions[engine.name] = drawn["version"]
            ours = drawn["cpu"] if ours is None and engine.is_ours else ours
            ratio = _rounded(drawn["cpu"] / ours) if ours else "-"
            print(_line([engine.name, _rounded(drawn["cpu"]), ratio, *_cells(drawn, asked)]), flush=True)


def _middle(engine: Engine, folder: Path, name: str, question: Path, limits: Limits) -> dict[str, Any] | str:
    """The run of middle length, where runs are short enough to be repeated."""
    runs = []
    for _ in range(3):
        drawn = run(engine, folder, name, question, limits)
        if isinstance(drawn, str) or drawn["cpu"] > QUICK:
            return drawn
        runs.append(drawn)
    middle = median_low([drawn["cpu"] for drawn in runs])
    return next(drawn for drawn in runs if drawn["cpu"] == middle)


def _cells(drawn: dict[str, Any], asked: Setting) -> Iterator[str]:
    shown = picture(drawn, asked)
    swerve = spine(shown, asked)
    yield f"{drawn['peak'] / 1e6:,.0f}"
    yield _count(lambda: crossings(shown))
    yield f"{overlaps(shown.boxes):,}"
    yield _count(lambda: pierced(shown, asked))
    yield f"{unjoined(shown, asked):,}"
    yield "-" if swerve is None else f"{swerve:.1f}"
    yield "{:,.0f} × {:,.0f}".format(*shown.size)


def _count(measure: Callable[[], int]) -> str:
    try:
        return f"{measure():,}"
    except TooManyError:
        return "-"


def _rounded(value: float) -> str:
    """Three digits, more only before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
