"""`errorflow diff ONE OTHER`: what became of a model on its way, or of what two sessions found."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import ErrorflowError, FileError, Progress, UsageError
from errorflow.base.files import write_atomic
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter, plain

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.case.regression.limits import Held, RegressionLimit
    from errorflow.case.regression.lines import RegressionLine, Since
    from errorflow.explain.difference.table import Difference, Differences
    from errorflow.explain.findings.model import Findings
    from errorflow.graph.model import Model


EPILOG = """\
examples:
  errorflow diff model.onnx model_int8.onnx            a float model and what a quantizer made of it
  errorflow diff model.onnx model.json                 an original model and the ATC JSON of what was compiled
  errorflow diff unfused.json fused.json --csv out.csv  fusion off and on
  errorflow diff yesterday.errorflow today.errorflow   what two sessions found: worse, better, the same
  errorflow diff yesterday today --limit cosine=0.99 --limit output:cosine:always=0.98 --junit diff.xml
                                                       two folders that `errorflow compare` wrote, on a build server

limits of sessions: [output:]METRIC[:drop|:always]=NUMBER, or worse=N, nan=N, gone=N, where N may be 1%
  cosine=0.99            no tensor is below 0.99 that was not so before
  cosine:always=0.99     none is, whatever was before
  cosine:drop=0.001      none lost more than 0.001
  output:cosine=0.98     the same of the model's outputs alone
  worse=1%  nan=0  gone=0  so many may get worse, turn NaN or infinite, or not be measured any more

exit codes: 0 done; 1 a limit is broken, or with --exit-code they differ or got worse; 2 an error
"""
# Rows that are printed; --all, --json and --csv have all of the kinds that were asked for.
MOST = 40
_COLUMNS = ("kind", "reference", "candidate", "reference types", "candidate types", "what", "rule", "certain")


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("reference", metavar="ONE", help="the model that is right, or the session before")
    parser.add_argument("candidate", metavar="OTHER", help="what became of it, or the session now")
    parser.add_argument("--all", action="store_true", help=f"list every difference, not just the first {MOST}")
    parser.add_argument(
        "--kind",
        metavar="KIND,…",
        default="",
        help="only these, such as merged,removed or worse,better: listed, in --json and in --csv",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON for programs: every difference, or those of --kind"
    )
    parser.add_argument("--csv", metavar="FILE", help="write every difference, or those of --kind, to a table")
    parser.add_argument("--exit-code", action="store_true", help="end with 1 if they differ, or got worse")
    parser.add_argument("--shapes", action="store_true", help="work out missing shapes first (ONNX)")
    sessions = parser.add_argument_group("two sessions, or two tables of tensors")
    sessions.add_argument("--metric", metavar="KEY", help="such as cosine or sqnr (default: that of the session now)")
    sessions.add_argument(
        "--limit", metavar="LIMIT", action="append", default=[], help="end with 1 if it is broken; repeatable"
    )
    sessions.add_argument("--junit", metavar="FILE", help="write which limits hold as JUnit XML, for a build server")


def _run(options: Namespace) -> int:
    try:
        return _diff(options)
    except ErrorflowError as error:
        _write_failure(options, error)
        raise


def _write_failure(options: Namespace, error: ErrorflowError) -> None:
    """A file of an earlier build in its place would be taken for this one's."""
    from errorflow.report.junit import junit_error

    if options.junit and Path(options.junit).parent.is_dir():
        write_atomic(Path(options.junit), junit_error(str(error)))


def _diff(options: Namespace) -> int:
    from errorflow.report.bundle.opening import is_side

    kinds = [is_side(Path(file)) for file in (options.reference, options.candidate)]
    if all(kinds):
        return diff_sessions(options)
    if any(kinds):
        other = Path(options.candidate if kinds[0] else options.reference).name
        raise UsageError(
            f"{other} is neither a session nor a table of tensors; the other one is.",
            "Give two of them, or two models.",
        )
    for option in ("metric", "limit", "junit"):
        if getattr(options, option):
            raise UsageError(f"--{option} is for two sessions.", "Give two files that end with .errorflow.")
    return _diff_models(options)


def _diff_models(options: Namespace) -> int:
    from errorflow.explain.difference.link import link
    from errorflow.explain.difference.table import differences

    kinds = _kinds(options.kind)
    with Meter() as meter:
        reference, candidate = (_model(file, options.shapes, meter) for file in (options.reference, options.candidate))
        found = differences(link(reference.graph, candidate.graph, progress=meter), meter)
    rows = [row for row in found.rows if not kinds or row.kind in kinds]
    if options.csv:
        _write(Path(options.csv), found, rows)
    if options.json:
        print(json.dumps(_summary(reference, candidate, found, rows), indent=2))
    else:
        _print(reference, candidate, found, rows, None if options.all else MOST)
    return 1 if options.exit_code and found.rows else 0


def _kinds(text: str) -> list[str]:
    from errorflow.explain.difference.model import KINDS

    kinds = [kind.strip() for kind in text.split(",") if kind.strip()]
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"{kind!r} is no kind of difference.", f"There are: {', '.join(KINDS)}.")
    return kinds


def _model(file: str, shapes: bool, progress: Progress) -> "Model":
    from errorflow.formats import read
    from errorflow.graph.model import Model

    content = read(file, progress)
    if not isinstance(content, Model):
        raise UsageError(f"{file} holds tensors, not a model.", "Give the model that they belong to.")
    return content.infer_shapes(progress) if shapes and content.infer_shapes is not None else content


def _print(
    reference: "Model", candidate: "Model", found: "Differences", rows: "list[Difference]", most: int | None
) -> None:
    from errorflow.explain.difference.model import KINDS

    for side, model in (("reference", reference), ("candidate", candidate)):
        print(plain(f"{side}  {model.path.name}, {len(model.graph):,} nodes"))
    print(f"\n  {found.same:>7,}  the same")
    for kind, count in found.counts.items():
        print(f"  {count:>7,}  {KINDS[kind].many}")
    shown = rows[:most]
    if shown:
        print()
    for row in shown:
        print(plain(f"{row.kind:<9}  {_line(found, row)}"))
    if len(rows) > len(shown):
        print(f"… and {len(rows) - len(shown):,} more: --all lists them, --kind chooses.")


def _line(found: "Differences", row: "Difference") -> str:
    (ours, others), (types, other_types) = found.names(row), found.types(row)
    if (ours, types) == (others, other_types):
        others = ""
    sides = " → ".join(f"{names} ({kinds})" for names, kinds in ((ours, types), (others, other_types)) if names)
    guess = "" if row.certain or row.rule is None else f"  [guess: {row.rule.label}]"
    told = "" if row.kind in ("merged", "split", "regrouped") else f"  {found.what(row)}"
    return f"{sides}{told}{guess}"


def _summary(
    reference: "Model", candidate: "Model", found: "Differences", rows: "list[Difference]"
) -> dict[str, object]:
    sides = {"reference": reference, "candidate": candidate}
    return {
        **{side: {"file": str(model.path), "nodes": len(model.graph)} for side, model in sides.items()},
        "same": found.same,
        "counts": found.counts,
        "differences": [_json(found, row) for row in rows],
    }


def _json(found: "Differences", row: "Difference") -> dict[str, object]:
    sides = ((found.links.reference, row.reference), (found.links.candidate, row.candidate))
    ours, others = (
        [{"index": node, "name": graph.node_names[node], "type": graph.op_types[node]} for node in nodes]
        for graph, nodes in sides
    )
    changes = [{"what": c.what, "reference": c.reference, "candidate": c.candidate} for c in row.changes]
    rule = None if row.rule is None else row.rule.key
    about = {"changes": changes, "reason": row.reason, "rule": rule, "certain": row.certain}
    return {"kind": row.kind, "reference": ours, "candidate": others, **about}


def _write(path: Path, found: "Differences", rows: "list[Difference]") -> None:
    from errorflow.report.tables import csv_text

    write_atomic(path, csv_text(_COLUMNS, _cells(found, rows)))


def _cells(found: "Differences", rows: "list[Difference]") -> Iterator[tuple[str, ...]]:
    for row in rows:
        rule = "" if row.rule is None else row.rule.key
        certain = "yes" if row.certain else "no"
        yield (row.kind, *found.names(row), *found.types(row), found.what(row), rule, certain)


DIFF = Command("diff", "List what fusion and quantization did to a model: merged, split, inserted.", _arguments, _run)


# `errorflow diff BEFORE NOW` of two sessions, or of two tables of tensors: what got worse, and whether limits hold.

# Lines that are printed; --all, --json and --csv have all of the kinds that were asked for.

_LOUD = ("worse", "gone", "better", "new")


def diff_sessions(options: Namespace) -> int:
    from errorflow.case.regression.limits import parse_limit

    limits = [parse_limit(text) for text in options.limit]
    _check(options, limits)
    return _compared(options, limits)


def _compared(options: Namespace, limits: "Sequence[RegressionLimit]") -> int:
    from errorflow.case.regression.carried import carried
    from errorflow.case.regression.limits import held
    from errorflow.report.bundle.opening import side_in

    with Meter() as meter:
        before, now = (side_in(Path(file), meter) for file in (options.reference, options.candidate))
        names = _names(options, before, now)
        was, found = before.findings, now.findings
        assert was is not None and found is not None, "both compare something"
        there = carried(was, found.graph, meter)
    findings = found.beside(names[1], there.beside(names[0], None))
    since = _since(findings, options.metric, now)
    kept = held(findings, limits, since, _moved(now))
    _since_write(options, since, kept, names)
    _since_print(options, since, before, now, kept)
    broken = any(each.broken for each in kept)
    return 1 if broken or (options.exit_code and since.counts["worse"]) else 0


def _check(options: Namespace, limits: "Sequence[RegressionLimit]") -> None:
    """Refuses all that can be wrong before anything is measured."""
    from errorflow.case.regression.lines import KINDS

    if options.shapes:
        raise UsageError("--shapes is for models.", "Leave it out: a session knows the shapes that were measured.")
    for kind in _since_kinds(options):
        if kind not in KINDS:
            raise UsageError(f"{kind!r} is no kind of change.", f"There are: {', '.join(KINDS)}.")
    if options.junit and not limits:
        raise UsageError("--junit writes which limits hold, and there is none.", "Add --limit cosine=0.99.")
    for file in filter(None, (options.junit, options.csv)):
        if not Path(file).parent.is_dir():
            raise FileError(f"There is no folder {Path(file).parent}.", "Make it, or write to another one.")


def _since_kinds(options: Namespace) -> list[str]:
    return [kind.strip() for kind in options.kind.split(",") if kind.strip()]


def _names(options: Namespace, before: "Case", now: "Case") -> tuple[str, str]:
    """Names the two: mostly they lie in folders of their own, under the same name."""
    if before.called != now.called:
        return before.called, now.called
    folders = tuple(Path(file).resolve().parent.name for file in (options.reference, options.candidate))
    return folders if folders[0] != folders[1] else ("before", "now")  # type: ignore[return-value]  # two of two


def _moved(now: "Case") -> "dict[str, tuple[float, float]]":
    return dict(now.session.painting.limits)


def _since(findings: "Findings", key: str | None, now: "Case") -> "Since":
    """Compares by the given metric, else by the one that the newer session is painted by."""
    from errorflow.case.regression.limits import metric_of, since_by
    from errorflow.case.regression.lines import Since

    if key is not None:
        return since_by(findings, metric_of(key), _moved(now))
    return Since.of(findings, now.session.painting.metric, _moved(now))


def _lines(options: Namespace, since: "Since") -> "list[RegressionLine]":
    kinds = _since_kinds(options)
    shown = kinds if kinds else [*_LOUD, *(["same"] if options.all or options.json or options.csv else [])]
    return [line for line in since.lines if line.kind in shown]


def _since_write(options: Namespace, since: "Since", found: "Sequence[Held]", names: tuple[str, str]) -> None:
    from errorflow.report.junit import junit_xml
    from errorflow.report.since import since_csv

    if options.csv:
        write_atomic(Path(options.csv), since_csv(since, _lines(options, since)))
    if options.junit:
        write_atomic(Path(options.junit), junit_xml(found, {"before": names[0], "now": names[1]}))


def _since_print(options: Namespace, since: "Since", before: "Case", now: "Case", found: "Sequence[Held]") -> None:
    from errorflow.case.regression.lines import summary_lines
    from errorflow.report.since import listed, since_json

    lines = _lines(options, since)
    if options.json:
        print(json.dumps(since_json(since, before, now, lines, found), indent=2))
    else:
        for word, side in (("before", before), ("now", now)):
            print(plain(f"{word:<7} {side.path}{f'  ({side.about})' if side.about else ''}"))
            for problem in side.unread:
                print(plain(f"! {problem}"))
        print()
        print(plain("\n".join(summary_lines(since))))
        shown = lines if options.all else [line for line in lines if line.kind != "same" or options.kind][:MOST]
        if shown:
            print()
        for text in listed(since, shown):
            print(plain(text))
        more = sum(line.kind != "same" or bool(options.kind) for line in lines) - len(shown)
        if more > 0:
            print(f"… and {more:,} more: --all lists them, --kind chooses.")
    for each in found:
        # Programs read what is printed; what broke is said on one line whoever reads.
        print(plain(f"errorflow: {each.text}"), file=sys.stderr if options.json or each.broken else sys.stdout)
