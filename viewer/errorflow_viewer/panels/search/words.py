"""Words for what a search can be about."""

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow.study.rank.asked import Kind
from errorflow.study.search.asked import Over, Sought, Way
from errorflow_viewer.panels.form_fields import Unit

OWN, AGREEMENT, TOP = "own", "agreement", "top"
_FIRST = ("relative_l2", "cosine", "sqnr", "max_absolute_error")
KINDS: dict[Kind, tuple[str, str]] = {
    "unit": ("Units", "A product with its norm and activation is one, since nothing rounds between them"),
    "node": ("Nodes", "Each node with all that it reads and makes"),
    "tensor": ("Tensors", "Each tensor, activations and weights"),
    "weight": ("Weights", "Each constant that something is multiplied by"),
    "activation": ("Activations", "Each tensor that flows"),
    "producer": ("Nodes with their producers", "Each node with those that make what it reads"),
    "upstream": ("All upstream of nodes", "Each node with everything before it"),
}
# In a sentence: one, and several.
COUNTED: dict[Kind, tuple[str, str]] = {
    "unit": ("unit", "units"),
    "node": ("node", "nodes"),
    "tensor": ("tensor", "tensors"),
    "weight": ("weight", "weights"),
    "activation": ("activation", "activations"),
    "producer": ("node with its producers", "nodes with their producers"),
    "upstream": ("node with all before it", "nodes with all before them"),
    "group": ("group", "groups"),
}
OVERS: dict[Over, tuple[str, str]] = {
    "pooled": ("All as one tensor", "All samples as if they were one tensor"),
    "mean": ("Mean of samples", "Each sample alone, and their mean"),
    "worst": ("Worst sample", "The worst sample alone"),
}
RANKED = {
    "noise": ("Noise at the outputs", "What each part alone brings to the outputs, as error power"),
    "amct": ("AMCT's sensitivity", "The cosine of each part's output with only that part quantized"),
}
# What the steps of undo are called.
STEP = "Change what is searched"


def metric_of(sought: Sought) -> Metric | None:
    """Finds the metric; None: answers are counted, or the user's file measures."""
    if sought.evaluator is not None:
        return None
    return next((metric for metric in METRICS if metric.key == sought.measure), None)


def top_of(sought: Sought) -> int:
    """0: something else is measured."""
    digits = sought.measure.removeprefix(TOP)
    is_top = sought.evaluator is None and sought.measure.startswith(TOP) and digits.isdecimal()
    return int(digits) if is_top else 0


def measures() -> list[tuple[str, str]]:
    """Texts and keys; of tops the number is another field."""
    known = {metric.key: metric.label for metric in METRICS}
    ordered = {key: known[key] for key in (*_FIRST, *known) if key in known}
    answers = [("Right answers (labels)", TOP), ("Same answer as the float model", AGREEMENT)]
    return [*answers, *((label, key) for key, label in ordered.items()), ("Your own evaluator", OWN)]


def measure_tip(sought: Sought) -> str:
    """Measure · metric · formula, or what stands in their place."""
    metric = metric_of(sought)
    if metric is not None:
        return f"accumulated · {metric.label} of the outputs · {metric.formula}"
    if sought.evaluator is not None:
        return "A Python file with evaluate(run) and good_enough(original, new), or a class as AMCT takes it"
    if sought.measure == AGREEMENT:
        return "The share of samples whose first answer is that of the float model; needs no labels"
    return f"The share of samples whose right answer is among the first {top_of(sought):,}"


def unit_of(sought: Sought) -> Unit:
    """Finds what is written into the field of the limit: of answers it is a share, of metrics and evaluators any
    number.
    """
    if sought.way == "relative":
        return "percent"
    return "share" if metric_of(sought) is None and sought.evaluator is None else "number"


def missing(way: Way) -> str:
    """Says what is missing where nothing is usual."""
    return "Write the value that has to be reached." if way == "bound" else "Write how much worse it may be."


def higher_is_better(sought: Sought) -> bool:
    metric = metric_of(sought)
    return metric is None or metric.higher_is_better


def ways(sought: Sought) -> list[tuple[str, Way]]:
    bound = "At least" if higher_is_better(sought) else "At most"
    return [(bound, "bound"), ("Worse by at most", "drop"), ("Worse by at most, in %", "relative")]


def value_text(sought: Sought, value: float) -> str:
    """Writes a value as the metric shows it, or as short as can be."""
    metric = metric_of(sought)
    if value != value:
        return "no number"
    return f"{value:.6g}" if metric is None else metric.text(value)
