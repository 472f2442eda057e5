"""`errorflow simulate MODEL --data …`: what quantization does to a model, node by node, without a quantized one."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError
from errorflow.base.files import write_atomic
from errorflow.base.values import replace
from errorflow.cli.calibrate import some_notes
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter, plain
from errorflow.cli.of_session import check_target, save_simulation, taking_sessions
from errorflow.cli.planned import add_correction, add_simulated, basis_by, corrected, plan_by

if TYPE_CHECKING:
    from errorflow.case.session.model import Session, Simulation
    from errorflow.quant.plan import Plan
    from errorflow.study.simulate.applied import Applied
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.deployed import Deployed
    from errorflow.study.simulate.outcome import Outcome

QDQ, PLAN, APPLIED = "model_qdq.onnx", "plan.json", "applied"
_NOTHING = "Nothing was applied: the verdict names no set of nodes that brings the output back."
EXAMPLES = """\
examples:
  errorflow simulate model.onnx --data calibration_data -out result      as ONNX Runtime quantizes by default
  errorflow simulate model.onnx --data x.npz --preset pulsar2-u8 --method mse
  errorflow simulate model.onnx --data x.npz --keep-float /head/Conv --bits /stem/Conv=16
  errorflow simulate model.onnx --data x.npz --keep-float type:Softmax --bits stem_out..features=16
  errorflow simulate model.onnx --data x.npz --smooth --equalize --correct-biases
  errorflow simulate model.onnx --data x.npz --plan result/plan.json --export
  errorflow simulate model.onnx --data x.npz --apply             and once more with what the verdict names in float
  errorflow simulate model.onnx --data x.npz --session case.errorflow        as a session, too, for the window
  errorflow simulate case.errorflow --keep-float /head/Conv              what a session simulates, and a node in float
  errorflow simulate model_int8.onnx --data x.npz --keep-float /head/Conv   quantized already: its own plan and scales
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    add_simulated(parser)
    add_correction(parser)
    parser.add_argument("--quick", action="store_true", help="do not run each group of nodes alone")
    parser.add_argument("--export", action="store_true", help=f"also write the quantized model, {QDQ}")
    parser.add_argument(
        "--deployed", action="store_true", help="also run the quantized model with all optimisations of ONNX Runtime"
    )
    parser.add_argument(
        "--apply",
        action="store_true",
        help=f"also simulate it with what the verdict names in float, and write that to {APPLIED}/",
    )
    parser.add_argument(
        "--session", metavar="FILE", help="also save the simulation as a session, case.errorflow, for the window"
    )
    parser.add_argument("-out", "--out", "--output", dest="output", metavar="DIR", default=".", help="where to write")


def _run(options: Namespace) -> int:
    from errorflow.case.session.model import Session, Simulation
    from errorflow.case.simulating import on_bench
    from errorflow.cli.asked import folder
    from errorflow.report.deployed import deployed_lines
    from errorflow.report.simulation import simulated_lines
    from errorflow.study.simulate.applied import applied
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.deployed import deploy_on
    from errorflow.study.simulate.floated import floated

    check_target(options.session, Path(options.model))
    basis = basis_by(options)
    out = folder(options)
    with Meter() as meter, floated(Path(options.model), options.reference, meter) as model:
        plan = plan_by(options, model, basis)
        _spare_the_plan(options, plan, out)
        with Bench.open(model, basis, plan, progress=meter) as bench:
            plan = corrected(options, bench, plan, meter)
            simulation = Simulation(basis, plan)
            session = Session(model.path, simulation=simulation)
            outcome = on_bench(session, simulation, bench, quick=options.quick, progress=meter).outcome
            assert outcome is not None, "it was simulated"
            remedied = _remedied(outcome)
            plans = [plan, *(() if remedied is None else remedied[1:])]
            deployed = [deploy_on(bench, each, meter) for each in plans] if options.deployed else []
            steps = applied(bench, plan)
            files = _write(out, outcome, dict(bench.facts), deployed, steps if plan.steps else None)
            if options.export:
                bench.engine.export(plan, out / QDQ, meter)
                files.append(out / QDQ)
            told = [*simulated_lines(outcome), *(line for each in deployed[:1] for line in deployed_lines(each))]
            for each in deployed[1:]:
                told += [f"With {remedied[0] if remedied else ''} in float:", *deployed_lines(each)]
            if options.apply:
                more, written = _apply(options, session, simulation, bench, remedied, deployed[1:], meter)
                told, files = [*told, *more], [*files, *written]
            if options.session is not None:
                save_simulation(Path(options.session), outcome, bench)
                files.append(Path(options.session))
    print(plain(f"{model.path.name} as {bench.meant(plan)}, calibrated by {bench.calibration.method}. {bench.text}"))
    for line in some_notes(bench.notes):
        print(plain(line))
    if bench.made_up:
        print("The samples were made up: this says nothing about the model in use.")
    print(plain("\n".join([*steps.lines(), *told])))
    print(plain(f"Written: {', '.join(map(str, files))}"))
    return 0


def _remedied(outcome: "Outcome") -> "tuple[str, Plan] | None":
    """Finds what the verdict names, and the plan with it in float."""
    from errorflow.quant.plan import FLOAT
    from errorflow.quant.switching import switched

    blame = outcome.findings.blame
    remedy = None if blame is None else blame.model.remedy
    if blame is None or remedy is None:
        return None
    nodes = (*remedy.nodes, *remedy.others)
    return ", ".join(map(blame.graph.title, nodes)), switched(blame.graph, outcome.plan, nodes, FLOAT)


def _apply(
    options: Namespace,
    session: "Session",
    simulation: "Simulation",
    bench: "Bench",
    remedied: "tuple[str, Plan] | None",
    deployed: "Sequence[Deployed]",
    meter: Meter,
) -> tuple[list[str], list[Path]]:
    """Simulates the plan with what the verdict names in float, and writes what came of it."""
    from errorflow.case.simulating import on_bench
    from errorflow.cli.asked import folder
    from errorflow.report.simulation import simulated_lines

    if remedied is None:
        return [_NOTHING], []
    named, plan = remedied
    applied = on_bench(session, replace(simulation, plan=plan), bench, quick=options.quick, progress=meter).outcome
    assert applied is not None, "it was simulated"
    out = folder(Namespace(output=folder(options) / APPLIED))
    files = _write(out, applied, dict(bench.facts), deployed, None)
    if options.export:
        bench.engine.export(plan, out / QDQ, meter)
        files.append(out / QDQ)
    return ["", f"With {named} in float ({out}):", *simulated_lines(applied)], files


def _spare_the_plan(options: Namespace, plan: "Plan", out: Path) -> None:
    """Keeps another plan from taking the place of the one that was given."""
    from errorflow.quant.plan_file import read_plan

    given = Path(options.plan).resolve() if options.plan else None
    if options.apply and options.quick:
        raise UsageError("--quick looks for no set that --apply could put to float.", "Leave one of them out.")
    if options.apply and given == (out / APPLIED / PLAN).resolve():
        raise UsageError(f"What is applied would take the place of {options.plan}.", "Name another folder by --out.")
    if given != (out / PLAN).resolve():
        return
    if plan != read_plan(Path(options.plan)):
        raise UsageError(f"The changed plan would take the place of {options.plan}.", "Name another folder by --out.")


def _write(
    out: Path, outcome: "Outcome", facts: dict[str, str], deployed: "Sequence[Deployed]", steps: "Applied | None"
) -> list[Path]:
    from errorflow.quant.plan_file import plan_text
    from errorflow.report.remedies import remedies_csv
    from errorflow.report.simulation import simulated_json, simulated_nodes_csv, simulated_tensors_csv

    texts = {
        "tensors.csv": simulated_tensors_csv(outcome),
        "nodes.csv": simulated_nodes_csv(outcome),
        "summary.json": simulated_json(outcome, facts, deployed, steps),
        PLAN: plan_text(outcome.plan),
        **({} if steps is None else {"remedies.csv": remedies_csv(steps)}),
    }
    for name, text in texts.items():
        write_atomic(out / name, text)
    return [out / name for name in texts]


SIMULATE = Command(
    "simulate",
    "Quantize a model in simulation, and see each node's error.",
    _arguments,
    taking_sessions(_arguments, _run),
)
