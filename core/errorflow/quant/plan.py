"""Plan of which tensors and nodes are quantized, and how: what the user decides, as a value."""

from collections.abc import Mapping
from typing import Literal

from errorflow.base.values import dataclass, replace
from errorflow.quant.precision import Precision
from errorflow.quant.steps import Step, with_step, without_step

Floating = Literal["float"]
FLOAT: Floating = "float"
Planned = Literal["plan"]
PLANNED: Planned = "plan"
# What is wished of activations or weights: codes, float, what the rules before say, or what holds without any rule.
Wish = Precision | Literal["float", "keep", "plan"]


ACTIVATIONS = Precision("uint8")
WEIGHTS = Precision("int8", symmetric=True)


@dataclass(frozen=True, slots=True)
class Rule:
    """A wish about some nodes. Those are meant that any of the lists names; what is given later counts."""

    activations: Wish = "keep"
    weights: Wish = "keep"
    types: tuple[str, ...] = ()
    # Names of nodes, in which * stands for anything; a node without a name goes by what it makes.
    names: tuple[str, ...] = ()
    # Tensors: nodes on the way from any of the first to any of the second; one list alone: all behind, or all before.
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Text as a list shows it, such as `Conv → float`."""
        way = " … ".join(", ".join(side) for side in (self.starts, self.ends)) if self.starts or self.ends else ""
        who = ", ".join(part for part in (*self.types, *self.names, way) if part)
        both = self.activations == self.weights
        wishes = [("", self.activations)] if both else [("activations ", self.activations), ("weights ", self.weights)]
        return f"{who} → " + ", ".join(f"{part}{_text(wish)}" for part, wish in wishes if wish != "keep")


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan: what holds for all, the rules that change it, and single tensors, which stand above all rules."""

    activations: Precision | Floating = ACTIVATIONS
    weights: Precision | Floating = WEIGHTS
    # As codes of 32 bits, where what is added to them is codes too.
    biases: bool = True
    # Whether a node's outputs are coded for its own sake, or only what is read by one that is quantized.
    outputs: bool = True
    # The operators that are quantized; None: all that can be.
    types: tuple[str, ...] | None = None
    rules: tuple[Rule, ...] = ()
    tensors: tuple[tuple[str, Precision | Floating], ...] = ()
    # What it began as.
    preset: str = ""
    # What a model that is quantized already has as codes: nothing else becomes codes, rules and tensors change how.
    coded: tuple[tuple[str, Precision], ...] | None = None
    # Whether Relu, Clip and Softmax set the ranges around them as ONNX Runtime's tool has it.
    fitted: bool = False
    # What is done to the model before it is quantized, and to its biases, in the order of KINDS.
    steps: tuple[Step, ...] = ()

    def with_rule(self, rule: Rule) -> "Plan":
        """Adds a rule, which counts more than those before."""
        return replace(self, rules=(*self.rules, rule))

    def with_tensor(self, name: str, wish: Precision | Floating) -> "Plan":
        rest = {key: value for key, value in self.tensors if key != name}
        return replace(self, tensors=tuple(sorted((rest | {name: wish}).items())))

    def only(self, wished: Mapping[str, Precision | Floating]) -> "Plan":
        """Codes nothing but these tensors, as the whole plan has them: with its ranges and its steps."""
        tensors = tuple(sorted(wished.items()))
        return replace(self, activations=FLOAT, weights=FLOAT, outputs=True, rules=(), tensors=tensors, coded=None)

    def with_step(self, step: Step) -> "Plan":
        """Puts that step in place of another of its kind."""
        return replace(self, steps=with_step(self.steps, step))

    def without_step(self, kind: type[Step]) -> "Plan":
        return replace(self, steps=without_step(self.steps, kind))

    def keeping_float(self, *names: str) -> "Plan":
        """Keeps these nodes in float, with all that they read and make."""
        return self.with_rule(Rule(FLOAT, FLOAT, names=names))

    def with_bits(self, bits: int, *names: str) -> "Plan":
        """Gives these nodes so many bits for activations and weights, and leaves all else as it is."""
        return self.with_rule(Rule(*self.in_bits(bits), names=names))

    def in_bits(self, bits: int) -> tuple[Precision, Precision]:
        """Activations and weights as they are, but with so many bits.

        Of another type than the others, activations get one scale per tensor.
        """
        activations, weights = _in_bits(self.activations, ACTIVATIONS, bits), _in_bits(self.weights, WEIGHTS, bits)
        if activations.dtype != getattr(self.activations, "dtype", ""):
            activations = replace(activations, per_channel=False)
        return activations, weights


def _in_bits(wish: Precision | Floating, otherwise: Precision, bits: int) -> Precision:
    base = wish if isinstance(wish, Precision) else otherwise
    return replace(base, dtype=f"{'' if base.signed else 'u'}int{bits}", reduced=False)


def _text(wish: Wish) -> str:
    if isinstance(wish, Precision):
        return wish.text
    return "as planned" if wish == PLANNED else wish
