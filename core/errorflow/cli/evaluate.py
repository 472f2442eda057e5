"""`errorflow evaluate MODEL --data … --labels …`: how often the float model is right, and others beside it."""

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from errorflow.base import ErrorflowError, Progress, UsageError
from errorflow.base.files import write_atomic
from errorflow.cli.calibrate import add_samples, asked_by
from errorflow.cli.command import Command
from errorflow.cli.evaluator import seconds_of
from errorflow.cli.meter import Meter, plain
from errorflow.cli.of_session import taking_samples
from errorflow.cli.search import made_folder

if TYPE_CHECKING:
    from errorflow.quant.plan import Plan
    from errorflow.run.samples.fitting import SampleSlice
    from errorflow.study.evaluate.accuracy import AccuracyRequest, Candidate
    from errorflow.study.evaluate.labels import Labels
    from errorflow.study.evaluate.own import OwnEvaluator
    from errorflow.study.simulate.basis import Basis
    from errorflow.study.simulate.floated import Floated

TABLE, SUMMARY, LOG = "evaluation.csv", "evaluation.json", "evaluator.log"
MOST_K = 1_000_000
EXAMPLES = """\
examples:
  errorflow evaluate model.onnx --data images --labels labels.txt            beside the first preset
  errorflow evaluate model.onnx --data by_class --preset amct --preset pulsar2-u8 --top 1,5
  errorflow evaluate model.onnx --data x.npz --labels y.npy --plan result/plan.json --against model_int8.onnx
  errorflow evaluate model.onnx --data x.npz --evaluator my_accuracy.py --against model_int8.onnx
  errorflow evaluate model_int8.onnx --data images --labels labels.csv       quantized already, beside its float model
  errorflow evaluate case.errorflow                                          a session: its samples, labels and plan
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument(
        "model", metavar="MODEL", help="the original, a quantized model with the float one in it, or a session"
    )
    add_samples(parser)
    parser.add_argument(
        "--calibrate-on", type=int, metavar="N", help="for plans: the first N of the samples, which are not evaluated"
    )
    parser.add_argument("--calibrate-data", nargs="+", default=[], metavar="PATH", help="for plans: other samples")
    parser.add_argument("--labels", type=Path, metavar="FILE", help="right answers: .txt, .csv (name,label) or .npy")
    parser.add_argument("--top", default="1,5", metavar="K,…", help="right among the first K answers (default: 1,5)")
    parser.add_argument(
        "--output", dest="outputs", action="append", default=[], metavar="NAME", help="with the scores; repeatable"
    )
    group = parser.add_argument_group("what stands beside the original")
    group.add_argument("--against", nargs="+", default=[], type=Path, metavar="MODEL", help="other ONNX models")
    group.add_argument(
        "--plan", dest="plans", action="append", default=[], type=Path, metavar="FILE", help="repeatable"
    )
    group.add_argument("--preset", dest="presets", action="append", default=[], metavar="NAME", help="repeatable")
    group.add_argument("--method", default="", metavar="KEY", help="of calibration (default: that of the preset)")
    group.add_argument("--calibration", metavar="FILE", help="ranges that `errorflow calibrate` wrote")
    parser.add_argument(
        "--evaluator", type=Path, metavar="FILE", help="a Python file with evaluate(run) and good_enough(original, new)"
    )
    parser.add_argument("--max-drop", metavar="N", help="for the evaluator: how much may be lost: 0.01, or 1%%")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="for one evaluation by the evaluator")
    parser.add_argument("--reference", type=Path, metavar="MODEL", help="of a quantized MODEL: the float one")
    parser.add_argument("-out", "--out", dest="folder", metavar="DIR", default=".", help="where to write")


def _run(options: Namespace) -> int:
    from errorflow.report.evaluation import evaluation_csv, evaluation_json, evaluation_lines
    from errorflow.study.evaluate.accuracy import evaluated
    from errorflow.study.evaluate.labels import right_answers
    from errorflow.study.simulate.floated import floated

    _check(options)
    out = made_folder(options.folder)
    with Meter() as meter, floated(Path(options.model), options.reference, meter) as model, ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory(prefix="errorflow-")))
        basis, labels = _labelled(options, model, meter)
        samples, text = _samples(model, basis, meter)
        asked = _asked(options, model, None if labels is None else right_answers(labels, samples))
        own = _own(options, out, asked.labels, meter)
        if own is not None:
            stack.callback(own.close)
        original, others = _candidates(options, model, basis, place, meter)
        found = evaluated(original, others, samples, asked, own, meter)
    texts = {TABLE: evaluation_csv(found), SUMMARY: evaluation_json(found)}
    for name, written in texts.items():
        write_atomic(out / name, written)
    said = "" if labels is not None or own is not None else " There are no labels: right is what the original answers."
    print(plain(f"{model.path.name} and others as deployed, by ONNX Runtime. {text}{said}"))
    if model.back is not None and options.reference is None:
        print("The float model was read back out of codes, and has what they left of its weights: give --reference.")
    print(plain("\n".join(evaluation_lines(found))))
    print(plain(f"Written: {', '.join(str(out / name) for name in texts)}"))
    return 0


def _check(options: Namespace) -> None:
    """Refuses options that would be of no use."""
    if options.evaluator is None and (options.max_drop is not None or options.time_limit is not None):
        name = "--time-limit" if options.max_drop is None else "--max-drop"
        raise UsageError(f"{name} is for an evaluator, and there is none.", "Name its file with --evaluator.")


def _labelled(options: Namespace, model: "Floated", meter: Progress) -> "tuple[Basis, Labels | None]":
    from errorflow.study.evaluate.asking import few_calibrate, with_labels
    from errorflow.study.simulate.basis import Basis

    asked = asked_by(options)
    basis = Basis(
        replace(asked, paths=tuple(options.calibrate_data)) if options.calibrate_data else asked,
        options.samples,
        options.calibrate_on,
        method=options.method,
        calibration=Path(options.calibration) if options.calibration else None,
        own=not (options.presets or options.method or options.calibration),
        reference=options.reference,
        others=asked.paths if options.calibrate_data else (),
    )
    begun = _begun(options)
    if begun is not None and not (options.method or options.calibration):
        basis = replace(basis, method=begun.method, methods=begun.methods, own=begun.own)
    basis, labels = with_labels(model, basis, options.labels, meter)
    others = bool(options.against) or model.back is not None
    has_plans = bool(options.plans or options.presets or begun) or not others
    return (few_calibrate(model, basis, meter) if has_plans else basis), labels


def _begun(options: Namespace) -> "Basis | None":
    """Opens the basis of a session's plan; None where there is no session, or options say other plans."""
    found: Basis | None = getattr(options, "basis", None)
    return None if options.plans or options.presets else found


def _samples(model: "Floated", basis: "Basis", meter: Progress) -> "tuple[SampleSlice, str]":
    """Chooses the samples to evaluate, and a sentence on them; those that calibrate plans are left out."""
    from errorflow.run.model import wanted_of
    from errorflow.run.samples.fitting import SampleSlice
    from errorflow.run.samples.opening import open_samples

    wanted = wanted_of(model.model.graph)
    paths = basis.others if basis.others else basis.asked.paths
    whole = open_samples(wanted, replace(basis.asked, paths=paths), meter)
    count = whole.count if basis.samples is None else min(basis.samples, whole.count)
    first = 0
    if not basis.others and basis.calibration is None and basis.calibrate_on is not None:
        first = basis.calibrate_on
    if first >= count:
        raise UsageError(f"All {count:,} samples calibrate, and none are left.", "Give more, or fewer --calibrate-on.")
    text = f"The first {first:,} samples calibrate, the other {count - first:,} are evaluated."
    return SampleSlice(whole, first, count - first), text if first else f"{count:,} samples are evaluated."


def _asked(options: Namespace, model: "Floated", labels: "tuple[int, ...] | None") -> "AccuracyRequest":
    from errorflow.study.evaluate.accuracy import AccuracyRequest

    graph = model.model.graph
    known = [graph.tensor_names[tensor] for tensor in graph.outputs.tolist()]
    for name in options.outputs:
        if name not in known:
            raise UsageError(f"The model has no output {name[:100]}.", f"It has {', '.join(known)}.")
    ks = [text.strip() for text in options.top.split(",")]
    if not ks or not all(text.isdecimal() and 0 < int(text) <= MOST_K for text in ks):
        raise UsageError(f"--top takes numbers, and “{options.top[:40]}” are none.", "Write --top 1,5.")
    outputs = tuple(options.outputs) if options.outputs else tuple(known if options.evaluator else known[:1])
    return AccuracyRequest(labels, tuple(dict.fromkeys(int(text) for text in ks)), outputs)


def _own(options: Namespace, out: Path, labels: "tuple[int, ...] | None", meter: Progress) -> "OwnEvaluator | None":
    from errorflow.study.evaluate.own import OwnEvaluator
    from errorflow.study.evaluate.rules import parse_drop

    if options.evaluator is None:
        return None
    seconds = seconds_of(options)
    rule = parse_drop(options.max_drop) if options.max_drop else None
    own = OwnEvaluator(options.evaluator, out / LOG, rule, labels, seconds)
    own.check(meter)
    return own


def _candidates(
    options: Namespace, model: "Floated", basis: "Basis", place: Path, meter: Progress
) -> "tuple[Candidate, list[Candidate]]":
    """The original, and what stands beside it, exported where it is a plan."""
    from errorflow.run.both import runnable
    from errorflow.study.evaluate.accuracy import Candidate

    name = model.path.name if model.back is None else f"float model in {model.path.name}"
    original = Candidate(name, model.model.path)
    found = [] if model.back is None else [Candidate(model.path.name, model.path)]
    for path in options.against:
        found.append(Candidate(path.name, runnable(path, meter).path))
    plans = list(_plans(options, nothing_else=not found))
    for number, (name, plan) in enumerate(plans):
        target = place / f"{number}.onnx"
        try:
            _export(model, basis, plan, target, meter)
        except ErrorflowError as error:  # the others are wanted
            found.append(Candidate(name, target, str(error)))
        else:
            found.append(Candidate(name, target))
    return original, found


def _plans(options: Namespace, *, nothing_else: bool) -> "list[tuple[str, Plan]]":
    from errorflow.quant.plan_file import read_plan
    from errorflow.quant.presets import preset
    from errorflow.study.simulate.bench import PRESET

    begun = getattr(options, "begun", None)
    if begun is not None and not (options.plans or options.presets):
        return [(options.case, begun)]
    presets = options.presets if options.presets or options.plans or not nothing_else else [PRESET]
    return [(str(path), read_plan(path)) for path in options.plans] + [(key, preset(key).plan) for key in presets]


def _export(model: "Floated", basis: "Basis", plan: "Plan", target: Path, meter: Progress) -> None:
    """Exports on a bench that evaluates no more than it must."""
    from errorflow.study.simulate.bench import Bench

    few = basis
    if not basis.others and basis.calibration is None and basis.calibrate_on is not None:
        few = replace(basis, samples=basis.calibrate_on + 1)
    elif basis.calibration is not None:
        few = replace(basis, samples=1)
    with Bench.open(model, few, plan, progress=meter) as bench:
        bench.engine.export(plan, target, meter)


EVALUATE = Command(
    "evaluate", "Count right answers of the float model and of others beside it.", _arguments, taking_samples(_run)
)
