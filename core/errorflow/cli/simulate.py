"""`errorflow simulate MODEL --data …`: what quantization does to a model, node by node, without a quantized one."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from errorflow.cli.calibrate import add_samples, asked_by
from errorflow.cli.command import Command
from errorflow.errors import UsageError

if TYPE_CHECKING:
    from errorflow.graph.model import Model
    from errorflow.progress import Progress
    from errorflow.quant.plan import Plan
    from errorflow.quant.ranges import Calibration
    from errorflow.quant.readback.reading import ReadBack
    from errorflow.run.samples.fitting import Fitted, Part
    from errorflow.simulate.outcome import Outcome

PRESET = "onnxruntime"
# Of many samples so many are left for evaluation.
EVALUATED = 8
QDQ = "model_qdq.onnx"
SHOWN = 8
EXAMPLES = """\
examples:
  errorflow simulate model.onnx --data calibration_data -out result      as ONNX Runtime quantizes by default
  errorflow simulate model.onnx --data x.npz --preset pulsar2-u8 --method mse
  errorflow simulate model.onnx --data x.npz --keep-float /head/Conv --bits /stem/Conv=16
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
        help=f"calibrate on the first N and evaluate on the rest (default: all but {EVALUATED}, or but a quarter)",
    )
    group = parser.add_argument_group("what is quantized")
    group.add_argument("--preset", metavar="NAME", help=f"a plan that mimics a toolchain (default: {PRESET})")
    group.add_argument("--plan", metavar="FILE", help="a plan.json of an earlier run, or of your own")
    group.add_argument(
        "--keep-float", action="append", default=[], metavar="NODE,…", help="in float, with what they read and make; *"
    )
    group.add_argument(
        "--bits", action="append", default=[], metavar="NODE=16", help="4, 8 or 16 bits for a node; repeatable"
    )
    group.add_argument("--method", metavar="KEY", help="of calibration (default: that of the preset)")
    group.add_argument("--calibration", metavar="FILE", help="ranges that `errorflow calibrate` wrote")
    parser.add_argument(
        "--reference", type=Path, metavar="MODEL", help="of a quantized MODEL: the float one, for its weights"
    )
    parser.add_argument("--quick", action="store_true", help="do not run each group of nodes alone")
    parser.add_argument("--export", action="store_true", help=f"also write the quantized model, {QDQ}")
    parser.add_argument("-out", "--out", "--output", dest="output", metavar="DIR", default=".", help="where to write")


def _run(options: Namespace) -> int:
    from errorflow.cli.asked import folder
    from errorflow.cli.meter import Meter
    from errorflow.cli.plain import plain
    from errorflow.cli.read_back import floated
    from errorflow.report.simulation import simulated_lines
    from errorflow.rerun.engine import Engine
    from errorflow.run.both import runnable
    from errorflow.simulate.outcome import NOISE_SAMPLES, simulate

    asked = asked_by(options)
    out = folder(options)
    with Meter() as meter, TemporaryDirectory(prefix="errorflow-") as place:
        model, back = floated(runnable(Path(options.model), meter), Path(place), meter, options.reference)
        own = None if options.preset or options.method or options.calibration else back
        plan = _plan(options, model, own)
        calibrated, evaluated, text = _samples(options, model, own, meter)
        calibration, notes = _calibration(options, model, own, asked, plan, calibrated, meter)
        samples = [evaluated.read(number) for number in range(evaluated.count)]
        with Engine(model.path, samples, calibration, progress=meter) as engine:
            outcome = simulate(engine, plan, noise_samples=0 if options.quick else NOISE_SAMPLES, progress=meter)
            facts = {**calibration.facts, **engine.facts, "samples": text, "calibration": calibration.method}
            files = _write(out, outcome, facts)
            if options.export:
                engine.export(plan, out / QDQ, meter)
                files.append(out / QDQ)
    print(plain(f"{model.path.name} as {_meant(plan)}, calibrated by {calibration.method}. {text}"))
    for note in (*(() if back is None else back.notes), *evaluated.notes, *notes)[:SHOWN]:
        print(plain(note))
    if evaluated.made_up:
        print("The samples were made up: this says nothing about the model in use.")
    print(plain("\n".join(simulated_lines(outcome))))
    print(plain(f"Written: {', '.join(map(str, files))}"))
    return 0


def _meant(plan: "Plan") -> str:
    return "it is quantized" if plan.coded is not None else plan.preset if plan.preset else "planned"


def _plan(options: Namespace, model: "Model", own: "ReadBack | None") -> "Plan":
    from errorflow.quant.plan_file import read_plan
    from errorflow.quant.presets import preset

    if options.plan and options.preset:
        raise UsageError("--plan and --preset cannot both be given.", "A plan says which preset it began as.")
    if options.plan:
        plan = read_plan(Path(options.plan))
    else:
        plan = preset(options.preset or PRESET).plan if own is None else own.plan
    names = [name.strip() for text in options.keep_float for name in text.split(",") if name.strip()]
    for name in names:
        _check_name(model, name)
        plan = plan.keeping_float(name)
    for text in options.bits:
        name, bits = _parsed_bits(text)
        _check_name(model, name)
        plan = plan.with_bits(bits, name)
    return plan


def _parsed_bits(text: str) -> tuple[str, int]:
    name, sign, bits = text.rpartition("=")
    if not (name and sign and bits.strip() in ("4", "8", "16")):
        raise UsageError(f"--bits takes NODE=4, NODE=8 or NODE=16, and “{text[:80]}” is none.", "Write /conv=16.")
    return name.strip(), int(bits)


def _check_name(model: "Model", name: str) -> None:
    """A wish that no node hears would change nothing and not say so."""
    from difflib import get_close_matches

    from errorflow.quant.plan import FLOAT, Rule
    from errorflow.quant.selecting import chosen

    graph = model.graph
    if chosen(graph, Rule(FLOAT, names=(name,))).any():
        return
    near = get_close_matches(name, [graph.title(node) for node in range(len(graph))], 3, 0.4)
    hint = f"Did you mean {', '.join(near)}?" if near else "`errorflow inspect MODEL --nodes` lists them."
    raise UsageError(f"{model.path.name} has no node {name[:200]}.", hint)


def _samples(
    options: Namespace, model: "Model", own: "ReadBack | None", progress: "Progress"
) -> tuple["Part", "Part", str]:
    """Those for calibration, those for evaluation, and a sentence on them."""
    from errorflow.graph.build import counted
    from errorflow.run.model import wanted_of
    from errorflow.run.samples.fitting import Part
    from errorflow.run.samples.opening import open_samples

    whole: Fitted = open_samples(wanted_of(model.graph), asked_by(options), progress)
    count = whole.count if options.samples is None else min(options.samples, whole.count)
    if options.calibration or own is not None:
        part = Part(whole, 0, count)
        return part, part, f"Evaluated on {count:,} of {whole.count:,} samples."
    if options.calibrate_on is not None and options.calibrate_on < 1:
        raise UsageError("--calibrate-on must be at least 1.", "Leave it out to divide the samples.")
    first = count - min(EVALUATED, count // 4) if options.calibrate_on is None else options.calibrate_on
    if first >= count:
        part = Part(whole, 0, count)
        return (
            part,
            part,
            f"Calibrated and evaluated on the same {counted(count, 'sample', 'samples')}: no others are left.",
        )
    text = f"Calibrated on {counted(first, 'sample', 'samples')}, evaluated on {count - first:,} others."
    return Part(whole, 0, first), Part(whole, first, count - first), text


def _calibration(
    options: Namespace,
    model: "Model",
    own: "ReadBack | None",
    asked: Any,
    plan: "Plan",
    samples: "Part",
    progress: "Progress",
) -> tuple["Calibration", tuple[str, ...]]:
    from errorflow.quant.calibrate.asked import methods_of
    from errorflow.quant.calibrate.saved import load_calibrations
    from errorflow.quant.precision import Precision
    from errorflow.quant.presets import preset
    from errorflow.run.calibrating import Wish, calibrate

    if own is not None:
        return own.calibration, ()
    if options.calibration:
        known = {each.method: each for each in load_calibrations(Path(options.calibration))}
        method = options.method if options.method else next(iter(known))
        if method not in known:
            raise UsageError(f"{options.calibration} has no ranges by {method}.", f"It has {', '.join(known)}.")
        return known[method], ()
    method = options.method if options.method else preset(plan.preset).method if plan.preset else "minmax"
    methods = methods_of([method])
    if len(methods) != 1:
        raise UsageError("A simulation needs one method.", "`errorflow calibrate --method all` compares them.")
    precision = plan.activations if isinstance(plan.activations, Precision) else Precision()
    found = calibrate(model.path, model.graph, asked, Wish(methods, precision, samples.count), progress)
    return found.calibrations[0], found.notes


def _write(out: Path, outcome: "Outcome", facts: dict[str, str]) -> list[Path]:
    from errorflow.files import write_atomic
    from errorflow.quant.plan_file import plan_text
    from errorflow.report.simulation import simulated_json, simulated_nodes_csv, simulated_tensors_csv

    texts = {
        "tensors.csv": simulated_tensors_csv(outcome),
        "nodes.csv": simulated_nodes_csv(outcome),
        "summary.json": simulated_json(outcome, facts),
        "plan.json": plan_text(outcome.plan),
    }
    for name, text in texts.items():
        write_atomic(out / name, text)
    return [out / name for name in texts]


SIMULATE = Command("simulate", "Quantize a model in simulation, and see each node's error.", _arguments, _run)
