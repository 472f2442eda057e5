"""Question of curves, as a value."""

from errorflow.base.values import dataclass
from errorflow.quant.switching import Switch
from errorflow.study.rank.curves import Kind

# What of a node is coded along the depth.
HALVES = ("weights", "activations", "both")
HALF_WORDS = {"weights": "Weights only", "activations": "Activations only", "both": "Weights and activations"}
KIND_WORDS: dict[Kind, tuple[str, str]] = {
    "cumulative": ("Error along the depth", "How the error of each node's outputs grows from the first to the last"),
    "recovery": ("Recovery", "What is gained with the first parts of the ranking kept in float, one more each time"),
    "partial": ("Partial quantization", "The same, with what each part does alone beside it and float as the baseline"),
}
# What is measured: switching between these draws anew and measures nothing.
METRICS = ("relative_l2", "cosine", "sqnr", "max_absolute_error", "mean_absolute_error")


@dataclass(frozen=True, slots=True)
class Asked:
    """Curves of one kind."""

    kind: Kind = "cumulative"
    halves: tuple[str, ...] = HALVES
    # Sets of nodes by name that have curves of their own: these alone quantized, and all but these.
    only: tuple[tuple[str, ...], ...] = ()
    without: tuple[tuple[str, ...], ...] = ()
    # So many of the ranking are kept in float, each a curve of its own.
    tops: tuple[int, ...] = ()
    # What parts along the ranking are put to.
    to: Switch = "float"
    # Numbers of samples; none: all.
    samples: tuple[int, ...] = ()

    @property
    def needs_ranking(self) -> bool:
        return self.kind != "cumulative" or bool(self.tops)
