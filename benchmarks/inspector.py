"""How long it takes until a tensor of 100 MB is seen in the inspector, and until all of it was looked at.

    python benchmarks/inspector.py [--values N]

Each step has a process of its own; CPU seconds and memory above what was there before.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from measure import Cost, cost, megabytes

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

VALUES = 25_000_000
MAKE = """
import numpy as np
from pathlib import Path
folder = Path({folder!r})
random = np.random.default_rng(1)
shape = ({values} // 100_000, 100, 1000)
values = random.standard_normal(shape, np.float32)
for name, noise in (("a", 0.0), ("b", 0.01)):
    (folder / name).mkdir(exist_ok=True)
    np.save(folder / name / "x.npy", values + np.float32(noise) * random.standard_normal(shape, np.float32))
result = 0
"""
OPEN = """
from errorflow.formats import read_tensors
from errorflow.compare.pairs import match_by_name
from errorflow.explain.inspect import channels, figures, overview, tensors, worst
pair = match_by_name(read_tensors({folder!r} + "/a/x.npy"), read_tensors({folder!r} + "/b/x.npy")).pairs[0]
"""
READ = OPEN + "both = tensors.read_pair(pair)\n"
STEPS = (
    ("first picture (read both, sample, plot)", OPEN, "both = tensors.read_pair(pair)\n" + "{first}"),
    ("all values, exact percentiles", READ, "seen = overview.overview(both); result = seen.errors.largest"),
    ("all channels", READ, "view = channels.channel_view(both, 1); result = len(view)"),
    ("100 largest errors", READ, "result = len(worst.worst_places(both, 'absolute'))"),
)
FIRST = "figure = figures.values_figure(overview.first_look(both), False); result = len(figure.layers)"


def rows(values: int = VALUES) -> list[tuple[str, Cost | str]]:
    """What each step costs, for tables of other scripts."""
    with tempfile.TemporaryDirectory() as folder:
        cost("", MAKE.format(folder=folder, values=values), repeat=1)
        found = []
        for name, setup, work in STEPS:
            made = work.replace("{first}", FIRST)
            found.append((name, cost(setup.format(folder=folder), made)))
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--values", type=int, default=VALUES)
    options = parser.parse_args()
    print(f"{options.values:,} float32 values of each run, {megabytes(4 * options.values)} each, in the page cache")
    print(f"{'':42} {'CPU ms':>8} {'wall ms':>8} {'peak':>10}")
    for name, found in rows(options.values):
        if isinstance(found, str):
            print(f"{name:42} {found}")
        else:
            print(f"{name:42} {found.cpu * 1e3:8.0f} {found.wall * 1e3:8.0f} {megabytes(found.peak):>10}")


if __name__ == "__main__":
    main()
