"""Space of strategies: the parts of a model, plans for choices of them, and the noise that they bring."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics.sums import Sums
from errorflow.quant.assign import freed
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.switching import Switch
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.study.rank.model import Doubles, Part, Question
from errorflow.study.rank.parts import parts_of
from errorflow.study.rank.reading import totals
from errorflow.study.rank.sureness import doubts, leading, unclear
from errorflow.study.rank.switching import Switching
from errorflow.study.rank.tables import PlanTables
from errorflow.study.search.model import Choice, Raised
from errorflow.study.search.raising import Raising

Bools = NDArray[np.bool_]
# Errors that are no numbers, as a multiple of the reference's power: worse than whatever is one.
NO_NUMBER = 1e6
# What is alike in all choices is simulated alone on so many samples, fewer if it is much; and choices on so many, out
# of so many that are looked at.
SAMPLES, RUNS, MORE_SAMPLES, LOOK = 8, 1000, 12, 24
# Samples that the plan harms less, as a share of the harm to all, tell nothing.
_UNHARMED = 1e-3
# A sample of which the model makes next to nothing is measured by such a share of what it makes of all on average.
_NEXT_TO_NOTHING = 1e-3
_ALL = 256
# The order of the parts that bring so much of the noise is decided, and so many times as many are looked at closely:
# of outputs that saturate a part may do nothing to most samples, and much to one.
_NEARLY_ALL, _LOOK = 0.95, 16
ALONE, TOGETHER = "Quantizing one part at a time", "Trying choices in simulation"
# What 8 bits more take away from the power of an error.
_WIDER = 4.0**-8


@dataclass(frozen=True, eq=False)
class Ledger:
    """The power that each entry alone brings to each output, over that of the reference: entries × outputs.

    An entry is the tensors that the same parts take with them. `owners`: parts × entries, what each part takes.
    `rest`: what no part takes away, by output.
    """

    powers: Doubles
    owners: Bools
    rest: Doubles

    @property
    def by_part(self) -> Doubles:
        """Parts × outputs: what each takes away alone."""
        found: Doubles = self.owners.astype(float) @ self.powers
        return found

    @cached_property
    def within(self) -> Bools:
        """Parts × parts: the second is raised with the first, all of it. What holds anything lies within itself."""
        owners = self.owners.astype(np.float32)
        counts = owners.sum(axis=1)
        found: Bools = (owners @ owners.T == counts) & (counts > 0)
        return found

    @property
    def sizes(self) -> Doubles:
        """Costs of parts: how many parts are raised with each."""
        found: Doubles = np.maximum(1.0, self.within.sum(axis=1))
        return found

    def left(self, choice: Choice) -> Doubles:
        """Computes by output the power that is left, if all errors were independent of each other."""
        kept = np.ones(len(self.powers))
        for part, switch in choice.raised:
            factor = 0.0 if switch == "float" else _WIDER
            kept[self.owners[part]] = np.minimum(kept[self.owners[part]], factor)
        found: Doubles = self.rest + kept @ self.powers
        return found


class Space:
    """`parts` in the order of their ranking, once `ranked` has put them so."""

    def __init__(
        self,
        engine: Engine,
        plan: Plan,
        question: Question,
        to: Raised,
        outputs: Sequence[str] = (),
        together: int = 1,
        tables: PlanTables | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """`tables`: who simulates, in place of the engine."""
        self._tables: PlanTables = engine if tables is None else tables
        self._engine, self.plan, self.to = engine, plan, to
        # So many choices may be evaluated at the same time.
        self.together = together
        self._assigned = engine.assigned(plan)
        self._question = question
        self._progress = progress
        self._switching = Switching(engine.graph, plan, self._assigned)
        self._raising = Raising(engine, plan, question.kind)
        self.parts: tuple[Part, ...] = parts_of(engine.graph, self._assigned, question)
        measured = tuple(name for name in engine.outputs if name in engine.shapes)
        # What the parts are ranked by.
        self.scores: tuple[float, ...] = ()
        # Whether it is known which outputs count.
        self.outputs_known = bool(outputs) or len(measured) == 1
        self.outputs = tuple(outputs) if outputs else measured
        # Powers are those of all samples together; else each sample counts the same, and none more than as lost.
        self._pooled = False
        # Plans that were simulated to measure powers: no evaluations, but for those that measure the same as these.
        self.simulated = 0
        self.exact = 0
        self._powers: dict[Choice, Doubles] = {}

    def measure_on_all(self) -> None:
        """Measures on all samples: where the evaluator measures the power itself, the same samples together say the
        same.

        Before anything else is asked.
        """
        self._pooled = True

    def ranked(self, order: Sequence[int], scores: Sequence[float]) -> None:
        """Numbers the parts so from now on, before anything else is evaluated. `scores` in the order of before."""
        self.scores = tuple(scores[part] for part in order)
        self.parts = tuple(self.parts[part] for part in order)
        if "ledger" in self.__dict__:
            self.__dict__["ledger"] = replace(self.ledger, owners=self.ledger.owners[list(order)])
        self._powers.clear()

    def __len__(self) -> int:
        return len(self.parts)

    def plan_of(self, choice: Choice) -> Plan:
        return self._raising.plan([(self.parts[part], switch) for part, switch in choice.raised])

    def choice(self, parts: Iterable[int], to: Switch | None = None) -> Choice:
        """Makes a choice: these raised, to what the search raises them to if nothing else is said."""
        return Choice.of(parts, self.to if to is None else to)

    @property
    def all(self) -> Choice:
        return self.choice(range(len(self.parts)))

    def powers(self, choices: Sequence[Choice]) -> Doubles:
        """Choices × outputs: the power of the error over that of the reference, as simulated on some samples."""
        lacking = list(dict.fromkeys(choice for choice in choices if choice not in self._powers))
        found = self._measured([self.plan_of(choice) for choice in lacking], self._samples, TOGETHER, exactly=True)
        self.exact += len(lacking) if self._pooled and len(self._samples) == self._engine.samples else 0
        self._powers |= dict(zip(lacking, found, strict=True))
        return np.array([self._powers[choice] for choice in choices]).reshape(-1, len(self.outputs))

    @cached_property
    def ledger(self) -> Ledger:
        """Ledger of what each part alone brings: all on one sample, and on more as far as it takes to tell the first
        apart.
        """
        tensors = parts_of(self._engine.graph, self._assigned, Question("tensor"))
        each_owns = np.array([self._frees(number, tensors) for number in range(len(self.parts))], bool)
        # Tensors with the same owners are never parted.
        owners, place = np.unique(each_owns, axis=1, return_inverse=True)
        entries = [
            [tensors[at] for at in np.flatnonzero(place.reshape(-1) == entry)] for entry in range(owners.shape[1])
        ]
        few = self._fewer(max(1, min(SAMPLES, RUNS // max(1, len(entries)))))
        return self._alone([self._switching.alone(each) for each in entries], owners, few)

    def _alone(self, plans: Sequence[Plan], owners: Bools, samples: Sequence[int]) -> Ledger:
        (whole,) = self._run([self.plan], samples, exactly=True)
        sizes = self._sizes(whole)
        weights = self._harms(whole, sizes)
        worst = np.argsort(-weights.sum(axis=0), kind="stable")
        known, counts = np.full((len(plans), *weights.shape), np.nan), np.zeros(len(plans), int)
        lacking, self.simulated = list(range(len(plans))), self.simulated + len(plans) + 1
        found = Ledger(np.zeros((len(plans), len(sizes))), owners, np.zeros(len(sizes)))
        while lacking:
            for count in sorted(set(counts[lacking].tolist())):
                entries = [entry for entry in lacking if counts[entry] == count]
                tables = self._run([plans[entry] for entry in entries], [samples[worst[count]]], exactly=False)
                known[entries, :, worst[count]] = [self._harms(table, sizes)[:, 0] for table in tables]
            counts[lacking] += 1
            alone, is_free = totals(known, weights), owners.any(axis=0, keepdims=True).T
            found = Ledger(alone * is_free, owners, (alone * ~is_free).sum(axis=0))
            lacking = self._undecided(found, doubts(known, weights), counts, len(samples))
        return found

    def _undecided(self, ledger: Ledger, spread: Doubles, counts: NDArray[np.int64], samples: int) -> list[int]:
        """Entries to be measured on one sample more: of each part those that are known on the fewest."""
        owners = ledger.owners
        fewest = np.where(owners, counts, samples).min(axis=1, initial=samples)
        off = np.sqrt(owners.astype(float) @ spread**2).max(axis=1, initial=0.0) / ledger.sizes
        found = ledger.by_part.max(axis=1, initial=0.0) / ledger.sizes
        ranked = np.argsort(-found, kind="stable")
        # Sets are made of those that bring nearly all of it.
        most = np.cumsum(ledger.by_part.max(axis=1, initial=0.0)[ranked])
        first = max(leading(len(found)), int(np.searchsorted(most, _NEARLY_ALL * most[-1])) + 1)
        parts = unclear(ranked, found, off, fewest, first, samples, _LOOK)
        wanted = (owners[parts] & (counts == fewest[parts, np.newaxis]) & (counts < samples)).any(axis=0)
        return np.flatnonzero(wanted).tolist()

    def sides(self) -> tuple[float, float, float]:
        """The power that weights alone bring, activations alone, and both, each of the output where it is most."""
        names = self._engine.graph.tensor_names
        found = []
        for numbers in (self._assigned.constants, self._assigned.activations):
            part = Part("", "", (), tuple(names[number] for number in numbers))
            found.append(self._switching.alone([part]))
        few = self._fewer(SAMPLES)
        found.append(self.plan)
        weights, activations, both = self._measured(found, few, ALONE, exactly=True).max(axis=1, initial=0.0).tolist()
        return weights, activations, both

    @cached_property
    def _samples(self) -> tuple[int, ...]:
        """Samples on which choices are measured: of all that the plan harms some, far from each other."""
        if self._pooled:
            return _spread(self._engine.samples, _ALL)
        every = _spread(self._engine.samples, LOOK)
        self.simulated += 1
        (table,) = self._run([self.plan], every, TOGETHER, exactly=True)
        harm = self._harms(table, self._sizes(table)).sum(axis=0)
        harmed = [sample for sample, lost in zip(every, harm, strict=True) if lost > _UNHARMED * harm.sum()]
        found = harmed if harmed else list(every)
        return tuple(found[place] for place in _spread(len(found), MORE_SAMPLES))

    @property
    def measured_on(self) -> int:
        """Number of samples that are measured on."""
        return len(self._samples)

    def _fewer(self, count: int) -> tuple[int, ...]:
        return tuple(self._samples[place] for place in _spread(len(self._samples), count))

    def _frees(self, part: int, entries: Sequence[Part]) -> list[bool]:
        """Marks the tensors that are as in the float model when the part is."""
        names = self._engine.graph.tensor_names
        after = self._engine.assigned(self._raising.plan([(self.parts[part], FLOAT)]))
        gone = {names[tensor] for tensor in freed(self._assigned, after)}
        return [gone.issuperset(each.tensors) for each in entries]

    def _measured(self, plans: Sequence[Plan], samples: Sequence[int], text: str, *, exactly: bool) -> Doubles:
        if not plans:
            return np.zeros((0, len(self.outputs)))
        self.simulated += len(plans)
        tables = self._run(plans, samples, text, exactly=exactly)
        return np.array([self._harms(table, self._sizes(table)).sum(axis=1) for table in tables])

    def _run(
        self, plans: Sequence[Plan], samples: Sequence[int], text: str = ALONE, *, exactly: bool
    ) -> Iterator[Table]:
        return self._tables.run_many(plans, self.outputs, samples, exactly=exactly, text=text, progress=self._progress)

    def _sizes(self, table: Table) -> Doubles:
        """Outputs × samples: the power of the reference."""
        found = [[table.sums(name, place) for place in range(len(table.samples))] for name in self.outputs]
        return np.array([[0.0 if each is None or each.broken else float(each.rr) for each in row] for row in found])

    def _harms(self, table: Table, sizes: Doubles) -> Doubles:
        """Outputs × samples: what adds up to what is measured. `sizes` are those of all samples, also of others."""
        found = [[table.sums(name, place) for place in range(len(table.samples))] for name in self.outputs]
        counts = np.maximum(1, (sizes > 0).sum(axis=1))
        return np.array(
            [
                [0.0 if each is None else self._harm(each, total, total / count, len(sizes[0])) for each in row]
                for row, total, count in zip(found, sizes.sum(axis=1).tolist(), counts.tolist(), strict=True)
            ]
        )

    def _harm(self, sums: Sums, total: float, usual: float, samples: int) -> float:
        """The power of the error over that of the reference; or, of users' measures, by sample from 0 to 1: they look
        at each, and a sample can be lost only once.
        """
        power = NO_NUMBER if sums.broken else float(sums.dd)
        if self._pooled or not power:
            return min(power / total, NO_NUMBER) if total and not sums.broken else NO_NUMBER if power else 0.0
        size = float(sums.rr) + _NEXT_TO_NOTHING * usual
        return (1.0 if sums.broken or not np.isfinite(power) else power / (power + size)) / samples


def _spread(count: int, most: int) -> tuple[int, ...]:
    """Some of the samples, far from each other."""
    return tuple(dict.fromkeys(np.linspace(0, count - 1, min(count, most)).round().astype(int).tolist()))
