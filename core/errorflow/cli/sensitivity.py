"""`errorflow sensitivity MODEL --data …`: which parts of a model matter, each quantized alone or left out alone."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import Progress, UsageError, dataclass
from errorflow.base.files import is_file, write_atomic
from errorflow.cli.calibrate import some_notes
from errorflow.cli.command import Command
from errorflow.cli.crew import add_crew, crew_by
from errorflow.cli.keeping import Keeping
from errorflow.cli.meter import Meter, plain
from errorflow.cli.of_session import taking_sessions
from errorflow.cli.planned import add_simulated, basis_by, plan_by
from errorflow.cli.ranked_parts import add_question, on_samples, question_by

if TYPE_CHECKING:
    from errorflow.study.evaluate.labels import Labels
    from errorflow.study.rank.interaction import PartPairs
    from errorflow.study.rank.model import Question, Ranking
    from errorflow.study.rank.tables import PlanTables, Scorer
    from errorflow.study.simulate.basis import Basis
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.floated import Floated


FILE, TABLE, PAIRS, VENDOR = "ranking.json", "ranking.csv", "pairs.csv", "sensitivity.log"
EXAMPLES = """\
examples:
  errorflow sensitivity model.onnx --data calibration_data --out result          groups of nodes, each quantized alone
  errorflow sensitivity model.onnx --data x.npz --measure impact,recovery --to 16
  errorflow sensitivity model.onnx --data x.npz --by weight --metric cosine,sqnr --vendor-table
  errorflow sensitivity model.onnx --data x.npz --by group --group /stem/Conv+/stem/Relu --group type:Softmax
  errorflow sensitivity model.onnx --data x.npz --out result --resume            go on with what is known there
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    add_simulated(parser)
    add_question(parser)
    add_crew(parser)
    group = parser.add_argument_group("your own measure")
    group.add_argument(
        "--evaluator",
        metavar="FILE",
        help="also rank by this: a Python file with evaluate(run), or top1, top5, … against --labels, or agreement",
    )
    group.add_argument("--labels", type=Path, metavar="FILE", help="the right answer of each sample")
    parser.add_argument(
        "--first",
        type=int,
        nargs="?",
        const=0,
        metavar="N",
        help="end when the order of the first N is decided (no N: 10, of fewer than 80 parts an eighth, 5 at least)",
    )
    parser.add_argument(
        "--pairs",
        type=int,
        metavar="K",
        help="run each pair of the first K parts, 2 to 60; 0: none (default: 5 where single parts tell too little)",
    )
    parser.add_argument(
        "--vendor-table", action="store_true", help=f"also write {VENDOR}, as Horizon's tool prints sensitivities"
    )
    parser.add_argument("--resume", action="store_true", help=f"go on with the {FILE} in the folder")
    parser.add_argument("--out", "-out", dest="folder", metavar="DIR", default=".", help="where to write")


def _run(options: Namespace) -> int:
    from errorflow.report.pairs import interaction_lines
    from errorflow.report.sensitivity import sensitivity_lines
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.floated import floated

    basis, out = basis_by(options), _folder(options)
    _check(options)
    with Meter() as meter, floated(Path(options.model), options.reference, meter) as model:
        basis, labels = labelled(options, model, basis, meter)
        plan, question = plan_by(options, model, basis), question_by(options, model.model.graph)
        known = _known(out) if options.resume else None
        with (
            Bench.open(model, basis, plan, progress=meter) as bench,
            crew_by(options, bench, out, meter) as crew,
            scorer_by(options, bench, labels, out, meter) as scorer,
        ):
            asked = _Asked(options, on_samples(options, question, bench.engine.samples), known, crew, scorer)
            ranking, pairs = _measured(asked, bench, out, meter)
            files = _write(out, ranking, pairs) + (_vendor(out, bench, ranking) if options.vendor_table else [])
        said = f"{model.path.name} as {bench.meant(plan)}, calibrated by {bench.calibration.method}. {bench.text}"
    print(plain(said))
    for line in some_notes(bench.notes):
        print(plain(line))
    if bench.made_up:
        print("The samples were made up: this says nothing about the model in use.")
    print(plain("\n".join([*sensitivity_lines(ranking, options.first or 0), *interaction_lines(ranking, pairs)])))
    print(plain(f"Written: {', '.join(map(str, files))}"))
    return 0


@dataclass(frozen=True)
class _Asked:
    options: Namespace
    question: "Question"
    known: "Ranking | None"
    crew: "PlanTables | None"
    scorer: "Scorer | None"


def _measured(asked: _Asked, bench: "Bench", out: Path, meter: Progress) -> "tuple[Ranking, PartPairs | None]":
    from errorflow.study.rank.grounds import ground_of
    from errorflow.study.rank.model import Ranking
    from errorflow.study.rank.ranking import rank
    from errorflow.study.rank.ranking_file import save_ranking

    keeping = Keeping[Ranking](out / FILE, partial(save_ranking, out / FILE), partial(_write, out))
    try:
        ranking = rank(
            bench.engine,
            bench.plan,
            asked.question,
            known=asked.known,
            give=keeping.take,
            progress=meter,
            crew=asked.crew,
            scorer=asked.scorer,
            ground=ground_of(bench, meter),
            first=asked.options.first,
        )
        _write(out, ranking)  # pairs take as long again
        return ranking, _pairs(asked, bench, ranking, meter)
    except BaseException:  # whatever ended it, also Ctrl-C: what is known is kept
        keeping.end()
        raise


def _pairs(asked: _Asked, bench: "Bench", ranking: "Ranking", meter: Progress) -> "PartPairs | None":
    """Finds pairs among those that were requested, else where single parts say too little."""
    from errorflow.study.rank.interaction import TOP, explained, pairs_of

    wanted = asked.options.pairs
    if wanted is None:
        wanted = TOP if any(each.way is not None for each in explained(ranking)) else 0
    top = min(wanted, len(ranking.parts))
    return pairs_of(bench.engine, ranking, top=top, progress=meter, crew=asked.crew) if top > 1 else None


def _check(options: Namespace) -> None:
    """Refuses at once what would otherwise be found only after all was run."""
    from errorflow.study.rank.interaction import MOST

    if options.pairs is not None and options.pairs != 0 and not 2 <= options.pairs <= MOST:
        raise UsageError(f"--pairs takes 0, or 2 to {MOST}.", "Leave it out to have pairs where they matter.")
    if options.first is not None and (options.first < 0 or options.vendor_table):
        raise UsageError("--first takes 1 or more, and --vendor-table needs all.", "Leave one of them out.")
    if options.vendor_table:
        from errorflow.report.sensitivity_vendor import check_kind

        check_kind(options.by if options.by else ("group" if options.group else "unit"), options.measure.split(","))


def _vendor(out: Path, bench: "Bench", ranking: "Ranking") -> list[Path]:
    from errorflow.report.sensitivity_vendor import QuantizedGraph, vendor_table

    engine = bench.engine
    quantized = QuantizedGraph(engine.graph, engine.assigned(ranking.plan), bench.calibration)
    write_atomic(out / VENDOR, vendor_table(ranking, quantized))
    return [out / VENDOR]


def _folder(options: Namespace) -> Path:
    from errorflow.cli.asked import folder

    return folder(Namespace(output=options.folder))


def _known(out: Path) -> "Ranking":
    from errorflow.study.rank.ranking_file import load_ranking

    if not is_file(out / FILE):
        raise UsageError(f"There is no {FILE} in {out} to go on with.", "Leave out --resume to begin.")
    return load_ranking(out / FILE)


def _write(out: Path, ranking: "Ranking", pairs: "PartPairs | None" = None) -> list[Path]:
    from errorflow.report.pairs import pairs_csv
    from errorflow.report.sensitivity import ranking_csv
    from errorflow.study.rank.ranking_file import save_ranking

    save_ranking(out / FILE, ranking)
    write_atomic(out / TABLE, ranking_csv(ranking))
    if pairs is None:
        return [out / TABLE, out / FILE]
    write_atomic(out / PAIRS, pairs_csv(ranking, pairs))
    return [out / TABLE, out / FILE, out / PAIRS]


SENSITIVITY = Command(
    "sensitivity",
    "Rank the parts of a model by what quantizing each alone does.",
    _arguments,
    taking_sessions(_arguments, _run),
)


# The user's own measure in a call that ranks: a Python file, or answers that are right.


def labelled(options: Namespace, model: "Floated", basis: "Basis", progress: Progress) -> "tuple[Basis, Labels | None]":
    """Right answers, where something asks for them; samples in folders per class come in another order."""
    if options.evaluator is None:
        if options.labels is not None:
            raise UsageError("--labels belong to a measure.", "Name it with --evaluator top1.")
        return basis, None
    from errorflow.study.evaluate.asking import AGREEMENT, few_calibrate, top_of, with_labels

    name = options.evaluator
    if top_of(name) is None and name != AGREEMENT and not name.endswith(".py"):
        raise UsageError(f"--evaluator knows no {name[:60]}.", "Give a Python file, top1, top5 or agreement.")
    basis, labels = with_labels(model, basis, options.labels, progress)
    return few_calibrate(model, basis, progress), labels


@contextmanager
def scorer_by(
    options: Namespace, bench: "Bench", labels: "Labels | None", out: Path, progress: Progress
) -> Iterator["Scorer | None"]:
    """Opens the user's measure; None: there is no such measure. What a file prints is kept in `out`."""
    if options.evaluator is None:
        yield None
        return
    from errorflow.study.evaluate.asking import MeasureGoal, evaluator_of, resolution, scorer_of
    from errorflow.study.evaluate.model import AcceptRule

    # Nothing is judged here, only measured.
    any_rule, name = AcceptRule("drop", 0.0), options.evaluator
    if name.endswith(".py"):
        asked = MeasureGoal(rule=any_rule, file=Path(name), labels=labels)
    else:
        asked = MeasureGoal(name, any_rule, labels=labels)
    with closing(evaluator_of(bench, asked, out)) as evaluator:
        scorer = scorer_of(evaluator, progress)
        yield scorer
        note = resolution(bench, evaluator, scorer.original)
    if note:
        print(plain(f"{evaluator.name}: {note}"))
