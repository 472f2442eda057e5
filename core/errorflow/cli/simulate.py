"""`errorflow simulate MODEL --data …`: what quantization does to a model, node by node, without a quantized one."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.cli.calibrate import add_samples, asked_by, some_notes
from errorflow.cli.command import Command
from errorflow.errors import UsageError

if TYPE_CHECKING:
    from errorflow.graph.model import Graph
    from errorflow.quant.plan import Plan
    from errorflow.simulate.basis import Basis
    from errorflow.simulate.deployed import Deployed
    from errorflow.simulate.floated import Floated
    from errorflow.simulate.outcome import Outcome

QDQ = "model_qdq.onnx"
EXAMPLES = """\
examples:
  errorflow simulate model.onnx --data calibration_data -out result      as ONNX Runtime quantizes by default
  errorflow simulate model.onnx --data x.npz --preset pulsar2-u8 --method mse
  errorflow simulate model.onnx --data x.npz --keep-float /head/Conv --bits /stem/Conv=16
  errorflow simulate model.onnx --data x.npz --keep-float type:Softmax --bits stem_out..features=16
  errorflow simulate model.onnx --data x.npz --plan result/plan.json --export
  errorflow simulate model_int8.onnx --data x.npz --keep-float /head/Conv   quantized already: its own plan and scales
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument("model", metavar="MODEL", help="a float ONNX model, or one that is quantized already")
    add_samples(parser)
    parser.add_argument(
        "--calibrate-on",
        type=int,
        metavar="N",
        help="calibrate on the first N and evaluate on the rest (default: all but 8, or but a quarter)",
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
    parser.add_argument(
        "--reference", type=Path, metavar="MODEL", help="of a quantized MODEL: the float one, for its weights"
    )
    parser.add_argument("--quick", action="store_true", help="do not run each group of nodes alone")
    parser.add_argument("--export", action="store_true", help=f"also write the quantized model, {QDQ}")
    parser.add_argument(
        "--deployed", action="store_true", help="also run the quantized model with all optimisations of ONNX Runtime"
    )
    parser.add_argument("-out", "--out", "--output", dest="output", metavar="DIR", default=".", help="where to write")


def _run(options: Namespace) -> int:
    from errorflow.cli.asked import folder
    from errorflow.cli.meter import Meter
    from errorflow.cli.plain import plain
    from errorflow.report.deployed import deployed_lines
    from errorflow.report.simulation import simulated_lines
    from errorflow.simulate.bench import Bench
    from errorflow.simulate.deployed import deploy_on
    from errorflow.simulate.floated import floated
    from errorflow.simulate.outcome import NOISE_SAMPLES, simulate

    basis = _basis(options)
    out = folder(options)
    with Meter() as meter, floated(Path(options.model), options.reference, meter) as model:
        plan = _plan(options, model, basis)
        with Bench.open(model, basis, plan, progress=meter) as bench:
            outcome = simulate(bench.engine, plan, noise_samples=0 if options.quick else NOISE_SAMPLES, progress=meter)
            deployed = deploy_on(bench, plan, meter) if options.deployed else None
            files = _write(out, outcome, dict(bench.facts), deployed)
            if options.export:
                bench.engine.export(plan, out / QDQ, meter)
                files.append(out / QDQ)
    print(plain(f"{model.path.name} as {bench.meant(plan)}, calibrated by {bench.calibration.method}. {bench.text}"))
    for line in some_notes(bench.notes):
        print(plain(line))
    if bench.made_up:
        print("The samples were made up: this says nothing about the model in use.")
    print(plain("\n".join([*simulated_lines(outcome), *(() if deployed is None else deployed_lines(deployed))])))
    print(plain(f"Written: {', '.join(map(str, files))}"))
    return 0


def _basis(options: Namespace) -> "Basis":
    from errorflow.simulate.basis import Basis

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
    """That of all tensors, the last that was named, and those of single ones; names of tensors may hold a = too."""
    alone = {tensor: key for tensor, sign, key in (word.rpartition("=") for word in words) if sign}
    if "" in alone:
        raise UsageError(f"--method ={alone['']} names no tensor.", "Write KEY for all tensors, or TENSOR=KEY.")
    general = [word for word in words if "=" not in word]
    return general[-1] if general else "", tuple(alone.items())


def _plan(options: Namespace, model: "Floated", basis: "Basis") -> "Plan":
    from errorflow.quant.asking import asked_nodes
    from errorflow.quant.plan import FLOAT
    from errorflow.quant.plan_file import read_plan
    from errorflow.quant.presets import preset
    from errorflow.simulate.bench import first_plan

    if options.plan and options.preset:
        raise UsageError("--plan and --preset cannot both be given.", "A plan says which preset it began as.")
    if options.plan:
        plan = read_plan(Path(options.plan))
    else:
        plan = preset(options.preset).plan if options.preset else first_plan(model, basis)
    for name in _kept(options.keep_float, model.model.graph):
        plan = plan.with_rule(replace(asked_nodes(model.model.graph, name), activations=FLOAT, weights=FLOAT))
    for text in options.bits:
        name, bits = _parsed_bits(text)
        activations, weights = plan.in_bits(bits)
        plan = plan.with_rule(replace(asked_nodes(model.model.graph, name), activations=activations, weights=weights))
    return plan


def _kept(texts: list[str], graph: "Graph") -> Iterator[str]:
    """What is to stay in float: the name of a node may have a comma in it."""
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


def _write(out: Path, outcome: "Outcome", facts: dict[str, str], deployed: "Deployed | None") -> list[Path]:
    from errorflow.files import write_atomic
    from errorflow.quant.plan_file import plan_text
    from errorflow.report.simulation import simulated_json, simulated_nodes_csv, simulated_tensors_csv

    texts = {
        "tensors.csv": simulated_tensors_csv(outcome),
        "nodes.csv": simulated_nodes_csv(outcome),
        "summary.json": simulated_json(outcome, facts, deployed),
        "plan.json": plan_text(outcome.plan),
    }
    for name, text in texts.items():
        write_atomic(out / name, text)
    return [out / name for name in texts]


SIMULATE = Command("simulate", "Quantize a model in simulation, and see each node's error.", _arguments, _run)
