"""Comparisons that are not of whole runs: two arrays, one operator, and only the names of files."""

import json
from argparse import Namespace
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from errorflow.base.arrays import holds_numbers
from errorflow.base.errors import ErrorflowError
from errorflow.cli.asked import asked, counts, folder
from errorflow.cli.columns import columns_of
from errorflow.cli.meter import Meter
from errorflow.compare.comparer import msaccucmp
from errorflow.compare.limits import parse_limit
from errorflow.compare.match.by_fusion import mapping
from errorflow.compare.match.codes import (
    LIMIT_BROKEN,
    OK,
    OUT_OF_RANGE,
    UNSUPPORTED,
    WRONG_OPTIONS,
    WRONG_SHAPE,
    RefusedError,
)
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.match.one_tensor import Which
from errorflow.compare.match.plan import one_tensor, rules_and_runs
from errorflow.compare.match.rules import RULE_OF
from errorflow.compare.metrics import METRICS
from errorflow.compare.model import Comparison
from errorflow.compare.pairs import compare_match
from errorflow.compare.summary import summarize
from errorflow.formats import read_tensors
from errorflow.formats.convert.custom import Converters
from errorflow.graph.describe import shape_text
from errorflow.graph.dump import Stored
from errorflow.report.single import SingleOptions, run_single
from errorflow.report.summary import limit_lines, summary_data
from errorflow.report.tables import result_name, write_mapping


def no_pytorch() -> ErrorflowError:
    return RefusedError(
        "PyTorch's .h5 dumps are not compared here.",
        "Write the tensors of both runs with numpy.savez, one under each name, and compare the two .npz files.",
        UNSUPPORTED,
    )


def mapping_only(options: Namespace) -> int:
    """Writes which files belong together."""
    wanted = asked(options)
    with Meter() as meter:
        table, candidate, reference = rules_and_runs(wanted, meter)
        lines = list(mapping(table, candidate, reference, wanted.selection))
    out = folder(options)
    path = out / result_name("mapping", datetime.now())
    write_mapping(path, lines, counts(options))
    print(f"{len(lines):,} tensors: {path}")
    if options.ran:
        print(f"Written before: {', '.join(map(str, options.ran))}")
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
        pair = one_tensor(asked(options), which, meter)
        custom = Converters.of(options.custom_script_path) if options.custom_script_path else None
        wanted = SingleOptions(folder(options), which.operator, which.side, which.index, top, custom=custom)
        wanted = replace(wanted, brief=options.ignore_single_op_result, lines=wanted.lines if lines is None else lines)
        found = run_single(pair, wanted, meter)
    rule = RULE_OF[pair.rule]
    if not rule.certain:
        print(f"A guess, which msaccucmp does not make: {rule.label}. {rule.why}")
    print(found.summary)
    print(f"Written: {', '.join(map(str, (*options.ran, *found.files)))}")
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
        shapes = f"{shape_text(mine.info.shape)} and {shape_text(golden.info.shape)}"
        raise RefusedError(f"The shapes differ: {shapes}.", "Compare equal shapes.", WRONG_SHAPE)
    comparison = compare_match(Match((Pair(mine.info.name, mine, golden, rule="file-name"),)))
    summary = summarize(comparison, limits=[parse_limit(text) for text in options.limit])
    if options.json:
        print(json.dumps(summary_data(summary), indent=2))
    else:
        _print_cells(options, mine, golden)
        _print_ours(comparison)
        print("\n".join(limit_lines(summary.limits)), end="\n" if summary.limits else "")
    return OK if all(limit.kept for limit in summary.limits) else LIMIT_BROKEN


def _print_cells(options: Namespace, mine: Stored, golden: Stored) -> None:
    """Names over values."""
    x, y = mine.read(), golden.read()
    for side, array in ((mine, x), (golden, y)):
        if not holds_numbers(array):
            what = f"{Path(side.path).name} holds no numbers."
            raise RefusedError(what, "Choose a file that holds a tensor.", UNSUPPORTED)
    paths = (str(Path(options.my_dump_path).resolve()), str(Path(options.golden_dump_path).resolve()))
    found = msaccucmp().cells(x, y, columns_of(options), paths)
    widths = {name: max(len(name), len(value)) for name, value in found.values.items()}
    print(" ".join(name.ljust(widths[name]) for name in found.values).rstrip())
    print(" ".join(value.ljust(widths[name]) for name, value in found.values.items()).rstrip())
    for message in found.messages:
        print(message)


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
