"""Advice on what to do next, as the vendors' guides have it, in our words; docs/advice.md shows this table.

What was seen at a tensor comes before what holds for every error of a kind.

To add one: a row here, or in the room of a vendor what is about its tools; `python docs/tables.py` writes the page. The
part of the key before a colon says when it applies.
"""

from collections.abc import Collection
from functools import cache

from errorflow.base.values import dataclass
from errorflow.base.vendor import Rows
from errorflow.explain.blame.model import Advice
from errorflow.graph.model import Graph

# An output is good, and what is to be known even then: what was compared may not be what was meant.
_GOOD = frozenset({"good output", "healthy"})
_ALWAYS = frozenset({"inputs differ", "constants differ"})


@dataclass(frozen=True, slots=True)
class VendorAdvice:
    """Advice on a vendor's tools, and how one sees that they were at work."""

    # As the rows have it in `vendor`.
    key: str
    rows: tuple[Advice, ...]
    # Those that only its compilers make.
    operators: frozenset[str] = frozenset()
    # Whether its comparer makes lines of our tables.
    compares: bool = False
    rank: int = 0


VENDORS = Rows(VendorAdvice, "advice")

_OWN: tuple[Advice, ...] = (
    Advice(
        "inputs differ",
        "Feed both runs the same data: check mean and scale, colour order, layout and resizing before anything else.",
        "A comparison of nodes says nothing as long as the model was given something else.",
        "Ascend, msaccucmp advisor: input inconsistent; Pulsar2, accuracy tuning: deployment accuracy loss",
        "an input of the model is not the same in both runs",
    ),
    Advice(
        "coded input",
        "Calibrate on data that reach as far as those of use, or keep the named input in float or 16 bit.",
        "What is lost when an input is coded is lost before the first node runs, and no node brings it back.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in the quantization process; "
        "Pulsar2, model conversion accuracy loss: basic troubleshooting",
        "an input of a simulation is clipped or coded too coarsely",
    ),
    Advice(
        "broken samples",
        "Mend the samples that hold NaN or infinite values, or leave them out, and simulate again.",
        "What comes behind a NaN tells nothing, in float or in codes.",
        "Ascend, msaccucmp advisor: overflow comes first; RKNN-Toolkit2, accuracy analysis: special states",
        "samples of a simulation hold NaN or infinite values",
    ),
    Advice(
        "broken model",
        "Mend the named node in the float model, or leave out the samples on which it fails, and simulate again.",
        "It makes NaN or infinite values before anything is quantized, and what comes behind them tells nothing.",
        "Ascend, msaccucmp advisor: overflow comes first; RKNN-Toolkit2, accuracy analysis: special states",
        "a node of a simulation's float model makes NaN or infinite values",
    ),
    Advice(
        "overflow",
        "Find the first node with NaN or infinite values and keep it and what feeds it in float32 or bfloat16; then "
        "compare again.",
        "What comes behind a NaN tells nothing, and float16 ends at 65504.",
        "Ascend, msaccucmp advisor: overflow comes first; RKNN-Toolkit2, accuracy analysis: special states",
        "the candidate holds NaN or infinite values where the reference has none",
    ),
    Advice(
        "sign flipped",
        "Check the operator itself: order of its inputs, signs of scales, saturating shifts; then send it to support.",
        "Rounding makes values smaller or larger, it does not turn them around.",
        "RKNN-Toolkit2, accuracy analysis: simulator against board",
        "a tensor points away from its reference (cosine below −0.5), and what it is made of does not",
    ),
    Advice(
        "one code",
        "Calibrate with data on which this tensor takes its real values, 10 to 100 inputs like those of use; else "
        "leave the node that makes it in float.",
        "A range that was taken where a tensor hardly moves, or that one outlier stretched, leaves a single code to "
        "all other values.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in the quantization process; "
        "Pulsar2, model conversion accuracy loss: basic troubleshooting",
        "a tensor is constant or zero in the candidate and was not lost before, and the candidate was quantized",
    ),
    Advice(
        "constants differ",
        "Check that both runs are of the same version of the model.",
        "A constant that is not the same makes two models of one.",
        "Ascend, comparison between NPU and NPU: before and after version iteration",
        "a constant that a node reads is not the same in both runs",
    ),
    Advice(
        "loud channel",
        "Give the named tensor 16 bits or one scale per channel, or even its channels out with SmoothQuant; float "
        "for its readers alone brings nothing back.",
        "One scale for loud and quiet values leaves the quiet ones a few steps, and the tensor as a whole looks fine.",
        "Pulsar2, accuracy tuning: outliers too large; RKNN-Toolkit2, hybrid quantization: step 1 with proposal",
        "a tensor looks good as a whole and its readers lose what its quiet values held",
    ),
    Advice(
        "float node error",
        "Compile the model once in float32 and once with fusion switched off, and compare each: what heals the node "
        "says what is at fault.",
        "Nothing was quantized, so that only shorter floats, fusion or the operator itself can bring it.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in model conversion",
        "few nodes bring the error of the output, and nothing of the candidate was quantized",
    ),
    Advice(
        "float leading node",
        "Compile the model once with fusion switched off and look whether the named node heals; then compare again.",
        "One of many nodes brings more than half of the error, and shorter floats alone seldom do that to one node.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in model conversion",
        "many nodes bring the error of the output, one of them more than half of it, and nothing of the candidate was "
        "quantized",
    ),
    Advice(
        "float accumulated error",
        "Compile the model in float32 or mixed precision instead of float16, and compare again.",
        "Nothing was quantized: many small losses are those of shorter floats.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in model conversion",
        "many nodes bring the error of the output, and nothing of the candidate was quantized",
    ),
    Advice(
        "node error",
        "Leave the named node in float or 16 bit, or it and the node before or behind it, and quantize again.",
        "Few nodes bring the error, so that giving them more bits costs little and brings back most.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in model conversion",
        "few nodes bring the error of the output",
    ),
    Advice(
        "slight error",
        "Measure the task itself before anything is changed, with labels or a measure of your own.",
        "The error is made of many small ones, and small or seen in few answers; often it costs the task nothing.",
        "Ascend, msaccucmp advisor: global consistency; Pulsar2, accuracy tuning: note on similarity and accuracy",
        "many nodes bring the error of the output, which is at most twice the limit, or 9 of 10 answers are the same",
    ),
    Advice(
        "leading node",
        "Leave the named node in float or 16 bit first, and compare again; what then is left is what the others bring.",
        "One of many nodes brings more than half of the error: each node that is given more bits brings back its part.",
        "RKNN-Toolkit2, hybrid quantization: step 1 with proposal; "
        "Pulsar2, accuracy tuning: quantization accuracy tuning",
        "many nodes bring the error of the output, and one of them more than half of it",
    ),
    Advice(
        "accumulated error",
        "Change how all of it is quantized: another calibration method, more or better data, one scale per channel, "
        "SmoothQuant, or wider types for whole parts.",
        "Many nodes bring the error together; what is done for one or two of them leaves what the others bring.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in model conversion; "
        "Pulsar2, accuracy tuning: quantization accuracy tuning",
        "many nodes bring the error of the output",
    ),
    Advice(
        "good output",
        "Leave the bad nodes inside alone, and measure the task on real data.",
        "What happens inside and does not reach the output costs nothing; similarity is not the accuracy of the task.",
        "Ascend, msaccucmp advisor: global consistency; Pulsar2, accuracy tuning: note on similarity and accuracy",
        "the output is good, and nodes inside are bad",
    ),
    Advice(
        "other outputs",
        "Ask who reads the bad output: if nobody does, leave it alone.",
        "Which output matters is not in the model.",
        "Horizon, precision debug: the output to be looked at is chosen by the user",
        "some outputs are good and some are bad",
    ),
    Advice(
        "healthy",
        "Nothing to do here: if the task is still worse, look at what is done before and behind the model.",
        "All that was measured is within the limits, or hardly beyond them.",
        "Ascend, msaccucmp advisor: global consistency; Pulsar2, accuracy tuning: deployment accuracy loss",
        "the output is good, and no node is clearly beyond the limits",
    ),
    Advice(
        "beyond limits",
        "Give the model as well, such as the original prototxt or ONNX model with --model: it says what flows where.",
        "A list of operators tells which of them are bad, and not which of them only pass on what they read.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in the quantization process",
        "tensors are beyond the limits, and the files do not say what flows where",
    ),
    Advice(
        "nothing",
        "Check that both runs are of this model, and that the dump was switched on for all nodes.",
        "Without a tensor of the same name or origin on both sides nothing can be said.",
        "Ascend, preparing dump data of an offline model",
        "nothing of the model was measured",
    ),
)


@cache
def advice_table() -> tuple[Advice, ...]:
    """Lists all rows; behind each what vendors add to it."""
    added = [row for vendor in VENDORS for row in vendor.rows]
    return tuple(row for own in _OWN for row in (own, *(each for each in added if _case(each) == own.key)))


def advice_for(seen: Collection[str], vendor: str = "") -> tuple[Advice, ...]:
    """Chooses the rows for what was seen, in the order of the table: those for all, and those of the vendor.

    Where the output is good, that comes first, and what was seen at tensors inside calls for nothing.
    """
    rows = [row for row in advice_table() if _case(row) in seen and row.vendor in ("", vendor)]
    good = [row for row in rows if row.key in _GOOD]
    return tuple([*good, *(row for row in rows if row.key in _ALWAYS)] if good else rows)


def _case(row: Advice) -> str:
    return row.key.partition(":")[0]


def is_compiled(graph: Graph) -> bool:
    """Whether a vendor's compiler made it, as far as its operators tell."""
    types = set(graph.op_types.values)
    return any(not vendor.operators.isdisjoint(types) for vendor in VENDORS)


def vendor_of(graph: Graph, is_printed: bool) -> str:
    """Finds whose tools were at work; "": unknown. `is_printed`: a comparer of theirs made lines of the table."""
    types = set(graph.op_types.values)
    at_work = (each.key for each in VENDORS if not each.operators.isdisjoint(types) or (each.compares and is_printed))
    return next(at_work, "")
