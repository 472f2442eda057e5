"""`errorflow sensitivity MODEL --data …`: which parts of a model matter, each quantized alone or left out alone."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from errorflow.cli.command import Command
from errorflow.cli.planned import add_simulated, basis_by, plan_by
from errorflow.errors import UsageError

if TYPE_CHECKING:
    from errorflow.graph.model import Graph
    from errorflow.sensitivity.model import Question, Ranking

FILE, TABLE = "ranking.json", "ranking.csv"
# Seconds between two files of what is known so far.
_PAUSE = 5.0
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
    group = parser.add_argument_group("what is ranked")
    group.add_argument(
        "--by",
        default="",
        metavar="KIND",
        help="unit (default: nodes that are switched as one), node, tensor, weight, activation, producer (a node with "
        "those that feed it), upstream (with all before it), group",
    )
    group.add_argument("--measure", default="impact", metavar="impact,recovery", help="quantized alone; left out alone")
    group.add_argument(
        "--metric", default="", metavar="KEY,…", help="cosine, relative_l2, sqnr, …; the first one ranks"
    )
    group.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME",
        help="measure there: a tensor, or what a node makes (default: the outputs of the model); repeatable",
    )
    group.add_argument("--only", action="append", default=[], metavar="NAME,…", help="rank these only; repeatable")
    group.add_argument("--group", action="append", default=[], metavar="A+B", help="rank these as one; repeatable")
    group.add_argument("--to", default="float", metavar="float|16", help="what is left out is put to this")
    group.add_argument("--rank-on", type=int, metavar="N", help="use the first N samples (default: all evaluated ones)")
    parser.add_argument("--resume", action="store_true", help=f"go on with the {FILE} in the folder")
    parser.add_argument("--out", "-out", dest="folder", metavar="DIR", default=".", help="where to write")


def _run(options: Namespace) -> int:
    from errorflow.cli.calibrate import some_notes
    from errorflow.cli.meter import Meter
    from errorflow.cli.plain import plain
    from errorflow.report.sensitivity import sensitivity_lines
    from errorflow.sensitivity.grounds import ground_of
    from errorflow.sensitivity.ranking import rank
    from errorflow.simulate.bench import Bench
    from errorflow.simulate.floated import floated

    basis, out = basis_by(options), _folder(options)
    with Meter() as meter, floated(Path(options.model), options.reference, meter) as model:
        plan, question = plan_by(options, model, basis), question_by(options, model.model.graph)
        known = _known(out) if options.resume else None
        with Bench.open(model, basis, plan, progress=meter) as bench:
            question = _on_samples(options, question, bench.engine.samples)
            keeping = _Keeping(out)
            try:
                ranking = rank(
                    bench.engine,
                    plan,
                    question,
                    known=known,
                    give=keeping.take,
                    progress=meter,
                    ground=ground_of(bench, meter),
                )
            except BaseException:  # whatever ended it, also Ctrl-C: what is known is kept
                keeping.end()
                raise
            said = plain(
                f"{model.path.name} as {bench.meant(plan)}, calibrated by {bench.calibration.method}. {bench.text}"
            )
            notes, made_up = bench.notes, bench.made_up
    files = _write(out, ranking)
    print(said)
    for line in some_notes(notes):
        print(plain(line))
    if made_up:
        print("The samples were made up: this says nothing about the model in use.")
    print(plain("\n".join(sensitivity_lines(ranking))))
    print(plain(f"Written: {', '.join(map(str, files))}"))
    return 0


class _Keeping:
    """Writes what is known now and then, so that a later call goes on with it."""

    def __init__(self, out: Path) -> None:
        self._out, self._last = out, monotonic()
        self._ranking: Ranking | None = None

    def take(self, ranking: "Ranking") -> None:
        self._ranking = ranking
        if monotonic() - self._last > _PAUSE:
            self._save(ranking)
            self._last = monotonic()

    def end(self) -> None:
        """Where it ended before all was known."""
        ranking = self._ranking
        if ranking is not None and ranking.share_done > 0:
            _write(self._out, ranking)
            print(
                f"errorflow: {100 * ranking.share_done:.0f} % is known and kept in {self._out / FILE}. "
                "Give the same call with --resume to go on.",
                file=sys.stderr,
            )

    def _save(self, ranking: "Ranking") -> None:
        from errorflow.sensitivity.ranking_file import save_ranking

        save_ranking(self._out / FILE, ranking)


def question_by(options: Namespace, graph: "Graph") -> "Question":
    """What the options ask; a `UsageError` says what is not known."""
    from errorflow.sensitivity.model import KINDS, MEASURES, Question

    kind = options.by if options.by else ("group" if options.group else "unit")
    if kind not in KINDS:
        raise UsageError(f"--by knows no {options.by[:40]}.", f"Choose among {', '.join(KINDS)}.")
    if (kind == "group") != bool(options.group):
        raise UsageError("--group and --by group belong together.", "Give --group a+b for each group.")
    if kind == "group" and options.only:
        raise UsageError("--only and --group cannot both be given.", "Groups are the only ones that are ranked.")
    standard = Question()
    measures = _words(options.measure, "--measure", MEASURES)
    metrics = _metrics(options.metric) if options.metric else standard.metrics
    if options.to not in ("float", "16"):
        raise UsageError(f"--to takes float or 16, and “{options.to[:20]}” is none.", "Leave it out for float.")
    only = tuple(_names(text, "+", graph, "--group") for text in options.group)
    if not only:
        only = tuple((name,) for text in options.only for name in _names(text, ",", graph, "--only"))
    to = 16 if options.to == "16" else "float"
    return Question(kind, measures, metrics, tuple(options.output), (), only, to)  # type: ignore[arg-type]  # checked above


def _on_samples(options: Namespace, question: "Question", samples: int) -> "Question":
    from dataclasses import replace

    if options.rank_on is None:
        return question
    if options.rank_on < 1:
        raise UsageError("--rank-on must be at least 1.", "Leave it out for all samples.")
    return replace(question, samples=tuple(range(min(options.rank_on, samples))))


def _metrics(text: str) -> tuple[str, ...]:
    from errorflow.metrics import METRICS

    names = {name: metric.key for metric in METRICS for name in (metric.key, metric.short) if name}
    return tuple(dict.fromkeys(names[word] for word in _words(text, "--metric", tuple(names))))


def _words(text: str, option: str, known: Sequence[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    for word in found:
        if word not in known:
            raise UsageError(f"{option} knows no {word[:40]}.", f"Choose among {', '.join(known)}.")
    if not found:
        raise UsageError(f"{option} names nothing.", f"Choose among {', '.join(known)}.")
    return found


def _names(text: str, sign: str, graph: "Graph", option: str) -> tuple[str, ...]:
    """Those between the signs; a name may have the sign in it."""
    from errorflow.quant.asking import is_known

    def known(name: str) -> bool:
        return is_known(graph, name) or graph.tensor_index(name) is not None

    if known(text):
        return (text,)
    names = tuple(name.strip() for name in text.split(sign) if name.strip())
    if not names:
        raise UsageError(f"{option} names nothing.", f"Write names with {sign} between them.")
    return names


def _folder(options: Namespace) -> Path:
    from errorflow.cli.asked import folder

    return folder(Namespace(output=options.folder))


def _known(out: Path) -> "Ranking":
    from errorflow.files import is_file
    from errorflow.sensitivity.ranking_file import load_ranking

    if not is_file(out / FILE):
        raise UsageError(f"There is no {FILE} in {out} to go on with.", "Leave out --resume to begin.")
    return load_ranking(out / FILE)


def _write(out: Path, ranking: "Ranking") -> list[Path]:
    from errorflow.files import write_atomic
    from errorflow.report.sensitivity import ranking_csv
    from errorflow.sensitivity.ranking_file import save_ranking

    save_ranking(out / FILE, ranking)
    write_atomic(out / TABLE, ranking_csv(ranking))
    return [out / TABLE, out / FILE]


SENSITIVITY = Command("sensitivity", "Rank the parts of a model by what quantizing each alone does.", _arguments, _run)
