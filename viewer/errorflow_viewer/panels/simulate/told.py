"""Results of a simulation, in few words."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from errorflow.base.values import dataclass
from errorflow.compare.metrics import METRICS
from errorflow.graph.build import counted
from errorflow.run.samples.asked import Pictures
from errorflow_viewer.kit.wording import in_window
from errorflow_viewer.panels.simulate.deployed_told import ToldDeployed
from errorflow_viewer.panels.simulate.steps_told import ToldSteps

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.deployed import Deployed
    from errorflow.study.simulate.outcome import Outcome

SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
TIP = f"accumulated · {SQNR.label} · {SQNR.formula}"
# Outputs that are told.
MOST = 8
# In decibels: what samples alone may differ by.
NEAR = 2.0
TOGETHER = "nodes make each other worse, so that no single one explains it"
SATURATED = "outputs saturate, or errors cancel each other"


@dataclass(frozen=True, slots=True)
class SimulatedOutput:
    """One output over all samples. `sample`: number of the worst one; -1: none was measured."""

    name: str
    median: str
    worst: str
    spread: str
    sample: int
    sample_name: str
    noise: str = ""


@dataclass(frozen=True, slots=True)
class SimulationSummary:
    """`is_complete`: nothing more comes."""

    verdict: str
    samples: str
    outputs: tuple[SimulatedOutput, ...]
    more: int
    made_up: bool
    notes: tuple[str, ...]
    broken: str
    is_complete: bool
    # None: it was not run as deployed.
    deployed: ToldDeployed | None = None
    # What steps before quantization did.
    steps: ToldSteps | None = None

    @classmethod
    def of(cls, bench: "Bench", outcome: "Outcome", deployed: "Deployed | None" = None) -> "SimulationSummary":
        blame = outcome.findings.blame
        names = [name for name in bench.engine.outputs if name in outcome.table.places]
        return cls(
            "" if blame is None or outcome.depth == "quick" else blame.model.text,
            bench.text,
            tuple(_outputs(bench, outcome, names[:MOST])),
            max(len(names) - MOST, 0),
            bench.made_up,
            bench.other_notes,
            next((_broken(bench, outcome) for _ in outcome.table.broken()[:1]), ""),
            outcome.depth == "complete",
            None if deployed is None else ToldDeployed.of(bench, outcome, deployed),
            ToldSteps.of(bench, outcome) if outcome.plan.steps else None,
        )


def _outputs(bench: "Bench", outcome: "Outcome", names: list[str]) -> Iterator[SimulatedOutput]:
    over = outcome.table.spread(SQNR)
    for name in names:
        place = outcome.table.places[name]
        at = int(over.worst_sample[place])
        sample = outcome.table.samples[at] if at >= 0 else -1
        best, worst = float(over.best[place]), float(over.worst[place])
        between = best - worst if math.isfinite(best) and math.isfinite(worst) else math.nan
        yield SimulatedOutput(
            name,
            SQNR.text(float(over.median[place])),
            SQNR.text(worst),
            "" if math.isnan(between) or len(outcome.table.samples) < 2 else SQNR.text(between),
            sample,
            bench.evaluated.name(sample) if sample >= 0 else "",
            _noise(outcome, name),
        )


def _noise(outcome: "Outcome", name: str) -> str:
    """Says what single groups let expect, and what was measured on the same samples."""
    noise = outcome.noise
    if noise is None or name not in noise.outputs:
        return ""
    at = noise.outputs.index(name)
    predicted, measured = noise.predicted_sqnr(at), SQNR.of(noise.measured(at, outcome.table))
    count = counted(len(noise.samples), "sample", "samples")
    said = f"On {count}, single groups add up to {SQNR.text(predicted)}, and measured is {SQNR.text(measured)}"
    if not (math.isfinite(predicted) and math.isfinite(measured)):
        return f"{said}."
    if abs(predicted - measured) <= NEAR:
        return f"{said}: noise adds up."
    return f"{said}: {SATURATED if measured > predicted else TOGETHER}."


def _broken(bench: "Bench", outcome: "Outcome") -> str:
    found = outcome.table.broken()[0]
    where = bench.evaluated.name(found.sample)
    return f"{found.tensor} is the first tensor that is {found.what}, in the {found.side}, on {where}."


# Words of the panel: methods, pictures, and hints that would name options of the command line.

# By the key of the method of calibration.
METHODS_TOLD: Mapping[str, str] = {
    "minmax": "From the smallest to the largest value of all samples. Nothing is clipped, and a single outlier makes "
    "every step coarse.",
    "moving-average": "Ends that follow those of each sample by a hundredth. One odd sample counts little.",
    "percentile": "All but one value in a hundred thousand, as ONNX Runtime has it. Rare outliers are clipped.",
    "percentile-99.995": "All but 5 values in a hundred thousand. The mildest that Horizon's tools try.",
    "percentile-99.99": "All but one value in ten thousand, as Horizon's tools try it.",
    "percentile-99.95": "All but 5 values in ten thousand, as Horizon's tools try it.",
    "percentile-99.9": "All but one value in a thousand: much is clipped for fine steps. The boldest that Horizon's "
    "tools try.",
    "mse": "The range whose codes make the least squared error, between clipping and coarse steps. The nearest to "
    "AMCT's search.",
    "entropy": "The range that keeps most of how values are spread (Kullback-Leibler), as KL of Horizon and TensorRT.",
}
PERCENTILE = "All but a few outermost values, which are clipped."


def method_told(key: str) -> str:
    return METHODS_TOLD.get(key, PERCENTILE)


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """A usual way to make arrays of pictures."""

    label: str
    pictures: Pictures


_IMAGENET = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
PREPROCESSINGS: tuple[Preprocessing, ...] = (
    Preprocessing("ImageNet (torchvision)", Pictures(*_IMAGENET, resize="imagenet-crop")),
    Preprocessing("ImageNet numbers, stretched", Pictures(*_IMAGENET, resize="stretch-bilinear")),
    Preprocessing("0 … 1, stretched", Pictures((), (255.0,), resize="stretch-bilinear")),
    Preprocessing("0 … 1, letterbox (YOLO)", Pictures((), (255.0,), resize="letterbox")),
    Preprocessing("−1 … 1, stretched", Pictures((127.5,), (127.5,), resize="stretch-bilinear")),
    Preprocessing("0 … 255, stretched", Pictures(resize="stretch-bilinear")),
)

# Hints of the engine name options; in this panel the fields stand below. What is not here is worded as everywhere.
_FIELDS: tuple[tuple[str, str], ...] = (
    (r"Say it with --dim [^.]*?, or --resize none[^.]*\.", "Fill in the sizes below, or choose not to resize."),
    (r"Say it with --dim .*", "Fill in the sizes below."),
    (r"Say how it is to be resized: .*", "Choose below how pictures are resized."),
    (r"Say --layout .*|Say another layout with --layout", "Choose the layout below"),
)


def in_panel(text: str) -> str:
    """Writes a sentence of the engine for a panel, which has fields in place of options."""
    for option, words in _FIELDS:
        text = re.sub(option, words, text)
    return in_window(text)


def numbers_text(numbers: tuple[float, ...]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


def parsed_numbers(text: str) -> tuple[float, ...] | None:
    """Parses numbers; None: something in it is no number."""
    try:
        return tuple(float(part) for part in re.split(r"[,;\s]+", text.strip()) if part)
    except ValueError:
        return None
