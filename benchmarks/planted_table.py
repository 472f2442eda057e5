"""How often a simulation judges planted faults rightly: a line per family of faults and preset.

    PYTHONPATH=tests:resources python benchmarks/planted_table.py [--seeds 3] [--family "loud weights"]
                                                                  [--preset amct] [--every]

`right` are cases that pass all checks of planted_judging.py, of those whose truth is clear; `named` those whose first
contributor is the culprit, `back` those whose output is as without the fault once what is named is in float. With
--every each case that misses is printed with what it misses.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from planted_faults import FAMILIES, Family, planted
from planted_judging import Judged, judged

PER_TENSOR = "onnxruntime"


@dataclass(frozen=True, slots=True)
class Tried:
    family: str
    net: str
    seed: int
    preset: str
    found: Judged


def tried(family: Family, seeds: int, presets: frozenset[str]) -> Iterator[Tried]:
    for key in family.presets:
        for net in family.nets if not presets or key in presets else ():
            for seed in range(seeds):
                with TemporaryDirectory() as folder:
                    case = planted(family, net, seed, key != PER_TENSOR)
                    yield Tried(family.key, net, seed, key, judged(case, key, Path(folder)))


def line(family: str, preset: str, cases: list[Judged]) -> str:
    clear = [each for each in cases if not each.unclear or each.case.broken]
    with_culprit = [each for each in clear if each.case.culprits and not each.case.broken]
    named = sum("first" not in each.missed for each in with_culprit)
    back = sum(each.restored <= each.limit for each in with_culprit)
    right = sum(not each.missed for each in clear)
    count = len(with_culprit)
    return f"| {family} | {preset} | {len(cases)} | {right}/{len(clear)} | {named}/{count} | {back}/{count} |"


def missed(each: Tried) -> str:
    found = each.found
    numbers = f"{found.error:.3f}, without the fault {found.twin:.3f}, restored {found.restored:.3f}"
    where = f"{each.family}, {each.net} {each.seed}, {each.preset}"
    return f"{where}: {', '.join(found.missed)} ({numbers}): {found.told['text']}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--preset", action="append", default=[])
    parser.add_argument("--every", action="store_true")
    options = parser.parse_args()
    print("| family | preset | cases | right | named | back |\n| --- | --- | --- | --- | --- | --- |")
    for family in (each for each in FAMILIES if not options.family or each.key in options.family):
        by_preset: dict[str, list[Tried]] = {}
        for each in tried(family, options.seeds, frozenset(options.preset)):
            by_preset.setdefault(each.preset, []).append(each)
        for key, cases in by_preset.items():
            print(line(family.key, key, [each.found for each in cases]), flush=True)
            for each in cases if options.every else ():
                if each.found.missed:
                    print(missed(each), flush=True)


if __name__ == "__main__":
    main()
