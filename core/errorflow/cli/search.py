"""`errorflow search MODEL --data …`: the fewest parts that must stay in float, or in 16 bits, to be good enough."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import ErrorflowError, FileError, Progress, UsageError, dataclass, replace
from errorflow.cli.calibrate import some_notes
from errorflow.cli.command import Command
from errorflow.cli.crew import add_crew, crew_by
from errorflow.cli.evaluator import add_evaluator, measured_by
from errorflow.cli.meter import Meter, plain
from errorflow.cli.of_session import taking_sessions
from errorflow.cli.planned import add_simulated, basis_by, plan_by

if TYPE_CHECKING:
    from errorflow.study.evaluate.evaluator import Evaluator
    from errorflow.study.rank.tables import PlanTables
    from errorflow.study.search.model import Search, SearchRequest
    from errorflow.study.search.steps import Strategy
    from errorflow.study.simulate.bench import Bench

EXAMPLES = """\
examples:
  errorflow search model.onnx --data x.npz --target "relative_l2<=0.05" --out result
  errorflow search model.onnx --data images --labels labels.txt --max-drop 0.01 --out result
  errorflow search model.onnx --data x.npz --evaluator my_accuracy.py --strategy greedy
  errorflow search model.onnx --data x.npz --evaluator amct.py --strategy binary --by node --rank-by amct --amct
  errorflow search model.onnx --data x.npz --max-drop 1% --metric agreement --to 16 --resume
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    add_simulated(parser)
    add_evaluator(parser)
    group = parser.add_argument_group("how it is searched")
    group.add_argument(
        "--strategy", default="noise", metavar="NAME", help="noise (default), greedy, ladder, binary, or a Python file"
    )
    group.add_argument(
        "--by",
        default="unit",
        metavar="KIND",
        help="what is raised as one: unit (default), node, tensor, weight, activation, producer, upstream",
    )
    group.add_argument("--to", default="float", choices=("float", "16"), help="what parts are raised to")
    group.add_argument("--ranking", type=Path, metavar="FILE", help="go along a ranking of ours, or of AMCT")
    group.add_argument(
        "--rank-by", default="noise", choices=("noise", "amct"), help="noise at the outputs, or AMCT's sensitivity"
    )
    group.add_argument("--max-evaluations", type=int, metavar="N", help="end after so many")
    group.add_argument("--resume", action="store_true", help="go on with what a search that was interrupted left")
    add_crew(parser)
    parser.add_argument(
        "--amct",
        nargs="?",
        const="",
        metavar="CONFIG",
        help="also write AMCT's final config and record of scales; with the setting that AMCT began with, if given",
    )
    parser.add_argument("--export", action="store_true", help="also write the quantized model, model_qdq.onnx")
    parser.add_argument("-out", "--out", dest="folder", metavar="DIR", default=".", help="where to write")


def _run(options: Namespace) -> int:
    from errorflow.report.search import search_lines, write_search
    from errorflow.study.evaluate.asking import evaluator_of, few_calibrate, goes_by_sample, with_labels
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.floated import floated

    wish, strategy, out = _wish(options), _strategy(options.strategy), made_folder(options.folder)
    with Meter() as meter, floated(Path(options.model), options.reference, meter) as model:
        basis, labels = with_labels(model, basis_by(options), options.labels, meter)
        measured = measured_by(options, labels)
        basis = few_calibrate(model, basis, meter) if goes_by_sample(measured) else basis
        plan = plan_by(options, model, basis)
        with Bench.open(model, basis, plan, progress=meter) as bench, crew_by(options, bench, out, meter) as crew:
            evaluator = evaluator_of(bench, measured, out, wish.workers, crew)
            try:
                found = _searched(_Asked(options, wish, strategy, out), bench, evaluator, crew, meter)
            finally:
                evaluator.close()
            starts = {} if options.amct is None else {"amct": options.amct}
            files, notes = write_search(out, found, bench, starts=starts, qdq=options.export, progress=meter)
    print(plain(f"{model.path.name} as {bench.meant(plan)}, calibrated by {bench.calibration.method}. {bench.text}"))
    for line in some_notes(bench.notes):
        print(plain(line))
    if bench.made_up:
        print("The samples were made up: this says nothing about the model in use.")
    print(plain("\n".join([*search_lines(found), *some_notes(notes)])))
    print(plain(f"Written: {', '.join(map(str, files))}"))
    return 0


@dataclass(frozen=True)
class _Asked:
    options: Namespace
    wish: "SearchRequest"
    strategy: "Strategy"
    out: Path


def _wish(options: Namespace) -> "SearchRequest":
    from errorflow.study.rank.model import KINDS
    from errorflow.study.search.model import SearchRequest

    kinds = [kind for kind in KINDS if kind != "group"]
    if options.by not in kinds:
        raise UsageError(f"--by {options.by[:40]} is nothing that can be raised.", f"Take {', '.join(kinds)}.")
    if options.max_evaluations is not None and options.max_evaluations < 1:
        raise UsageError("--max-evaluations must be at least 1.", "Leave it out to search to the end.")
    return SearchRequest(
        options.strategy,
        options.by,
        16 if options.to == "16" else "float",
        options.max_evaluations,
        1 if options.workers is None else options.workers,
        options.ranking,
        options.rank_by,
    )


def _strategy(name: str) -> "Strategy":
    from errorflow.study.search.own_strategy import own_strategy
    from errorflow.study.search.strategies import strategy

    return own_strategy(Path(name)) if name.endswith(".py") else strategy(name)


def made_folder(text: str) -> Path:
    """Makes the folder to write to."""

    out = Path(text)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {out} could not be made.", "Choose another one with --out.") from error
    return out


def _searched(
    asked: _Asked, bench: "Bench", evaluator: "Evaluator", crew: "PlanTables | None", meter: Progress
) -> "Search":
    from errorflow.study.search.journal import SearchJournal, mark_of
    from errorflow.study.search.searching import search

    mark = mark_of(bench, evaluator)
    if asked.options.resume and not SearchJournal.is_kept(asked.out, mark):
        raise UsageError(
            f"There is no search in {asked.out} to go on with: none was interrupted there with the same model, "
            "samples, ranges and measure.",
            "Leave out --resume to begin.",
        )
    kept = _Kept(asked.out, bench)
    with SearchJournal(asked.out, mark, resume=asked.options.resume) as journal:
        try:
            found = search(
                bench,
                bench.plan,
                evaluator,
                asked.wish,
                asked.strategy,
                journal=journal,
                tables=crew,
                give=kept.take,
                progress=meter,
            )
        except BaseException as error:  # whatever ended it, also Ctrl-C: what is known is written
            kept.end(error)
            raise
    if found.complete:
        journal.forget()
    return found


class _Kept:
    """State of a search that may end early."""

    def __init__(self, out: Path, bench: "Bench") -> None:
        self._out, self._bench = out, bench
        self._found: Search | None = None

    def take(self, found: "Search") -> None:
        self._found = found

    def end(self, error: BaseException) -> None:
        """Ends before all was tried: writes what was, and says how to go on."""
        from errorflow.graph.build import counted
        from errorflow.report.search import write_search

        if self._found is None or not self._found.tried:
            return
        why = error.message if isinstance(error, ErrorflowError) else "The search was interrupted."
        files, _ = write_search(self._out, replace(self._found, stopped=why), self._bench)
        done = counted(self._found.evaluations, "evaluation is", "evaluations are")
        print(
            plain(
                f"errorflow: {done} known, and what was found is in {files[0]}. Give the same call with --resume to go "
                "on."
            ),
            file=sys.stderr,
        )


SEARCH = Command(
    "search",
    "Find the fewest parts that must not be quantized to be good enough.",
    _arguments,
    taking_sessions(_arguments, _run),
)
