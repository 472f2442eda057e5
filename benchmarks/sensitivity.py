"""How long it takes to rank the parts of a model by what each does alone at the outputs: by the engine, and by others.

    python benchmarks/sensitivity.py [MODEL.onnx [--shape 1x3x320x320]] [--data FOLDER] [--images 4] [--rounds 3]
                                     [--peers FOLDER] [--only aimet,onnxruntime]

Without a model a generated detector is taken, without data pictures are made up; --data is a folder of 0.npy, 1.npy …

Each side says which tensors it has in codes when it quantizes a unit of its own alone, and ranks its units on one
picture by the SQNR of the worst output. Ours ranks the very same units, with the ranges of that side where it has its
own, in an engine that has seen nothing before. Reading the model and calibrating are a row of their own. All run on one
core and one thread, each in a process of its own, one after the other and the other way round in the next round. Told
are CPU milliseconds a unit, least and middle of the rounds, how many times ours that is, the peak of memory above the
loaded libraries, and how far the rankings agree.

Then how early a ranking over all pictures, as the command and the window make it, has the five on top that it ends
with. Other sides have an environment each in the folder of --peers, which rerun_peers/environments.py makes; without it
there is ONNX Runtime's own quantizer only.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rerun_peers.agreement import TOP, agreement
from rerun_peers.environments import PEERS
from rerun_peers.sides import MODULES, ORT, called, interpreter
from rerun_peers.work import Unit, Work

Answer = Mapping[str, Any]
JOB = "sensitivity"


@dataclass(slots=True)
class Side:
    """What one of the others printed, round by round, and what ours did with its units."""

    name: str
    python: Path
    answers: list[Answer] = field(default_factory=list)
    ours: list[Answer] = field(default_factory=list)

    def rows(self, name: str) -> list[Mapping[str, Any]]:
        return [answer["rows"][name] for answer in self.answers if name in answer["rows"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", nargs="?")
    parser.add_argument("--shape", default="1x3x320x320", help="of the pictures that are made up")
    parser.add_argument("--data", help="a folder of 0.npy, 1.npy and so on")
    parser.add_argument("--images", type=int, default=4, help="to calibrate with, and of the whole ranking")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", type=Path, help="where the environments of the other tools are, or will be")
    parser.add_argument("--only", help=f"of {', '.join(MODULES)} those that are named")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else [ORT, *(PEERS if options.peers else ())]
    unknown = [name for name in wanted if name not in MODULES]
    if unknown or (options.peers is None and set(wanted) - {ORT}):
        parser.error(f"there is no {unknown[0]}" if unknown else "other tools need --peers")
    with TemporaryDirectory() as folder:
        work = _work(options, Path(folder))
        sides = _sides(wanted, options.peers)
        ours = _rounds(work, sides, options.rounds)
        _print(work, sides, ours)


def _work(options: argparse.Namespace, folder: Path) -> Work:
    """With what is not given made up."""
    import onnx

    model = options.model
    if model is None:
        from rerun_net import detector

        model = str(folder / "detector.onnx")
        Path(model).write_bytes(detector().SerializeToString())
    data = folder if options.data is None else Path(options.data)
    if options.data is None:
        shape = tuple(map(int, options.shape.split("x")))
        for number in range(options.images):
            np.save(data / f"{number}.npy", _picture(shape, number))
    graph = onnx.load(model, load_external_data=False).graph
    stored = {tensor.name for tensor in graph.initializer}
    name = next(value.name for value in graph.input if value.name not in stored)
    return Work(str(Path(model).absolute()), str(data.absolute()), name, options.images, options.images)


def _picture(shape: Sequence[int], seed: int) -> NDArray[np.float32]:
    """Soft spots with a little noise."""
    dice = np.random.default_rng(seed)
    size = tuple(-(-side // 16) for side in shape[2:])
    coarse = np.kron(dice.standard_normal((*shape[:2], *size)), np.ones((16, 16)))
    soft = coarse[..., : shape[2], : shape[3]] + 0.2 * dice.standard_normal(shape)
    return soft.astype(np.float32)


def _sides(names: Sequence[str], folder: Path | None) -> list[Side]:
    found = []
    for name in names:
        python = interpreter(name, Path() if folder is None else folder)
        if isinstance(python, str):
            print(f"{name}: left out, {python}", flush=True)
        else:
            found.append(Side(name, python))
    return found


def _rounds(work: Work, sides: list[Side], count: int) -> list[Answer]:
    """What ours printed besides; sides that cannot do it are told and left out."""
    mine: list[Answer] = []
    for number in range(max(1, count)):
        # Ours comes behind the others in one round and before them in the next; their units are known then.
        turns = [*sides, None] if number % 2 == 0 else [None, *reversed(sides)]
        for side in turns:
            if side is None:
                mine += _ours(work, sides)
                continue
            answer = called(side.python, MODULES[side.name], work, JOB)
            if isinstance(answer, str) or not answer["scores"]:
                print(f"{side.name}: left out, {answer if isinstance(answer, str) else answer['rows']}", flush=True)
                sides.remove(side)
            else:
                side.answers.append(answer)
    return mine


def _ours(work: Work, sides: Sequence[Side]) -> list[Answer]:
    units: dict[str, Mapping[str, Unit]] = {side.name: side.answers[0]["units"] for side in sides}
    ranges = {side.name: side.answers[0]["ranges"] for side in sides if side.answers[0].get("ranges")}
    answer = called(Path(sys.executable), "ours", replace(work, units=units, ranges=ranges), JOB)
    if isinstance(answer, str):
        sys.exit(f"errorflow: {answer}")
    for side in sides:
        side.ours.append(answer)
    return [answer]


def _print(work: Work, sides: Sequence[Side], ours: Sequence[Answer]) -> None:
    print(f"{Path(work.model).name}, {len(ours)} rounds on one core each; load {os.getloadavg()[0]:.1f}")
    print("CPU milliseconds, the least and the middle one; memory above the loaded libraries")
    header = ("its units", "count", "its own", "ours", "times ours", "its memory", "ours", "its setup")
    print(f"{header[0]:22}" + "".join(f"{title:>20}" for title in header[1:]))
    for side in sides:
        _line(side)
    print()
    for side in sides:
        mine, other = side.ours[0]["scores"][side.name], side.answers[0]["scores"]
        print(f"{side.name}: {agreement(mine, other).text}")
    groups = [answer["rows"]["first"] for answer in ours]
    print(f"\nfrom the file to a ranking by one picture, {groups[0]['note']}: {_both(groups, 0)} ms")
    early = [answer["early"] for answer in ours]
    shares = ", ".join(f"{each['share']:.0%}" for each in early)
    print(
        f"a ranking of {early[0]['parts']} groups over {early[0]['samples']} pictures takes "
        f"{min(each['seconds'] for each in early) * 1e3:,.0f} ms; the first {TOP} stand after {shares} of it"
    )


def _line(side: Side) -> None:
    theirs = side.rows("rank")
    mine = [answer["rows"][f"rank {side.name}"] for answer in side.ours]
    setup = side.rows("setup")
    failed = [row["failed"] for row in (*theirs, *mine) if "failed" in row]
    if failed:
        print(f"{side.name:22}{failed[0]}")
        return
    ratios = [min(row["cpu"] for row in rows) for rows in (theirs, mine)]
    middles = [median(row["cpu"] for row in rows) for rows in (theirs, mine)]
    cells = (
        f"{len(side.answers[0]['units'])}",
        _both(theirs, 2),
        _both(mine, 2),
        f"{ratios[0] / ratios[1]:.1f} | {middles[0] / middles[1]:.1f}",
        f"{max(row['memory'] for row in theirs) / 1e6:,.0f} MB",
        f"{max(row['memory'] for row in mine) / 1e6:,.0f} MB",
        f"{_both(setup, 0)} ms" if setup else "none",
    )
    print(f"{side.name + ' ' + side.answers[0]['version']:22}" + "".join(f"{cell:>20}" for cell in cells))


def _both(rows: Sequence[Mapping[str, Any]], digits: int) -> str:
    times = [row["cpu"] * 1e3 for row in rows]
    return f"{min(times):,.{digits}f} | {median(times):,.{digits}f}"


if __name__ == "__main__":
    main()
