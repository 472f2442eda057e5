"""`errorflow export MODEL --to …`: hands a decision over to a toolchain, and `--read FILE` takes one back."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import Progress, UsageError
from errorflow.cli.calibrate import add_samples, asked_by
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter, plain
from errorflow.cli.of_session import taking_samples

if TYPE_CHECKING:
    from errorflow.quant.plan import Plan
    from errorflow.quant.ranges import Calibration
    from errorflow.report.toolchains.model import Decision, Toolchain, WrittenFiles
    from errorflow.study.simulate.basis import Basis
    from errorflow.study.simulate.floated import Floated

ALL, PLAN = "all", "plan.json"
KEYS = "amct, amct-simple, amct-record, pulsar2, horizon, horizon-hmct, onnxruntime, rknn, tpu-mlir, qdq, plan, or all"
EXAMPLES = """\
examples:
  errorflow export model.onnx --plan result/plan.json --to pulsar2 --out handed_over
  errorflow export model.onnx --plan plan.json --to amct --base quant_config.json --out handed_over
  errorflow export model.onnx --plan plan.json --to all --data calibration_data --out handed_over
  errorflow export --read quant_config.json --for model.onnx --out theirs      their setting as plan.json
  errorflow export case.errorflow --to pulsar2 --out handed_over               a session: its model, samples and plan
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument("model", metavar="MODEL", nargs="?", help="the model that was decided on, or a session")
    group = parser.add_argument_group("handing over")
    group.add_argument("--plan", type=Path, metavar="FILE", help="what was decided: a plan.json")
    group.add_argument("--preset", metavar="NAME", help="in place of a plan: what a toolchain does by default")
    group.add_argument("--to", metavar="NAME", help=KEYS)
    group.add_argument(
        "--base", type=Path, metavar="FILE", help="your own setting of that toolchain: all else in it is kept"
    )
    group.add_argument("--calibration", type=Path, metavar="FILE", help="ranges that `errorflow calibrate` wrote")
    add_samples(parser)
    back = parser.add_argument_group("taking back")
    back.add_argument("--read", type=Path, metavar="FILE", help="a toolchain's setting, which becomes a plan.json")
    back.add_argument("--for", dest="of", type=Path, metavar="MODEL", help="the model that it is for")
    back.add_argument("--from", dest="whose", metavar="NAME", help="whose setting it is, where that cannot be seen")
    parser.add_argument("-out", "--out", "--output", dest="output", metavar="DIR", default=".", help="where to write")


def _run(options: Namespace) -> int:
    if options.read is not None:
        return _take_back(options)
    if options.model is None or options.to is None:
        raise UsageError("`errorflow export` needs a model and --to.", f"--to takes {KEYS}.")
    if options.of is not None or options.whose is not None:
        raise UsageError("--for and --from belong to --read.", "Leave them out, or give --read FILE.")
    return _hand_over(options)


def _hand_over(options: Namespace) -> int:
    from errorflow.report.toolchains.saving import save
    from errorflow.study.simulate.floated import floated

    chosen, out, lines = _chosen(options), Path(options.output), list[str]()
    with (
        Meter() as meter,
        floated(Path(options.model), getattr(options, "reference", None), meter) as opened,
        _decided(options, opened, chosen, meter) as decision,
    ):
        for each in chosen:
            written = _written(each, decision, options)
            if isinstance(written, UsageError):
                lines.append(f"{each.label}: not written. {written}")
                continue
            files, written = save(written, each.key, out, meter)
            lines += _told(each, written, files)
    print(plain("\n".join(lines)))
    return 0


def _written(toolchain: "Toolchain", decision: "Decision", options: Namespace) -> "WrittenFiles | UsageError":
    """Writes a decision. Of all toolchains some may have nothing to write; of a single one that is an error."""
    try:
        if options.base is not None and not toolchain.takes_base:
            raise UsageError(f"{toolchain.label} starts from no file of yours.", "Leave out --base.")
        return toolchain.write(decision, options.base)
    except UsageError as error:
        if options.to != ALL:
            raise
        return error


def _told(toolchain: "Toolchain", written: "WrittenFiles", files: Sequence[Path]) -> Iterator[str]:
    from errorflow.report.toolchains.model import told

    yield f"{toolchain.label}: {', '.join(map(str, files))}"
    yield from (f"  {note}" for note in written.told)
    if written.left_out:
        yield f"  Not as decided, since the target cannot be told of it: {len(written.left_out):,}"
        yield from (f"    {line}" for line in told(written.left_out))


def _chosen(options: Namespace) -> "tuple[Toolchain, ...]":
    from errorflow.report.toolchains import TOOLCHAINS, toolchain

    if options.to != ALL:
        return (toolchain(options.to),)
    if options.base is not None:
        raise UsageError("--base goes with one toolchain, and not with all.", "Name the one whose setting it is.")
    return tuple(TOOLCHAINS)


def _plan(options: Namespace, opened: "Floated") -> "Plan":
    from errorflow.quant.plan_file import read_plan
    from errorflow.quant.presets import preset

    if options.plan is not None and options.preset is not None:
        raise UsageError("--plan and --preset cannot both be given.", "A plan says which preset it began as.")
    if options.plan is not None:
        return read_plan(options.plan)
    if options.preset is not None:
        return preset(options.preset).plan
    begun: Plan | None = getattr(options, "begun", None)
    if begun is not None:
        return begun
    if opened.back is not None:
        return opened.back.plan
    raise UsageError("What was decided is missing.", "Give --plan plan.json, or --preset NAME.")


@contextmanager
def _decided(
    options: Namespace, opened: "Floated", chosen: "Sequence[Toolchain]", progress: Progress
) -> "Iterator[Decision]":
    """The model runs only where there are samples, or where something is written that needs it."""
    from errorflow.report.toolchains.model import Decision
    from errorflow.study.simulate.bench import Bench

    plan = _plan(options, opened)
    basis = _basis(options, opened, any(each.needs_run for each in chosen))
    if basis is None:
        yield Decision.of(opened.model.graph, plan, _calibration(options, opened), opened.path.name)
        return
    with Bench.open(opened, basis, plan, progress=progress) as bench:
        yield Decision.on(bench, plan)


def _basis(options: Namespace, opened: "Floated", must_run: bool) -> "Basis | None":
    """Opens the basis; None: nothing is run. Ranges that are known need one sample, which may be made up."""
    from errorflow.study.simulate.basis import Basis

    begun: Basis | None = getattr(options, "basis", None)
    if begun is not None and not (options.plan or options.preset):
        return begun
    asked = asked_by(options)
    if asked.paths or asked.seed is not None:
        return Basis(asked, options.samples, calibration=options.calibration, own=options.calibration is None)
    if not must_run or (options.calibration is None and opened.back is None):
        return None
    return Basis(replace(asked, seed=0, count=1), calibration=options.calibration, own=options.calibration is None)


def _calibration(options: Namespace, opened: "Floated") -> "Calibration | None":
    from errorflow.quant.calibrate.saved import load_calibrations

    if options.calibration is not None:
        found = load_calibrations(options.calibration)
        if not found:
            raise UsageError(f"{options.calibration} holds no ranges.", "`errorflow calibrate` writes some.")
        return found[0]
    return None if opened.back is None else opened.back.calibration


def _take_back(options: Namespace) -> int:
    from errorflow.cli.asked import folder
    from errorflow.graph.build import counted
    from errorflow.quant.plan_file import write_plan
    from errorflow.report.toolchains import toolchain, toolchain_of
    from errorflow.run.both import runnable

    if options.of is None or options.model is not None or options.to is not None:
        raise UsageError("--read needs --for MODEL, and no other model.", "See `errorflow export --help`.")
    whose = toolchain_of(options.read) if options.whose is None else toolchain(options.whose)
    with Meter() as meter:
        graph = runnable(options.of, meter).graph
        found = whose.read(options.read, graph, meter)
    target = folder(options) / PLAN
    write_plan(found.plan, target)
    rules = counted(len(found.plan.rules), "rule", "rules")
    print(plain(f"{options.read.name} as {whose.label}: {rules}. Written: {target}"))
    for line in (*found.notes, *(f"  {rule.text}" for rule in found.plan.rules)):
        print(plain(line[:400]))
    return 0


EXPORT = Command("export", "Hand a decision over to a toolchain, or take one back.", _arguments, taking_samples(_run))
