"""Arguments of `errorflow compare`: msaccucmp's options as its users spell them, and ours."""

from argparse import ArgumentParser, Namespace, _ArgumentGroup

from errorflow.cli.as_session import add_session
from errorflow.cli.hand_pairs import add_pairs
from errorflow.cli.profile import add_profile
from errorflow.cli.run import add_inputs
from errorflow.cli.where import HELP as WHERE
from errorflow.compare.match.codes import WRONG_OPTIONS, RefusedError

# Checked before anything is read; each is an option and what it needs or forbids.
_SINGLE = (("output_tensor", "-o"), ("input_tensor", "-i"), ("topn", "-n"), ("max_line", "-ml"))


EXAMPLES = """\
examples:
  errorflow compare -m mine.npz -g golden.npz -out result             two runs of any kind, by names
  errorflow compare -m int8.onnx -g float.onnx --inputs x.npz         two ONNX models, both are run
  errorflow compare -m npu -g npy -f model.json -out result           an NPU against the original model
  errorflow compare -m npu -g npy -f model.json -q quant.json         quantized on the NPU, original model
  errorflow compare -m quant_npy -g npy -q quant.json                 fake-quantized model, original model
  errorflow compare -m npu -g npy -f model.json -op conv1             one tensor, value by value
  errorflow compare -m npu_a -g npu_b                                 two dumps of NPUs
  errorflow compare -m npu_a -g npu_b -f fused.json -cf unfused.json  with fusion against without
  errorflow compare -m mine.npz -g golden.npz --session now.errorflow  as a session, too
  errorflow compare -m mine.npz -g golden.npz --limit cosine=0.99     for scripts: exit code 1 if worse

exit codes: 0 done; 1 a limit is broken; 2 done, but some operator has no dump (usual for inputs); others: an error
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    # Of models that are run before anything is compared: what is to be known of them, and what they left behind.
    parser.set_defaults(notes=(), ran=())
    add_runs(parser)
    _add_out(parser)
    _add_table(parser)
    _add_single(parser)
    _add_ours(parser)
    add_inputs(parser.add_argument_group("ONNX models in place of runs: they are run"))


def add_runs(parser: ArgumentParser, required: bool = True) -> None:
    """The two runs and the files that say what belongs together."""
    runs = parser.add_argument_group("what is compared")
    runs.add_argument(
        "-m",
        "--my_dump_path",
        metavar="RUN",
        required=required,
        help="the run in question: a folder, .npz or .npy; or an ONNX model, which is run",
    )
    runs.add_argument(
        "-g", "--golden_dump_path", metavar="RUN", required=required, help="the run that is right, or its model"
    )
    add_rules(runs)


def add_rules(runs: _ArgumentGroup) -> None:
    """The files that say what belongs together."""
    runs.add_argument(
        "-f",
        "--fusion_rule_file",
        metavar="FILE",
        default="",
        help="the model on the NPU: its .om, or the JSON that ATC prints; a folder of JSONs compares several models",
    )
    runs.add_argument(
        "-q", "--quant_fusion_rule_file", metavar="FILE", default="", help="AMCT's quantization information (.json)"
    )
    runs.add_argument(
        "-cf",
        "--close_fusion_rule_file",
        metavar="FILE",
        default="",
        help="the model of -g, compiled without fusion (.om or JSON)",
    )


def _add_out(parser: ArgumentParser) -> None:
    more = parser.add_argument_group("how, and where to")
    more.add_argument("-ffts", action="store_true", help="compare pieces of operators (FFTS+) one by one")
    more.add_argument("-out", "--output", metavar="DIR", default=".", help="where the results go (default: here)")


def add_knowledge(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Adds options for further knowledge of the runs."""
    add_facts(parser)
    parser.add_argument(
        "--simulator",
        metavar="RUN",
        default="",
        help="a third run, between -g (float) and -m (board): says which of the two steps is at fault",
    )


def add_facts(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Adds options for facts of any two runs."""
    parser.add_argument("--model", metavar="FILE", help="the original model (.onnx …): pairs operators with tensors")
    parser.add_argument(
        "--shapes", action="append", default=[], metavar="NAME=1x3x8x8:float32", help="of a raw .bin; repeatable"
    )
    parser.add_argument(
        "--scales",
        metavar="FILE",
        default="",
        help="AMCT's scale_offset_record.txt: with it, codes are brought back to real values and measured",
    )


def _add_table(parser: ArgumentParser) -> None:
    table = parser.add_argument_group("msaccucmp's table")
    table.add_argument(
        "-alg",
        "--algorithm",
        nargs="+",
        default=["all"],
        metavar="NAME",
        help="columns by name or number, with commas or spaces between them (default: all)",
    )
    table.add_argument(
        "-a",
        "--algorithm_options",
        "-algorithm_options",
        metavar="TEXT",
        default="",
        help="arguments of your own columns: NAME:key=value,…;…",
    )
    table.add_argument(
        "-c",
        "--custom_script_path",
        metavar="DIR",
        default="",
        help="your own columns (DIR/algorithm) and converters (DIR/format_convert); they are run",
    )
    table.add_argument("-map", "--mapping", action="store_true", help="only write which files belong together")
    table.add_argument("-overflow_detection", action="store_true", help="the column OverFlow, for float16")
    table.add_argument("-advisor", action="store_true", help="say what the table points at; adds the column OverFlow")
    table.add_argument(
        "-r", "--range", metavar="START,END,STEP", help="only these operators, by their place in the model"
    )
    table.add_argument("-s", "--select", metavar="1,2,3", help="only these operators")
    table.add_argument(
        "-max", "--max_cmp_size", type=int, default=0, metavar="N", help="only the first N values of each tensor"
    )
    table.add_argument("-p", "--post_process", type=int, choices=(0, 1), help="accepted for PyTorch only, as there")
    table.add_argument("-v", "--version", type=int, choices=(1, 2), help="accepted and ignored")


def _add_single(parser: ArgumentParser) -> None:
    single = parser.add_argument_group("one operator")
    single.add_argument("-op", "--op_name", metavar="NAME", help="compare one tensor of this operator value by value")
    which = single.add_mutually_exclusive_group()
    which.add_argument("-o", "--output_tensor", metavar="K", help="its output K (default: 0)")
    which.add_argument("-i", "--input_tensor", metavar="K", help="its input K")
    single.add_argument(
        "-n", "--topn", type=int, metavar="N", help="so many of the worst values, 1 to 10000 (default: 20)"
    )
    single.add_argument(
        "-ml", "--max_line", type=int, metavar="N", help="lines per file, 10000 to 1000000 (default: 1000000)"
    )
    single.add_argument(
        "--ignore_single_op_result", action="store_true", help="write only the summary and the worst values"
    )


def _add_ours(parser: ArgumentParser) -> None:
    ours = parser.add_argument_group("beyond msaccucmp")
    add_knowledge(ours)
    ours.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="METRIC=VALUE",
        help="exit with 1 where a tensor is worse, such as cosine=0.99; repeatable",
    )
    add_pairs(ours)
    add_session(ours)
    add_profile(ours)
    running = ours.add_mutually_exclusive_group()
    running.add_argument(
        "--exact",
        action="store_true",
        help="fail where no node of --model can be run to see who is to blame (default: estimate then)",
    )
    running.add_argument("--estimate", action="store_true", help="run no node: who is to blame is estimated")
    ours.add_argument("--samples", action="store_true", help="both runs are folders with a run per input")
    ours.add_argument("--where", metavar="QUERY", help=WHERE)
    ours.add_argument("--json", action="store_true", help="print the summary as JSON")
    ours.add_argument("--workers", type=int, metavar="N", help="processes (default: one per core)")
    ours.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, such as tcp://host:8786")
    ours.add_argument("--resume", action="store_true", help="go on where an earlier call was interrupted")


def check(options: Namespace) -> None:
    """Refuses what msaccucmp refuses among its options, with its exit code."""

    problem = next((text for holds, text in _problems(options) if holds), None)
    if problem is not None:
        raise RefusedError(problem[0], problem[1], WRONG_OPTIONS)


def _problems(options: Namespace) -> list[tuple[bool, tuple[str, str]]]:
    part = options.range is not None or options.select is not None
    single = options.op_name is not None
    alone = [text for name, text in _SINGLE if getattr(options, name) is not None]
    alone += ["--ignore_single_op_result"] if options.ignore_single_op_result else []
    files = options.fusion_rule_file or options.quant_fusion_rule_file
    return [
        (None not in (options.range, options.select), ("-r and -s both choose operators.", "Leave one of them out.")),
        (part and not options.fusion_rule_file, ("-r and -s count the operators of the model.", "Give it with -f.")),
        (part and single, ("-op is one operator already.", "Leave -r or -s out.")),
        (bool(options.scales) and not options.fusion_rule_file, ("--scales names layers of a model.", "Add -f.")),
        (options.max_cmp_size < 0, ("-max cannot be negative.", "Give 0 for all values.")),
        (options.mapping and (single or bool(alone)), ("-map is about all operators.", "Leave -op, -o and -i out.")),
        (
            options.exact and options.model is None and not options.golden_dump_path.endswith(".onnx"),
            ("--exact runs the nodes of the original model, and none is given.", "Add --model model.onnx."),
        ),
        (options.mapping and not files, ("-map needs to know what was fused.", "Add -f or -q.")),
        (bool(alone) and not single, (f"Only with -op is there a meaning to {' and '.join(alone)}.", "Add -op NAME.")),
        (
            bool(options.pair or options.pairs) and (single or options.mapping),
            ("--pair and --pairs are about whole runs.", "Leave -op and -map out."),
        ),
        (options.post_process is not None, ("-p is for PyTorch's .h5 files.", "Leave it out.")),
        (
            options.workers is not None and options.workers < 1,
            ("--workers must be at least 1.", "Leave it out to use all cores."),
        ),
    ]
