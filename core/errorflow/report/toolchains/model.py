"""A decision to hand over: which nodes stay in float and which get more bits, and what a toolchain makes of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from errorflow.base import Progress, UsageError, dataclass, field, replace
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned, assign
from errorflow.quant.plan import Floating, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Calibration
from errorflow.study.simulate.bench import Bench

Wished = Precision | Floating
# Writes one file; what it gives back does not matter.
Maker = Callable[[Path, Progress], object]
# Says what a file that is written makes of the model, which is seen by running it; the file says it afterwards too.
Trial = Callable[[Path, Progress], str]
NOT_RUN = "It was not run here: what its toolchain makes of the model was not measured."


@dataclass(frozen=True, eq=False)
class Decision:
    """A plan for one model, and what it makes of each node and tensor."""

    graph: Graph
    plan: Plan
    assigned: Assigned
    # None: nobody measured ranges, and only what needs none can be written.
    calibration: Calibration | None = None
    # The model's file name, for scripts and headings.
    model: str = "model.onnx"
    # Writes the QDQ model of the plan; None: nothing runs the model here.
    export: Maker | None = None
    # The one that it was decided on, whose samples can show what a file makes of the model; None: there are none.
    bench: Bench | None = None
    # Ranges were found, but on a model that steps of the plan changed: they are not those of this graph, and left out.
    remade: bool = False

    @classmethod
    def of(
        cls, graph: Graph, plan: Plan, calibration: Calibration | None = None, model: str = "model.onnx"
    ) -> "Decision":
        """Makes a decision without running the model: which tensors are float is known from the ranges, or from the
        file.
        """
        return cls(graph, plan, assign(graph, plan, _floats(graph, calibration)), calibration, model)

    @classmethod
    def on(cls, bench: Bench, plan: Plan) -> "Decision":
        """Makes a decision on a model that was run, with the ranges that were found on it.

        The graph is always that of the float model that the user has, which targets take: where steps of the plan made
        another one to be simulated, its ranges are left out, and what they put in is not told of. Nodes and tensors
        have the same numbers in both.
        """
        engine, calibration, name = bench.engine, bench.calibration, bench.floated.path.name
        export = partial(engine.export, plan)
        seen = None if bench.made_up else bench
        if bench.remade is None or not bench.remade.changes:
            return cls(engine.graph, plan, engine.assigned(plan), calibration, name, export, seen)
        graph = bench.floated.model.graph
        assigned = assign(graph, plan, _floats(graph, calibration))
        stripped = replace(calibration, ranges={}, given={}, channels={})
        return cls(graph, plan, assigned, stripped, name, export, seen, remade=True)


def _floats(graph: Graph, calibration: Calibration | None) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    found = np.array([dtype in ("", "float32", "float16", "float64", None) for dtype in graph.dtypes], bool)
    if calibration is not None and calibration.ranges:
        known = frozenset((*calibration.ranges, *calibration.notes, *calibration.given))
        constants = frozenset(graph.constants.tolist())
        inside = [name in known or number in constants for number, name in enumerate(graph.tensor_names)]
        found &= np.array(inside, bool)
    return found


@dataclass(frozen=True, slots=True)
class Want:
    """Wish for one node."""

    activations: Wished
    # None: it has no weights.
    weights: Wished | None = None

    @property
    def switch(self) -> tuple[int | Floating, int | Floating | None]:
        """Float or so many bits, of activations and of weights."""
        return _bits(self.activations), None if self.weights is None else _bits(self.weights)

    @property
    def is_float(self) -> bool:
        return self.switch in ((("float"), None), ("float", "float"))

    @property
    def text(self) -> str:
        """Text as a table shows it, such as `int16` or `uint8, weights float`."""
        first, second = (_named(wish) for wish in (self.activations, self.weights))
        return first if second in ("", first) or self.switch[0] == self.switch[1] else f"{first}, weights {second}"


def _bits(wish: Wished) -> int | Floating:
    return wish.bits if isinstance(wish, Precision) else wish


def _named(wish: Wished | None) -> str:
    return "" if wish is None else wish.dtype if isinstance(wish, Precision) else wish


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A node, or a single tensor, that the target cannot be told of as it was decided."""

    name: str
    # A sentence.
    why: str
    # What is written in its place; "": nothing.
    instead: str = ""
    # In the graph; -1: it is no node.
    node: int = -1


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """Files by name: text, or what makes them where they are large."""

    files: Mapping[str, str] = field(default_factory=dict)
    makers: Mapping[str, Maker] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    # Sentences on what is to be known before the files are used.
    notes: tuple[str, ...] = ()
    # What comes of the files, in a sentence; and what finds it out, given the first of them.
    reaches: str = NOT_RUN
    trial: Trial | None = None

    @property
    def told(self) -> tuple[str, ...]:
        """All that is to be said of them."""
        return (*self.notes, *([self.reaches] if self.reaches else []))

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.files, *self.makers)


@dataclass(frozen=True, slots=True)
class Reading:
    """Plan that a toolchain's file says."""

    plan: Plan
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A kind of file that a decision is handed over as."""

    key: str
    label: str
    # What it writes, in a few words.
    what: str
    # `base`: the user's own file, whose other settings are kept; None: there is none.
    write: Callable[[Decision, Path | None], WrittenFiles]
    read: Callable[[Path, Graph, Progress], Reading]
    # Whether a file is one of these, from its name and its beginning.
    claims: Callable[[str, str], bool]
    takes_base: bool = False
    # Whether ranges must be known.
    needs_ranges: bool = False
    # Whether the model must have been run.
    needs_run: bool = False
    # Its place in menus and help, and in the order of asking.
    rank: int = 0


def no_base(base: Path | None, label: str) -> None:
    """Refuses a base for those that start from nothing."""
    if base is not None:
        raise UsageError(f"{label} starts from no file of yours.", "Leave out --base.")


# Lines on what could not be handed over.

# So many names are told for one reason.
_NAMED = 6
HEAD = "Not as decided, since the target cannot be told of it"


def grouped(left_out: Sequence[LeftOut]) -> dict[tuple[str, str], list[LeftOut]]:
    """Groups by the reason and what is written in its place."""
    found: dict[tuple[str, str], list[LeftOut]] = {}
    for each in left_out:
        found.setdefault((each.why, each.instead), []).append(each)
    return found


def told(left_out: Sequence[LeftOut], most: int | None = _NAMED) -> Iterator[str]:
    """A line for each reason; `most` names of each, None for all."""
    for (why, instead), nodes in grouped(left_out).items():
        names = [each.name for each in nodes][:most]
        more = f" and {len(nodes) - len(names):,} more" if len(nodes) > len(names) else ""
        there = f" There: {instead}." if instead else ""
        yield f"{why}{there} {len(nodes):,}: {', '.join(names)}{more}"


def comments(left_out: Sequence[LeftOut], *first: str) -> tuple[str, ...]:
    """Writes for files that may hold comments all of them by name, behind what comes first."""
    return (*first, *([f"{HEAD} ({len(left_out):,}):", *told(left_out, None)] if left_out else []))
