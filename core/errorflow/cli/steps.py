"""Steps before quantization, as options."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError
from errorflow.base.progress import Progress

if TYPE_CHECKING:
    from errorflow.quant.plan import Plan
    from errorflow.quant.steps import Smooth
    from errorflow.study.simulate.bench import Bench

DEFAULT = ""


def add_steps(parser: ArgumentParser) -> None:
    """Adds the steps that make another float model, which computes the same."""
    group = parser.add_argument_group("before it is quantized")
    group.add_argument(
        "--equalize", action="store_true", help="make weights of layers behind each other equally large, per channel"
    )
    group.add_argument(
        "--smooth",
        nargs="?",
        const=DEFAULT,
        metavar="STRENGTH[,THRESHOLD]",
        help="move outliers of activations into the weights behind them (SmoothQuant; default: 0.6,0.2): the strength, "
        "and the share of channels that lose 3 bits from which on a tensor is smoothed",
    )


def add_correction(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--correct-biases",
        action="store_true",
        help="take what layers are off on average, on the samples that calibrate, off the quantized model's biases",
    )


def with_steps(options: Namespace, plan: "Plan") -> "Plan":
    """The plan with what `add_steps` asked for."""
    from errorflow.quant.steps import Equalize

    if options.equalize:
        plan = plan.with_step(Equalize())
    return plan if options.smooth is None else plan.with_step(_smooth(options.smooth))


def corrected(options: Namespace, bench: "Bench", plan: "Plan", progress: Progress) -> "Plan":
    """… and with what `add_correction` asked for."""
    from errorflow.study.simulate.correcting import correct_biases

    return correct_biases(bench, plan, progress).plan if options.correct_biases else plan


def _smooth(text: str) -> "Smooth":
    from errorflow.quant.steps import Smooth

    if text == DEFAULT:
        return Smooth()
    try:
        numbers = [float(number) for number in text.split(",")]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 2:
        raise UsageError(
            f"--smooth takes STRENGTH or STRENGTH,THRESHOLD, and “{text[:80]}” is neither.", "Write --smooth 0.6,0.2."
        )
    return Smooth(*numbers)
