"""`errorflow diff BEFORE NOW` of two sessions, or of two tables of tensors: what got worse, and whether limits hold."""

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import FileError, UsageError
from errorflow.cli.plain import plain

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.case.regression.limits import Held, Limit
    from errorflow.case.regression.lines import Line, Since
    from errorflow.explain.findings.model import Findings

# Lines that are printed; --all, --json and --csv have all of the kinds that were asked for.
MOST = 40
_LOUD = ("worse", "gone", "better", "new")


def diff_sessions(options: Namespace) -> int:
    from errorflow.case.regression.limits import parse_limit

    limits = [parse_limit(text) for text in options.limit]
    _check(options, limits)
    return _compared(options, limits)


def _compared(options: Namespace, limits: "Sequence[Limit]") -> int:
    from errorflow.case.regression.carried import carried
    from errorflow.case.regression.limits import held
    from errorflow.cli.meter import Meter
    from errorflow.report.bundle.cases import side_in

    with Meter() as meter:
        before, now = (side_in(Path(file), meter) for file in (options.reference, options.candidate))
        names = _names(options, before, now)
        was, found = before.findings, now.findings
        assert was is not None and found is not None, "both compare something"
        there = carried(was, found.graph, meter)
    findings = found.beside(names[1], there.beside(names[0], None))
    since = _since(findings, options.metric, now)
    kept = held(findings, limits, since, _moved(now))
    _write(options, since, kept, names)
    _print(options, since, before, now, kept)
    broken = any(each.broken for each in kept)
    return 1 if broken or (options.exit_code and since.counts["worse"]) else 0


def _check(options: Namespace, limits: "Sequence[Limit]") -> None:
    """All that can be wrong before anything is measured."""
    from errorflow.case.regression.lines import KINDS

    if options.shapes:
        raise UsageError("--shapes is for models.", "Leave it out: a session knows the shapes that were measured.")
    for kind in _kinds(options):
        if kind not in KINDS:
            raise UsageError(f"{kind!r} is no kind of change.", f"There are: {', '.join(KINDS)}.")
    if options.junit and not limits:
        raise UsageError("--junit writes which limits hold, and there is none.", "Add --limit cosine=0.99.")
    for file in filter(None, (options.junit, options.csv)):
        if not Path(file).parent.is_dir():
            raise FileError(f"There is no folder {Path(file).parent}.", "Make it, or write to another one.")


def _kinds(options: Namespace) -> list[str]:
    return [kind.strip() for kind in options.kind.split(",") if kind.strip()]


def _names(options: Namespace, before: "Case", now: "Case") -> tuple[str, str]:
    """What the two are called: mostly they lie in folders of their own, under the same name."""
    if before.called != now.called:
        return before.called, now.called
    folders = tuple(Path(file).resolve().parent.name for file in (options.reference, options.candidate))
    return folders if folders[0] != folders[1] else ("before", "now")  # type: ignore[return-value]  # two of two


def _moved(now: "Case") -> "dict[str, tuple[float, float]]":
    return dict(now.session.painting.limits)


def _since(findings: "Findings", key: str | None, now: "Case") -> "Since":
    """By the metric that was asked for, else by the one that the newer session is painted by."""
    from errorflow.case.regression.limits import metric_of, since_by
    from errorflow.case.regression.lines import Since

    if key is not None:
        return since_by(findings, metric_of(key), _moved(now))
    return Since.of(findings, now.session.painting.metric, _moved(now))


def _lines(options: Namespace, since: "Since") -> "list[Line]":
    kinds = _kinds(options)
    shown = kinds if kinds else [*_LOUD, *(["same"] if options.all or options.json or options.csv else [])]
    return [line for line in since.lines if line.kind in shown]


def _write(options: Namespace, since: "Since", found: "Sequence[Held]", names: tuple[str, str]) -> None:
    from errorflow.base.files import write_atomic
    from errorflow.report.junit import junit_xml
    from errorflow.report.since import since_csv

    if options.csv:
        write_atomic(Path(options.csv), since_csv(since, _lines(options, since)))
    if options.junit:
        write_atomic(Path(options.junit), junit_xml(found, {"before": names[0], "now": names[1]}))


def _print(options: Namespace, since: "Since", before: "Case", now: "Case", found: "Sequence[Held]") -> None:
    from errorflow.case.regression.text import summary_lines
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
