"""The work behind `errorflow compare`: match, measure, write, and say what came of it."""

import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from errorflow.cli.asked import asked, counts, folder
from errorflow.cli.blaming import findings_of
from errorflow.cli.columns import columns_of, key
from errorflow.cli.meter import Meter
from errorflow.cli.plain import plain
from errorflow.compare import Comparison, Options, compare_match, crew_for, journal_in
from errorflow.compare.cluster import Cluster
from errorflow.compare.crew import Crew
from errorflow.compare.limits import parse_limit
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
from errorflow.report.blame import blame_data, blame_lines, blamed_csv
from errorflow.report.result_csv import ResultTable, result_name, write_result
from errorflow.report.summary import samples_lines, summary_data, summary_lines
from errorflow.report.tables import samples_csv, tensors_csv
from errorflow.results.advice import advise

# Names of each kind in a line.
SHOWN = 5
TENSORS, SUMMARY, SAMPLES, ADVICE = "tensors.csv", "summary.json", "samples.csv", "advisor_summary.txt"
NODES = "nodes.csv"


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

    @property
    def data(self) -> dict[str, Any]:
        blame = None if self.findings is None else self.findings.blame
        found = {} if blame is None else {"blame": blame_data(blame)}
        return (
            summary_data(self.summary)
            | found
            | {
                "only in the reference": self.match.only_reference,
                "only in the candidate": self.match.only_candidate,
                "problems": [problem.text for problem in self.match.problems],
            }
        )


def one_run(options: Namespace) -> int:
    """Two runs."""
    with Meter() as meter:
        done = _compare(options, asked(options), meter)
    return _say(options, [done])


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


def _compare(options: Namespace, wanted: Asked, progress: Progress, prefix: str = "") -> _Done:
    """Matches, measures and writes."""
    limits = [parse_limit(text) for text in options.limit]
    columns = columns_of(options)
    planned = plan(wanted, progress)
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
        findings = findings_of(wanted, comparison, progress)
        if findings is not None:
            files.append(out / f"{prefix}{NODES}")
            write_atomic(files[-1], blamed_csv(findings), follow=False)
        if planned.by_tool and _advises(options):
            files.append(_advised(files[0], prefix, planned.match.network_inputs))
        code = _exit_code(planned.match, summary)
        done = _Done(
            prefix.removesuffix("_"),
            planned.match,
            comparison,
            summary,
            (*files, out / f"{prefix}{SUMMARY}"),
            code,
            findings,
        )
        write_atomic(
            done.files[-1], json.dumps(done.data, indent=2, ensure_ascii=False, allow_nan=False) + "\n", follow=False
        )
        journal.forget()
    return done


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
        data = [one.data | {"files": [str(path) for path in one.files]} for one in done]
        # In ASCII: the other side of a pipe may have another encoding than this one.
        print(json.dumps(data if len(data) > 1 else data[0], indent=2))
    else:
        for one in done:
            if len(done) > 1:
                print(f"{one.name}:")
            print(plain("\n".join([*summary_lines(one.summary), *_left_over(one.match), *_blamed(one.findings)])))
            for path in (path for path in one.files if path.name.endswith(ADVICE)):
                print(path.read_text(encoding="utf-8"), end="")
            print(f"Written: {', '.join(map(str, one.files))}")
    return _first_code(done)


def _blamed(findings: Findings | None) -> Iterator[str]:
    if findings is not None and findings.blame is not None:
        yield from blame_lines(findings.blame)


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
