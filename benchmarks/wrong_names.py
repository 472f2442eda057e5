"""Who is named for a planted fault, over many kinds of faults: a line per case that is wrong, and what all of them say.

    PYTHONPATH=tests:resources python benchmarks/wrong_names.py [--seeds 2] [--kind clip] [--net mobile]
                                                                [--door models|dumps|alone]

`models`: the right model and the wrong one; `dumps`: the tensors of both, and the right model; `alone`: the tensors of
both and the graph. *right*: the guilty node, or its group, is the only one that is named. *unsure*: others are named
with it, or the verdict names nobody. *wrong*: somebody else is named. Faults that leave the output good are not
counted. The end is 1 where somebody innocent is named, or more than a tenth of all is unsure.
"""

import argparse
import collections
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from planted_kinds import DOORS, KINDS, NETS, judged, kind_cases, told

UNSURE = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--net", action="append", default=[])
    parser.add_argument("--door", choices=DOORS, default="models")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    by_kind: dict[str, collections.Counter[str]] = {}
    for case in kind_cases(options.kind or [*KINDS], options.net or [*NETS], options.seeds):
        with TemporaryDirectory() as place:
            found = told(case, options.door, Path(place))
            verdict = judged(case, found, Path(place))
        counts[verdict] += 1
        by_kind.setdefault(case.kind, collections.Counter())[verdict] += 1
        if verdict in ("wrong", "unsure"):
            print(f"{verdict}: {case.name}: {case.guilty}. {found['text']}", flush=True)
    print("| kind | right | unsure | wrong | harmless |\n| --- | --- | --- | --- | --- |")
    verdicts = ("right", "unsure", "wrong", "harmless")
    for kind, each in by_kind.items():
        print(f"| {kind} | {' | '.join(str(each[verdict]) for verdict in verdicts)} |")
    harmed = sum(counts[verdict] for verdict in verdicts[:3])
    print(f"{harmed} cases of {len(by_kind)} kinds: " + ", ".join(f"{counts[each]} {each}" for each in verdicts))
    sys.exit(bool(counts["wrong"]) or counts["unsure"] > UNSURE * harmed)


if __name__ == "__main__":
    main()
