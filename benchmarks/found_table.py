"""How often the commands find the way out of planted faults: a line per family of faults and preset.

    PYTHONPATH=tests:resources python benchmarks/found_table.py [--seeds 3] [--family "loud weights"] [--preset amct]
                                                                [--net mobile] [--every]

Each case goes through `errorflow simulate`, `sensitivity` and `search`. `right`: cases whose truth is clear that pass
all checks of planted_found.py; `verdict`; `ranked`: a culprit is first by impact and by recovery; `restored`: what the
search found brings the output back, in ONNX Runtime's own run of the exported model; `smallest`: with no more parts
than the smallest set that is known or could be found by trying; `innocent`: and none without a fault. With --every each
case that misses is printed.
"""

import argparse
import contextlib
import io
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from planted_faults import FAMILIES, Family, planted
from planted_found import Found, found

PER_TENSOR = "onnxruntime"
COLUMNS = {
    "verdict": ("verdict",),
    "ranked": ("impact", "recovery"),
    "restored": ("met", "restored", "measured", "nothing to find"),
    "smallest": ("smallest",),
    "innocent": ("innocent",),
}


@dataclass(frozen=True, slots=True)
class Tried:
    family: str
    net: str
    seed: int
    preset: str
    found: Found


def tried(family: Family, preset: str, nets: Collection[str], seeds: int) -> Iterator[Tried]:
    for net in nets:
        for seed in range(seeds):
            with TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
                case = planted(family, net, seed, preset != PER_TENSOR)
                result = found(case, preset, Path(folder))
            yield Tried(family.key, net, seed, preset, result)


def line(family: str, preset: str, cases: Sequence[Found]) -> str:
    clear = [each for each in cases if not each.unclear]
    right = sum(not each.missed for each in clear)
    cells = [f"{sum(not set(names) & set(each.missed) for each in clear)}/{len(clear)}" for names in COLUMNS.values()]
    return f"| {family} | {preset} | {len(cases)} | {right}/{len(clear)} | {' | '.join(cells)} |"


def missed(each: Tried) -> str:
    result = each.found
    numbers = f"{result.error:.3f}, without the fault {result.twin:.3f}, restored {result.restored:.3f}"
    sets = f"{len(result.chosen)} parts, {result.known} known: {', '.join(result.chosen)}"
    less = f"; fewer: {', '.join(result.fewer)}" if result.fewer else ""
    where = f"{each.family}, {each.net} {each.seed}, {each.preset}"
    return f"{where}: {', '.join(result.missed)} ({numbers}; {sets}{less}): {result.told['text']}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--preset", action="append", default=[])
    parser.add_argument("--net", action="append", default=[])
    parser.add_argument("--every", action="store_true")
    options = parser.parse_args()
    print(f"| family | preset | cases | right | {' | '.join(COLUMNS)} |\n|{' --- |' * (4 + len(COLUMNS))}")
    for family in (each for each in FAMILIES if not options.family or each.key in options.family):
        nets = [net for net in family.nets if not options.net or net in options.net]
        for preset in (key for key in family.presets if not options.preset or key in options.preset):
            cases = list(tried(family, preset, nets, options.seeds))
            if not cases:
                continue
            print(line(family.key, preset, [each.found for each in cases]), flush=True)
            for each in (each for each in cases if options.every and each.found.missed):
                print(missed(each), flush=True)


if __name__ == "__main__":
    main()
