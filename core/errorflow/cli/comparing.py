"""The work behind `errorflow compare`: match, measure, write, and say what came of it."""

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from errorflow.cli.columns import columns_of, key
from errorflow.cli.meter import Meter
from errorflow.compare import Comparison, Options, compare_match, crew_for, journal_in
from errorflow.compare.cluster import Cluster
from errorflow.compare.crew import Crew
from errorflow.compare.samples import sample_paths, spread
from errorflow.compare.summary import Summary, parse_limit, summarize
from errorflow.convert.custom import Converters
from errorflow.errors import ErrorflowError, FileError
from errorflow.files import write_atomic
from errorflow.formats import read_tensors
from errorflow.match.batch import batch
from errorflow.match.codes import OK, OUT_OF_RANGE, UNSUPPORTED, WRONG_OPTIONS, WRONG_SHAPE
from errorflow.match.mapping import mapping
from errorflow.match.model import Match, Pair
from errorflow.match.one_tensor import Which
from errorflow.match.plan import Asked, Plan, one_tensor, plan, rules_and_runs
from errorflow.match.refused import RefusedError
from errorflow.match.rules import RULE_OF
from errorflow.match.selection import Selection, everything, in_range, selected
from errorflow.metrics import METRICS
from errorflow.metrics.msaccucmp import Column, cells
from errorflow.progress import Progress
from errorflow.report.result_csv import ResultTable, result_name, write_mapping, write_result
from errorflow.report.single import SingleOptions, run_single
from errorflow.report.summary import summary_data, summary_json, summary_lines
from errorflow.report.tables import samples_csv, tensors_csv

# A limit that is broken, for scripts; msaccucmp has no such thing.
LIMIT_BROKEN = 1
TENSORS, SUMMARY, SAMPLES = "tensors.csv", "summary.json", "samples.csv"


@dataclass(frozen=True, slots=True)
class _Done:
    """One comparison that was written down."""

    comparison: Comparison
    summary: Summary
    files: tuple[Path, ...]
    code: int


def no_pytorch() -> ErrorflowError:
    return RefusedError(
        "PyTorch's .h5 dumps are not compared here.",
        "Write the tensors of both runs with numpy.savez, one under each name, and compare the two .npz files.",
        UNSUPPORTED,
    )


def one_run(options: Namespace) -> int:
    """Two runs."""
    with Meter() as meter:
        done = _compare(options, _asked(options), meter)
    return _say(options, [done])


def many_models(options: Namespace) -> int:
    """Several models that were dumped at the same time, each with its own result."""
    if options.op_name is not None:
        raise RefusedError("-op is about one model.", "Give one file with -f instead of a folder.", WRONG_OPTIONS)
    found = batch(Path(options.fusion_rule_file), Path(options.my_dump_path))
    done = []
    with Meter() as meter:
        for run in found:
            asked = _asked(options, candidate=run.candidate, fusion=run.fusion)
            done.append(_compare(options, asked, meter, run.prefix))
    return _say(options, done)


def samples(options: Namespace) -> int:
    """The same model on several inputs."""
    found: dict[str, _Done] = {}
    with Meter() as meter:
        for sample in sample_paths(Path(options.my_dump_path), Path(options.golden_dump_path)):
            asked = _asked(options, candidate=sample.candidate, reference=sample.reference)
            found[sample.name] = _compare(options, asked, meter, f"{sample.name}_")
    path = Path(options.output) / SAMPLES
    write_atomic(path, samples_csv(spread({name: done.comparison for name, done in found.items()})))
    code = _say(options, list(found.values()))
    if not options.json:
        print(f"Worst and median over all inputs: {path}")
    return code


def mapping_only(options: Namespace) -> int:
    """Which files belong together."""
    asked = _asked(options)
    with Meter() as meter:
        table, candidate, reference = rules_and_runs(asked, meter)
        lines = list(mapping(table, candidate, reference, asked.selection))
    out = _folder(options)
    path = out / result_name("mapping", datetime.now())
    write_mapping(path, lines, _counts(options))
    print(f"{len(lines):,} tensors: {path}")
    return OK


def one_operator(options: Namespace) -> int:
    """Every value of one tensor."""
    which = _which(options)
    top, lines = 20 if options.topn is None else options.topn, options.max_line
    if not 1 <= top <= 10_000:
        raise RefusedError(f"-n {top} is not within 1 and 10000.", "Leave it out for 20.", OUT_OF_RANGE)
    if lines is not None and not 10_000 <= lines <= 1_000_000:
        raise RefusedError(f"-ml {lines} is not within 10000 and 1000000.", "Leave it out.", WRONG_OPTIONS)
    with Meter() as meter:
        pair = one_tensor(_asked(options), which, meter)
        custom = Converters.of(options.custom_script_path) if options.custom_script_path else None
        wanted = SingleOptions(_folder(options), which.operator, which.side, which.index, top, custom=custom)
        wanted = replace(wanted, brief=options.ignore_single_op_result, lines=wanted.lines if lines is None else lines)
        found = run_single(pair, wanted, meter)
    rule = RULE_OF[pair.rule]
    if not rule.certain:
        print(f"A guess, which msaccucmp does not make: {rule.label}. {rule.why}")
    print(found.summary)
    print(f"Written: {', '.join(map(str, found.files))}")
    return OK


def _which(options: Namespace) -> Which:
    side, text = ("input", options.input_tensor) if options.input_tensor else ("output", options.output_tensor)
    number = text if text else "0"
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise RefusedError(f"{number} is no number of an {side}.", "They are counted from 0.", WRONG_OPTIONS)
    return Which(options.op_name, side, int(number))


def two_arrays(options: Namespace) -> int:
    """Prints the columns of msaccucmp as it does, and ours below them; nothing is written."""
    names = [Path(options.my_dump_path), Path(options.golden_dump_path)]
    mine, golden = (dump.stored(dump.names()[0]) for dump in map(read_tensors, names))
    if mine.info.shape != golden.info.shape:
        raise RefusedError(
            f"The shapes differ: {mine.info.shape} and {golden.info.shape}.", "Compare equal shapes.", WRONG_SHAPE
        )
    x, y = mine.read(), golden.read()
    found = cells(
        x.reshape(-1),
        y.reshape(-1),
        columns=[column for column in columns_of(options) if isinstance(column, Column)],
        shape=x.shape,
        my_path=str(names[0].resolve()),
        golden_path=str(names[1].resolve()),
    )
    widths = {name: max(len(name), len(value)) for name, value in found.values.items()}
    print(" ".join(name.ljust(widths[name]) for name in found.values).rstrip())
    print(" ".join(value.ljust(widths[name]) for name, value in found.values.items()).rstrip())
    for message in found.messages:
        print(message)
    comparison = compare_match(Match((Pair(mine.info.name, mine, golden, rule="file-name"),)))
    _print_ours(comparison)
    summary = summarize(comparison, limits=[parse_limit(text) for text in options.limit])
    return LIMIT_BROKEN if any(broken.count for broken in summary.limits) else OK


def _print_ours(comparison: Comparison) -> None:
    (row,) = comparison.rows
    if row.note:
        print(row.note)
    width = max(len(metric.label) for metric in METRICS)
    for metric in METRICS:
        if metric.key in row.values:
            print(f"{metric.label:<{width}}  {metric.text(row.values[metric.key])}")
    for state in row.states:
        print(state)


def _asked(
    options: Namespace, candidate: Path | None = None, reference: Path | None = None, fusion: Path | None = None
) -> Asked:
    return Asked(
        candidate=Path(options.my_dump_path) if candidate is None else candidate,
        reference=Path(options.golden_dump_path) if reference is None else reference,
        fusion=options.fusion_rule_file if fusion is None else str(fusion),
        quantization=options.quant_fusion_rule_file,
        closed_fusion=options.close_fusion_rule_file,
        pieces=options.ffts,
        selection=_selection(options),
        model=options.model,
        shapes=tuple(options.shapes),
    )


def _selection(options: Namespace) -> Selection:
    if options.range is not None:
        return in_range(options.range)
    return everything if options.select is None else selected(options.select)


def _compare(options: Namespace, asked: Asked, progress: Progress, prefix: str = "") -> _Done:
    """Matches, measures and writes."""
    limits = [parse_limit(text) for text in options.limit]
    columns = columns_of(options)
    planned = plan(asked, progress)
    overflow = (options.overflow_detection or _advises(options)) and planned.is_npu
    wanted = Options(
        columns=tuple(map(key, columns)) if planned.by_tool else None,
        # As msaccucmp, which compares all values of two dumps of NPUs.
        most_values=options.max_cmp_size if options.max_cmp_size and asked.files else None,
        overflow=overflow,
        custom=options.custom_script_path,
        custom_options=options.algorithm_options,
    )
    out = _folder(options)
    with journal_in(out, planned.match, wanted, resume=options.resume) as journal:
        with _crew(options, planned.match) as crew:
            comparison = compare_match(planned.match, wanted, crew=crew, journal=journal, progress=progress)
        summary = summarize(comparison, outputs=planned.match.network_outputs, limits=limits)
        table = ResultTable(
            tuple(column.name for column in columns),
            my_address=planned.is_npu,
            golden_address=planned.is_npu_reference,
            knows_golden_address=not asked.files,
            overflow=overflow,
            sequence=_counts(options),
        )
        files = _written(out, prefix, planned, comparison, summary, table)
        journal.forget()
    broken = any(limit.count for limit in summary.limits)
    return _Done(comparison, summary, files, LIMIT_BROKEN if broken else planned.match.exit_code)


def _written(
    out: Path, prefix: str, planned: Plan, comparison: Comparison, summary: Summary, table: ResultTable
) -> tuple[Path, ...]:
    files = [out / f"{prefix}{TENSORS}", out / f"{prefix}{SUMMARY}"]
    if planned.by_tool:
        files.insert(0, out / result_name("result", datetime.now(), prefix))
        write_result(files[0], comparison.rows, table)
    write_atomic(files[-2], tensors_csv(comparison))
    write_atomic(files[-1], summary_json(summary))
    return tuple(files)


@contextmanager
def _crew(options: Namespace, match: Match) -> Iterator[Crew]:
    if options.scheduler is None:
        yield crew_for(match, options.workers)
        return
    with Cluster(options.scheduler) as cluster:
        yield cluster.crew(match)


def _folder(options: Namespace) -> Path:
    out = Path(options.output)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {out} could not be made.", "Choose another one with -out.") from error
    return out


def _say(options: Namespace, done: list[_Done]) -> int:
    if options.json:
        data = [summary_data(one.summary) | {"files": [str(path) for path in one.files]} for one in done]
        # In ASCII: the other side of a pipe may have another encoding than this one.
        print(json.dumps(data if len(data) > 1 else data[0], indent=2))
    else:
        for one in done:
            print("\n".join(summary_lines(one.summary)))
            print(f"Written: {', '.join(map(str, one.files))}")
    return next((one.code for one in done if one.code), OK)


def _counts(options: Namespace) -> bool:
    return options.range is not None or options.select is not None


def _advises(options: Namespace) -> bool:
    """-r and -s show a part only, of which nothing can be said."""
    if options.advisor and _counts(options):
        print("errorflow: -advisor says nothing of a part of the model (-r, -s).", file=sys.stderr)
    return options.advisor and not _counts(options)
