"""Takes the steps that make another float model: finds the factors, writes it, and checks that it computes the same."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.workers import MEMORY_BYTES, run_apart
from errorflow.graph.model import Model
from errorflow.quant.calibrate.asked import methods_of
from errorflow.quant.steps import Equalize, Smooth, Step, remaking, step_text
from errorflow.run.calibrating import Wish, calibrate
from errorflow.run.model import Array
from errorflow.run.ort import TIMEOUT, WEIGHTS, weights_of
from errorflow.run.sameness import apart
from errorflow.run.samples.asked import Asked
from errorflow.study.rewrites.edges import Constants, Doubles
from errorflow.study.rewrites.equalizing import equalize
from errorflow.study.rewrites.model import Change, Remade, Skipped
from errorflow.study.rewrites.net import Net
from errorflow.study.rewrites.products import multiplied
from errorflow.study.rewrites.rebuilt import factor_arrays, rebuilt, write_rebuilt
from errorflow.study.rewrites.smoothing import Divider, smooth

TEXT = "Changing the model"
# Rounding to 32 bits makes about a millionth; beyond this it is another model …
SAME = 1e-3
# … unless the last digits of its inputs make nearly as much of a difference: outputs that are nearly zero, mostly.
TIMES = 10
# So many samples are run to see that.
CHECKED = 4


class NotTheSameError(ErrorflowError):
    """A step would have changed what the float model computes."""


def remake(
    model: Model,
    steps: Sequence[Step],
    asked: Asked,
    samples: Sequence[Mapping[str, Array]],
    target: Path,
    progress: Progress = SILENT,
) -> Remade:
    """`samples`: those that calibrate, which are the first of those asked for. Writes the model into `target`."""
    net = Net.of(model, progress)
    constants = Constants(net.graph.weights.read)
    changes: list[Change] = []
    skipped: list[Skipped] = []
    dividers: tuple[Divider, ...] = ()
    for step in remaking(steps):
        progress.step(0, 0, TEXT)
        if isinstance(step, Equalize):
            made, left = equalize(net, constants)
        else:
            assert isinstance(step, Smooth)
            found = smooth(net, constants, loudness(net, model, asked, len(samples), progress), step)
            made, left, dividers = found.changes, found.skipped, found.dividers
        changes += made
        skipped += left
    arrays = {name: values.astype(np.float32) for name, values in constants.changed.items()} | factor_arrays(dividers)
    graph = rebuilt(model.graph, arrays, dividers)
    write_rebuilt(model.path, graph, arrays, dividers, target, progress)
    again = replace(model, path=target, graph=graph, infer_shapes=None)
    facts = _checked(model, again, steps, samples, progress) if changes else {}
    rescaled = frozenset(constants.divided) - {each.tensor for each in dividers if not _has_maker(each, changes)}
    return Remade(again, tuple(changes), tuple(skipped), rescaled, frozenset(constants.changed), facts)


def loudness(net: Net, model: Model, asked: Asked, count: int, progress: Progress = SILENT) -> dict[str, Doubles]:
    """By tensor that layers multiply, the largest magnitude of each channel over the first samples."""
    axes = dict(multiplied(net))
    last = frozenset(name for name, axis in axes.items() if axis.from_end == -1)
    wish = Wish(methods_of(["minmax"]), first=count, per_channel=True, last=last)
    channels = calibrate(model.path, model.graph, asked, wish, progress).calibrations[0].channels
    found = {}
    for name, axis in axes.items():
        seen = channels.get(name)
        if seen is not None and (name in last or seen.axis == axis.index):
            found[name] = np.maximum(np.abs(np.asarray(seen.lows)), np.abs(np.asarray(seen.highs)))
    return found


def _has_maker(divider: Divider, changes: Sequence[Change]) -> bool:
    """Whether the tensor that is divided by a node of its own was scaled by another step too."""
    return any(change.tensor == divider.tensor and not change.inserted for change in changes)


def _checked(
    model: Model, again: Model, steps: Sequence[Step], samples: Sequence[Mapping[str, Array]], progress: Progress
) -> dict[str, str]:
    with TemporaryDirectory(prefix="errorflow-") as folder:
        files = []
        for number in range(min(CHECKED, len(samples))):
            sample = samples[number]
            names = {name: f"{number}-{place}.npy" for place, name in enumerate(sample)}
            for name, file in names.items():
                np.save(Path(folder) / file, sample[name], allow_pickle=False)
            files.append(names)
        memory = MEMORY_BYTES + 2 * WEIGHTS * weights_of(model.graph)
        found: Any = run_apart(
            apart,
            str(model.path.absolute()),
            str(again.path.absolute()),
            folder,
            files,
            text="Comparing the float models",
            progress=progress,
            timeout=TIMEOUT,
            memory=memory,
        )
    worst = max(found, key=lambda name: found[name][0] / max(SAME, TIMES * found[name][1]), default="")
    if worst and not found[worst][0] <= max(SAME, TIMES * found[worst][1]):
        what = " and ".join(step_text(step) for step in remaking(steps))
        raise NotTheSameError(
            f"With {what}, the float model makes something else of {worst}: off by {found[worst][0]:.1%}.",
            "Leave the step out; this model adds up numbers that are too far apart for it.",
        )
    most = max((each[0] for each in found.values()), default=0.0)
    return {"float outputs": f"the same but for {most:.1e} of their size"}
