"""Options that commands which simulate have in common: the model, its samples, and what of it is quantized."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import Progress, UsageError
from errorflow.cli.calibrate import add_samples, asked_by
from errorflow.cli.of_session import begun_plan

if TYPE_CHECKING:
    from errorflow.graph.model import Graph
    from errorflow.quant.plan import Plan
    from errorflow.quant.steps import Smooth
    from errorflow.study.simulate.basis import Basis
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.floated import Floated


def add_simulated(parser: ArgumentParser) -> None:
    """A model, with what it is fed and how it is quantized: what `basis_by` and `plan_by` read."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a float ONNX model, one that is quantized already, or a session that simulates one: its samples and plan",
    )
    add_samples(parser)
    parser.add_argument(
        "--calibrate-on",
        type=int,
        metavar="N",
        help="calibrate on the first N and evaluate on the rest (default: all but 8 to 64, or but a quarter; up to 32, "
        "or a quarter, where answers are counted or a file measures)",
    )
    parser.add_argument(
        "--evaluate",
        nargs="+",
        default=[],
        metavar="PATH",
        help="measure errors on these samples; all of --data calibrate then",
    )
    group = parser.add_argument_group("what is quantized")
    group.add_argument("--preset", metavar="NAME", help="a plan that mimics a toolchain (default: onnxruntime)")
    group.add_argument("--plan", metavar="FILE", help="a plan.json of an earlier run, or of your own")
    group.add_argument(
        "--keep-float",
        action="append",
        default=[],
        metavar="NODE,…",
        help="in float, with what they read and make: names with * for anything, type:Conv, after:NAME and before:NAME "
        "for all behind or before a node or tensor, NAME..NAME for all between two",
    )
    group.add_argument(
        "--bits",
        action="append",
        default=[],
        metavar="NODE=16",
        help="4, 8 or 16 bits for nodes, named in the same ways; repeatable",
    )
    group.add_argument(
        "--method",
        action="append",
        default=[],
        metavar="[TENSOR=]KEY",
        help="of calibration (default: that of the preset), or that of one tensor alone; repeatable",
    )
    group.add_argument("--calibration", metavar="FILE", help="ranges that `errorflow calibrate` wrote")
    add_steps(parser)
    parser.add_argument(
        "--reference", type=Path, metavar="MODEL", help="of a quantized MODEL: the float one, for its weights"
    )


def basis_by(options: Namespace) -> "Basis":
    """Samples, and where ranges come from."""
    from errorflow.study.simulate.basis import Basis

    method, single = _methods(options.method)
    return Basis(
        asked_by(options),
        options.samples,
        options.calibrate_on,
        method=method,
        methods=single,
        calibration=Path(options.calibration) if options.calibration else None,
        own=not (options.preset or options.method or options.calibration),
        reference=options.reference,
        others=tuple(options.evaluate),
    )


def _methods(words: list[str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Reads methods: that of all tensors, the last that was named, and those of single ones; a tensor's name may hold a
    = too.
    """
    alone = {tensor: key for tensor, sign, key in (word.rpartition("=") for word in words) if sign}
    if "" in alone:
        raise UsageError(f"--method ={alone['']} names no tensor.", "Write KEY for all tensors, or TENSOR=KEY.")
    general = [word for word in words if "=" not in word]
    return general[-1] if general else "", tuple(alone.items())


def plan_by(options: Namespace, model: "Floated", basis: "Basis") -> "Plan":
    """Makes the plan of a file or preset, or the model's own, with what is switched in it."""
    from errorflow.quant.asking import asked_nodes
    from errorflow.quant.plan import FLOAT
    from errorflow.quant.plan_file import read_plan
    from errorflow.quant.presets import preset
    from errorflow.study.simulate.bench import first_plan

    begun = begun_plan(options)
    if options.plan and options.preset:
        raise UsageError("--plan and --preset cannot both be given.", "A plan says which preset it began as.")
    if options.plan:
        plan = read_plan(Path(options.plan))
    elif begun is not None:
        plan = begun
    else:
        plan = preset(options.preset).plan if options.preset else first_plan(model, basis)
    for name in _kept(options.keep_float, model.model.graph):
        plan = plan.with_rule(replace(asked_nodes(model.model.graph, name), activations=FLOAT, weights=FLOAT))
    for text in options.bits:
        name, bits = _parsed_bits(text)
        activations, weights = plan.in_bits(bits)
        plan = plan.with_rule(replace(asked_nodes(model.model.graph, name), activations=activations, weights=weights))
    return with_steps(options, plan)


def _kept(texts: list[str], graph: "Graph") -> Iterator[str]:
    """Yields what is to stay in float: the name of a node may have a comma in it."""
    from errorflow.quant.asking import is_known

    for text in texts:
        names = [text] if is_known(graph, text) else [name.strip() for name in text.split(",") if name.strip()]
        if not names:
            raise UsageError("--keep-float names no node.", "Write /head/Conv, type:Softmax, or several with commas.")
        yield from names


def _parsed_bits(text: str) -> tuple[str, int]:
    name, sign, bits = text.rpartition("=")
    if not (name and sign and bits.strip() in ("4", "8", "16")):
        raise UsageError(f"--bits takes NODE=4, NODE=8 or NODE=16, and “{text[:80]}” is none.", "Write /conv=16.")
    return name.strip(), int(bits)


# Steps before quantization, as options.

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
