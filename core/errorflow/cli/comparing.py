"""The work behind `errorflow compare`: match, measure, write, and say what came of it."""

import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from errorflow.cli.as_session import save_session
from errorflow.cli.asked import asked, counts, folder
from errorflow.cli.blaming import findings_of, how_of
from errorflow.cli.columns import columns_of, key
from errorflow.cli.hand_pairs import check_pairs, with_pairs
from errorflow.cli.meter import Meter
from errorflow.cli.models import planned_models, with_notes
from errorflow.cli.plain import plain
from errorflow.cli.profile import check_profile, write_profile
from errorflow.cli.three import prepare
from errorflow.cli.where import check_where, is_misspelt, where_data, where_lines
from errorflow.compare.cluster import Cluster
from errorflow.compare.crew import Crew
from errorflow.compare.limits import Limit, parse_limit
from errorflow.compare.model import Comparison
from errorflow.compare.options import Options
from errorflow.compare.pairs import compare_match, crew_for, journal_in
from errorflow.compare.samples import lonely_samples, sample_paths, spread
from errorflow.compare.summary import Summary, summarize
from errorflow.files import write_atomic
from errorflow.findings.model import Findings
from errorflow.match.batch import batch
from errorflow.match.codes import LIMIT_BROKEN, NO_DUMP, OK, WRONG_OPTIONS
from errorflow.match.model import Match
from errorflow.match.plan import Asked, Plan, plan
from errorflow.match.refused import RefusedError
from errorflow.progress import Progress
from errorflow.report.blame import blame_data, blame_lines, blamed_csv, estimated
from errorflow.report.result_csv import ResultTable, result_name, write_result
from errorflow.report.stages import stages_csv, stages_data, stages_lines
from errorflow.report.summary import samples_lines, summary_data, summary_lines
from errorflow.report.tables import samples_csv, tensors_csv
from errorflow.results.advice import advise
from errorflow.stages.compare import Three, compare_three
from errorflow.stages.model import Stages

# Names of each kind in a line.
SHOWN = 5
TENSORS, SUMMARY, SAMPLES, ADVICE = "tensors.csv", "summary.json", "samples.csv", "advisor_summary.txt"
NODES, STAGES = "nodes.csv", "stages.csv"


@dataclass(frozen=True, slots=True)
class _Done:
    """One comparison that was written down."""

    name: str
    match: Match
    comparison: Comparison
    summary: Summary
    files: tuple[Path, ...]
    code: int
    # On the graph, where a file of the call holds it.
    findings: Findings | None = None
    stages: Stages | None = None
    # Why no node of the original could be run.
    estimated: str = ""
    # The nodes to be listed.
    where: str | None = None

    @property
    def data(self) -> dict[str, Any]:
        blame = None if self.findings is None else self.findings.blame
        found = {} if blame is None else {"blame": blame_data(blame)}
        found |= {} if self.stages is None else {"stages": stages_data(self.stages)}
        return (
            summary_data(self.summary)
            | found
            | {
                "only in the reference": self.match.only_reference,
                "only in the candidate": self.match.only_candidate,
                "problems": [problem.text for problem in self.match.problems],
            }
        )


def limits_of(options: Namespace) -> list[Limit]:
    """The limits of a call; whatever else of it makes no sense is refused, too, before anything is run."""
    check_profile(options)
    check_where(options.where)
    check_pairs(options)
    return [parse_limit(text) for text in options.limit]


def one_run(options: Namespace) -> int:
    """Two runs."""
    with Meter() as meter:
        done = _compare(options, asked(options), meter)
    return _say(options, [_saved(options, done)])


def many_models(options: Namespace) -> int:
    """Several models that were dumped at the same time, each with its own result."""
    if options.op_name is not None:
        raise RefusedError("-op is about one model.", "Give one file with -f instead of a folder.", WRONG_OPTIONS)
    found = batch(Path(options.fusion_rule_file), Path(options.my_dump_path))
    done = []
    with Meter() as meter:
        for run in found:
            one = asked(options, candidate=run.candidate, fusion=run.fusion)
            done.append(_compare(options, one, meter, run.prefix))
    return _say(options, done)


def samples(options: Namespace) -> int:
    """The same model on several inputs."""
    found: dict[str, _Done] = {}
    sides = Path(options.my_dump_path), Path(options.golden_dump_path)
    with Meter() as meter:
        for sample in sample_paths(*sides):
            one = asked(options, candidate=sample.candidate, reference=sample.reference)
            found[sample.name] = _compare(options, one, meter, f"{sample.name}_")
    path = Path(options.output) / SAMPLES
    write_atomic(path, samples_csv(spread({name: done.comparison for name, done in found.items()})), follow=False)
    if options.json:
        return _say(options, list(found.values()))
    print("\n".join(samples_lines({name: done.summary for name, done in found.items()})))
    for names, where in zip(lonely_samples(*sides), ("candidate", "reference"), strict=True):
        if names:
            print(f"Inputs that only the {where} has, not compared: {_some(names)}")
    print(f"Written: {path}, and of each input {TENSORS} and {SUMMARY}")
    return _first_code(found.values())


def two_models(options: Namespace) -> int:
    """Two ONNX models, which are run."""
    with Meter() as meter:
        options, planned = planned_models(options, meter)
        done = _compare(options, asked(options), meter, planned=planned)
    return _say(options, [_saved(options, done)])


def three_runs(options: Namespace) -> int:
    """Float, simulator and board."""
    with Meter() as meter:
        prepared = prepare(options, meter)
        done = _compare(prepared.options, prepared.whole, meter)
        three = Three(prepared.steps.quantization, prepared.steps.deployment, done.match)
        stages = compare_three(three, total=done.comparison, progress=meter)
    path = Path(options.output) / STAGES
    write_atomic(path, stages_csv(stages), follow=False)
    done = replace(done, files=(path, *done.files), stages=stages)
    _write_data(done)
    return _say(options, [_saved(options, done)])


def _saved(options: Namespace, done: _Done) -> _Done:
    """With the session that it was saved as."""
    blame = None if done.findings is None else done.findings.blame
    session = save_session(options, done.match, done.comparison, None if blame is None else blame.ran)
    return replace(done, files=(*done.files, *session))


def _compare(
    options: Namespace, wanted: Asked, progress: Progress, prefix: str = "", planned: Plan | None = None
) -> _Done:
    """Matches, unless that is done, measures and writes."""
    limits, columns = limits_of(options), columns_of(options)
    planned = with_pairs(options, plan(wanted, progress) if planned is None else planned)
    planned = with_notes(options, planned)
    overflow = (options.overflow_detection or _advises(options)) and planned.is_npu
    measured = Options(
        columns=tuple(map(key, columns)) if planned.by_tool else None,
        # As msaccucmp, which compares all values of two dumps of NPUs.
        most_values=options.max_cmp_size if options.max_cmp_size and wanted.files else None,
        overflow=overflow,
        custom=options.custom_script_path,
        custom_options=options.algorithm_options,
    )
    out = folder(options)
    with journal_in(out, planned.match, measured, resume=options.resume) as journal:
        with _crew(options, planned.match) as crew:
            comparison = compare_match(planned.match, measured, crew=crew, journal=journal, progress=progress)
        summary = summarize(comparison, outputs=planned.match.network_outputs, limits=limits)
        table = ResultTable(
            tuple(column.name for column in columns),
            my_address=planned.is_npu,
            golden_address=planned.is_npu_reference,
            knows_golden_address=not wanted.files,
            overflow=overflow,
            sequence=counts(options),
        )
        files = _written(out, prefix, planned, comparison, table)
        findings, why, precisions = findings_of(wanted, planned.match, comparison, progress, how=how_of(options))
        if findings is not None:
            files.append(out / f"{prefix}{NODES}")
            write_atomic(files[-1], blamed_csv(findings, precisions), follow=False)
        files += write_profile(options, comparison, findings, prefix)
        if planned.by_tool and _advises(options):
            files.append(_advised(files[0], prefix, planned.match.network_inputs))
        code = _exit_code(planned.match, summary)
        done = _Done(
            prefix.removesuffix("_"),
            planned.match,
            comparison,
            summary,
            (*options.ran, *files, out / f"{prefix}{SUMMARY}"),
            code,
            findings,
            estimated=why,
            where=options.where,
        )
        _write_data(done)
        journal.forget()
    return done


def _write_data(done: _Done) -> None:
    text = json.dumps(done.data, indent=2, ensure_ascii=False, allow_nan=False)
    write_atomic(done.files[-1], f"{text}\n", follow=False)


def _exit_code(match: Match, summary: Summary) -> int:
    """Where limits are given, they decide: inputs and constants without a dump are no reason to fail then."""
    if any(not limit.kept for limit in summary.limits):
        return LIMIT_BROKEN
    code = match.exit_code if match.exit_code or summary.measured else NO_DUMP
    return OK if summary.limits and code == NO_DUMP else code


def _written(out: Path, prefix: str, planned: Plan, comparison: Comparison, table: ResultTable) -> list[Path]:
    files = [out / f"{prefix}{TENSORS}"]
    if planned.by_tool:
        files.insert(0, out / result_name("result", datetime.now(), prefix))
        write_result(files[0], comparison.rows, table)
    write_atomic(files[-1], tensors_csv(comparison), follow=False)
    return files


def _advised(result: Path, prefix: str, network_inputs: tuple[str, ...]) -> Path:
    """What msaccucmp's advisor makes of the table."""
    path = result.with_name(f"{prefix}{ADVICE}")
    write_atomic(path, advise(result, network_inputs).summary, follow=False)
    return path


@contextmanager
def _crew(options: Namespace, match: Match) -> Iterator[Crew]:
    if options.scheduler is None:
        yield crew_for(match, options.workers, apart=bool(options.custom_script_path))
        return
    with Cluster(options.scheduler) as cluster:
        yield cluster.crew(match)


def _say(options: Namespace, done: list[_Done]) -> int:
    if options.json:
        data = [
            one.data | where_data(one.findings, one.where) | {"files": [str(path) for path in one.files]}
            for one in done
        ]
        # In ASCII: the other side of a pipe may have another encoding than this one.
        print(json.dumps(data if len(data) > 1 else data[0], indent=2))
    else:
        for one in done:
            if len(done) > 1:
                print(f"{one.name}:")
            if one.stages is not None:
                print(plain("\n".join(stages_lines(one.stages))))
            print(plain("\n".join([*summary_lines(one.summary), *_left_over(one.match), *_blamed(one)])))
            for path in (path for path in one.files if path.name.endswith(ADVICE)):
                print(path.read_text(encoding="utf-8"), end="")
            print("\n".join(map(plain, where_lines(one.findings, one.where))), end="\n" if one.where else "")
            print(f"Written: {', '.join(map(str, one.files))}")
    misspelt = any(is_misspelt(one.findings, one.where) for one in done)
    return _first_code(done) if _first_code(done) or not misspelt else WRONG_OPTIONS


def _blamed(done: _Done) -> Iterator[str]:
    if done.findings is not None and done.findings.blame is not None:
        yield from blame_lines(done.findings.blame)
    if done.estimated:
        yield estimated(done.estimated)


def _first_code(done: Iterable[_Done]) -> int:
    return next((one.code for one in done if one.code), OK)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"


def _left_over(match: Match) -> Iterator[str]:
    for names, where in ((match.only_candidate, "candidate"), (match.only_reference, "reference")):
        if names:
            yield f"Nothing was compared with these of the {where}: {_some(names)}"
    yield from dict.fromkeys(problem.text for problem in match.problems[:SHOWN])
    if len(match.problems) > SHOWN:
        yield f"and {len(match.problems) - SHOWN:,} more of this kind: see {SUMMARY}"


def _advises(options: Namespace) -> bool:
    """-r and -s show a part only, of which nothing can be said."""
    return bool(options.advisor) and not counts(options)
