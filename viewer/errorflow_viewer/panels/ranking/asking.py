"""Questions about the parts of a model, in words: each choice makes another one."""

from collections.abc import Iterator, Sequence

from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics import METRICS
from errorflow.study.rank.model import KINDS, Kind, Measure, Question

# What is switched as one: in a sentence, and what it means.
KIND_WORDS: dict[Kind, tuple[str, str]] = {
    "unit": ("units", "A product with its norm and activation is one, since nothing rounds between them"),
    "node": ("nodes", "Each node with all that it reads and makes"),
    "tensor": ("tensors", "Each tensor, activations and weights"),
    "weight": ("weights", "Each constant that something is multiplied by"),
    "activation": ("activations", "Each tensor that flows"),
    "producer": ("nodes with their producers", "Each node with those that make what it reads"),
    "upstream": ("all upstream of nodes", "Each node with everything before it"),
    "group": ("groups", "What you put together"),
}
MEASURE_WORDS: dict[tuple[Measure, ...], tuple[str, str]] = {
    ("impact",): ("impact", "Only the part is quantized: how much harm does it do alone?"),
    ("recovery",): ("recovery", "All is quantized but the part: how good is the model then?"),
    ("impact", "recovery"): ("impact and recovery", "Both, ranked by impact; it takes twice as long"),
}
_SOME = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class RankingChoice:
    """Choice of another question; `step` is what the undo list calls it."""

    text: str
    tip: str
    question: Question
    checked: bool
    step: str
    # It stands apart from those above.
    apart: bool = False
    # Several of its kind can hold at the same time.
    many: bool = False
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class RankingContext:
    """Things that a question can be about."""

    outputs: tuple[str, ...] = ()
    samples: int = 0
    # The names of the nodes that are selected, and what the selection is called; (): none are.
    nodes: tuple[str, ...] = ()
    called: str = ""
    # The tensor that is selected, or what the selected node makes.
    tensor: str = ""
    # The sample that is looked at; -1: none.
    sample: int = -1


def kinds(question: Question, around: RankingContext) -> Iterator[RankingChoice]:
    for kind in KINDS:
        if kind == "group":
            continue
        text, tip = KIND_WORDS[kind]
        only = question.only if question.kind != "group" else ()
        yield RankingChoice(
            text.capitalize(), tip, replace(question, kind=kind, only=only), question.kind == kind, f"Rank {text}"
        )
    groups = question.only if question.kind == "group" else ()
    own: tuple[tuple[str, ...], ...] = (around.nodes,) if around.nodes else ()
    tip = f"Switch {around.called} as one" if own else "Select a group or a node in the graph first"
    alone = replace(question, kind="group", only=own)
    yield RankingChoice("The selection as one group", tip, alone, False, "Rank a group", apart=True, enabled=bool(own))
    if groups:
        more = replace(question, only=(*groups, *own))
        new = bool(own) and own[0] not in groups
        yield RankingChoice(
            f"Add it to the {len(groups):,} groups", tip, more, False, "Rank one more group", enabled=new
        )


def measures(question: Question, _around: RankingContext) -> Iterator[RankingChoice]:
    for asked, (text, tip) in MEASURE_WORDS.items():
        yield RankingChoice(
            text.capitalize(), tip, replace(question, measures=asked), question.measures == asked, f"Rank by {text}"
        )


def metrics(question: Question, _around: RankingContext) -> Iterator[RankingChoice]:
    """Yields which are shown, and below that by which is ranked."""
    for metric in METRICS:
        there = metric.key in question.metrics
        rest = tuple(key for key in question.metrics if key != metric.key)
        found = rest if there else (*question.metrics, metric.key)
        step = f"{'Leave out' if there else 'Show'} {metric.label}"
        asked = replace(question, metrics=found)
        yield RankingChoice(metric.label, metric.formula, asked, there, step, many=True, enabled=bool(found))
    for metric in METRICS:
        if metric.key in question.metrics:
            rest = tuple(key for key in question.metrics if key != metric.key)
            asked = replace(question, metrics=(metric.key, *rest))
            first = question.metrics[0] == metric.key
            text = f"Rank by {metric.label}"
            yield RankingChoice(text, metric.formula, asked, first, text, apart=metric.key == _shown(question)[0])


def _shown(question: Question) -> list[str]:
    return [metric.key for metric in METRICS if metric.key in question.metrics]


def places(question: Question, around: RankingContext) -> Iterator[RankingChoice]:
    """Yields where it is measured."""
    yield RankingChoice(
        "The model's outputs",
        "All of them, and their mean",
        replace(question, outputs=()),
        not question.outputs,
        "Rank at the outputs",
    )
    if len(around.outputs) > 1:
        for name in around.outputs:
            asked = replace(question, outputs=(name,))
            yield RankingChoice(name, "One output", asked, question.outputs == (name,), f"Rank at {name}")
    named = [name for name in question.outputs if name not in around.outputs]
    for name in dict.fromkeys((*named, *([around.tensor] if around.tensor else []))):
        asked = replace(question, outputs=(name,))
        yield RankingChoice(
            name, "A tensor inside of the model", asked, name in question.outputs, f"Rank at {name}", apart=True
        )


def samples(question: Question, around: RankingContext) -> Iterator[RankingChoice]:
    for count in (each for each in _SOME if each < around.samples):
        numbers = tuple(range(count))
        text = "The first sample" if count == 1 else f"The first {count:,} samples"
        step = f"Rank on {counted(count)}"
        yield RankingChoice(
            text, "Fewer are faster", replace(question, samples=numbers), question.samples == numbers, step
        )
    whole = "All samples" if not around.samples else f"All {counted(around.samples)}"
    yield RankingChoice(
        whole, "With the spread over them", replace(question, samples=()), not question.samples, "Rank on all"
    )
    if 0 <= around.sample < around.samples:
        numbers = (around.sample,)
        text = f"Sample {around.sample + 1:,}, the one looked at"
        asked = replace(question, samples=numbers)
        yield RankingChoice(text, "Only that one", asked, question.samples == numbers, text, apart=True)


def kept(question: Question, _around: RankingContext) -> Iterator[RankingChoice]:
    """Yields what a part is put to where all others are quantized."""
    yield RankingChoice("Put to float", "", replace(question, to="float"), question.to == "float", "Recover in float")
    yield RankingChoice("Put to 16 bits", "", replace(question, to=16), question.to == 16, "Recover in 16 bits")


def only(question: Question, around: RankingContext) -> Iterator[RankingChoice]:
    """Yields of which nodes."""
    if question.kind == "group":
        return
    yield RankingChoice("All of the model", "", replace(question, only=()), not question.only, "Rank all")
    asked = replace(question, only=(around.nodes,) if around.nodes else ())
    same = bool(question.only) and question.only == asked.only
    tip = f"Only {around.called}" if around.nodes else "Select a group or a node in the graph first"
    text = f"Only {around.called}" if around.called else "Only the selection"
    yield RankingChoice(text, tip, asked, same, text, enabled=bool(around.nodes))
    if question.only and not same:
        names = named([name for group in question.only for name in group])
        yield RankingChoice(f"Only {names}", "", question, True, "")


# How the question reads


def kind_text(question: Question) -> str:
    if question.kind == "group":
        return "one group" if len(question.only) == 1 else f"{len(question.only):,} groups"
    text = KIND_WORDS[question.kind][0]
    return f"{text} of {named([name for group in question.only for name in group])}" if question.only else text


def measure_text(question: Question) -> str:
    text = (
        MEASURE_WORDS[question.measures][0] if question.measures in MEASURE_WORDS else " and ".join(question.measures)
    )
    return f"{text} in 16 bits" if "recovery" in question.measures and question.to == 16 else text


def metric_text(question: Question) -> str:
    first = next(metric.label for metric in METRICS if metric.key == question.metrics[0])
    more = len(question.metrics) - 1
    return f"{first} + {more}" if more else first


def place_text(question: Question) -> str:
    return named(question.outputs) if question.outputs else "the outputs"


def sample_text(question: Question, around: RankingContext) -> str:
    if question.samples:
        first, count = question.samples[0], len(question.samples)
        return f"sample {first + 1:,}" if count == 1 else f"{count:,} samples"
    return f"all {around.samples:,} samples" if around.samples > 1 else "all samples"


def counted(count: int) -> str:
    return "1 sample" if count == 1 else f"{count:,} samples"


def named(names: Sequence[str]) -> str:
    """The first one's last part, and how many more."""
    first = names[0].rstrip("/").rpartition("/")[2] if names else ""
    return f"{first} and {len(names) - 1:,} more" if len(names) > 1 else first
