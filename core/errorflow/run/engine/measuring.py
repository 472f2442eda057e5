"""Measurements of a coding on each tensor of a sample, as rows of numbers. Runs in a process of its own."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from errorflow.base.values import dataclass, field
from errorflow.run.engine.abreast import Beside, Here
from errorflow.run.engine.machine import Machine, Place, RunTally, SampleKeys, Wanted, input_array
from errorflow.run.engine.rows import (
    ACCUMULATED,
    NO_SPLIT,
    NODE,
    SPLIT,
    Doubles,
    empty,
    row_of,
    row_of_split,
    sums_of_row,
)
from errorflow.run.engine.segments import FLOATING, Segment
from errorflow.run.engine.sums import ReferenceSums, reference_of, split_of, sums_of
from errorflow.run.model import Array
from errorflow.run.sessions import Arrays

# Rows of so many segments are kept.
_MOST = 10_000
# Of a tensor that cannot be measured: its shape differs.
_NOTHING = np.full(1, np.nan)


@dataclass(slots=True)
class _Memo:
    """Memory of what was found, by what it depends on and by tensor."""

    found: "OrderedDict[object, dict[str, Any]]" = field(default_factory=OrderedDict)

    def of(self, key: object) -> dict[str, Any]:
        if key in self.found:
            self.found.move_to_end(key)
            return self.found[key]
        if len(self.found) >= _MOST:
            self.found.popitem(last=False)
        return self.found.setdefault(key, {})


@dataclass(frozen=True, slots=True)
class TensorRequest:
    """Tensors that are wanted, and what of them besides the accumulated error."""

    names: frozenset[str]
    split: bool
    node: bool


class Measuring:
    """`numbers` are the tensors that can be measured, in their order."""

    def __init__(self, machine: Machine, numbers: Mapping[str, int]) -> None:
        self._machine, self._numbers = machine, numbers
        self._arrays = Arrays()
        self._references, self._rows, self._splits, self._nodes = _Memo(), _Memo(), _Memo(), _Memo()

    def table(
        self,
        golden: SampleKeys,
        mine: SampleKeys,
        asked: TensorRequest,
        measurer: Beside | Here,
        step: Callable[[int], None],
    ) -> tuple[Doubles, RunTally]:
        """Rows of all tensors; those that were not asked for are NaN."""
        table, tally = empty(len(self._numbers)), RunTally()
        self._inputs(golden, mine, asked, table)
        work = [_Work(self, segment, golden, mine, asked) for segment in self._machine.segments]
        needed = [need for one in work for need in one.needs()]
        with measurer:
            for index, live in self._machine.walk(needed, step, tally):
                if not work[index].is_known:
                    measurer.take(partial(work[index].measure, dict(live), *work[index].replay(live, tally)))
        for one in work:
            one.write(table)
        return table, tally

    def _inputs(self, golden: SampleKeys, mine: SampleKeys, asked: TensorRequest, table: Doubles) -> None:
        for name in asked.names.intersection(golden.inputs, self._numbers):
            key = (mine.places[name], golden.places[name])
            rows = self._rows.of(key)
            if name not in rows:
                reference, candidate = (input_array(keys, name) for keys in (golden, mine))
                rows[name] = row_of(sums_of(reference, candidate, reference_of(reference)))
            table[self._numbers[name], ACCUMULATED] = rows[name]

    def _array(self, value: Any) -> Array | None:
        """Makes an array; it is the memory of `value`, and ends with it."""
        found = self._arrays.of(value)
        return None if isinstance(found, str) or found.dtype.kind not in "biuf" else found


class _Work:
    """One segment: what of it is not known yet."""

    def __init__(
        self, all_: Measuring, segment: Segment, golden: SampleKeys, mine: SampleKeys, asked: TensorRequest
    ) -> None:
        self._all, self._segment, self._golden, self._mine = all_, segment, golden, mine
        index = segment.index
        self._names = [name for name in segment.makes if name in asked.names and name in all_._numbers]
        keys = golden.segments[index], mine.segments[index]
        self._same = keys[0] == keys[1]
        self._references = all_._references.of(keys[0])
        self._rows, self._splits = all_._rows.of(keys), all_._splits.of(keys)
        self._nodes = all_._nodes.of((keys[0], mine.signatures[index]))
        self._quiet = mine.signatures[index] == golden.signatures[index]
        known = self._references if self._same else self._rows
        self._lacking = [name for name in self._names if name not in known]
        self._splitting = asked.split and not self._same and self._is_lacking(self._splits)
        self._noding = asked.node and not self._quiet and self._is_lacking(self._nodes)
        self._asked = asked

    def _is_lacking(self, known: Collection[str]) -> bool:
        return any(name not in known for name in self._names)

    def needs(self) -> Iterator[Wanted]:
        """Yields what has to be alive behind the segment."""
        for keys, names in ((self._golden, self._golden_names()), (self._mine, self._mine_names())):
            yield from ((keys, name, self._segment.index) for name in names)

    def _golden_names(self) -> list[str]:
        names = dict.fromkeys(self._lacking)
        if self._splitting or self._noding:
            names |= dict.fromkeys(self._names)
        if self._noding:
            names |= dict.fromkeys(self._machine.read_apart(self._segment))
        return list(names)

    def _mine_names(self) -> list[str]:
        names = dict.fromkeys(() if self._same else self._lacking)
        if self._splitting:
            names |= dict.fromkeys((*self._names, *self._machine.read_apart(self._segment)))
        return list(names)

    @property
    def _machine(self) -> Machine:
        return self._all._machine

    @property
    def is_known(self) -> bool:
        return not (self._lacking or self._splitting or self._noding)

    def replay(self, live: Mapping[Place, Any], tally: RunTally) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Runs the float nodes on the candidate's values, and the coded ones on the reference's."""
        again = self._apart(self._mine, FLOATING, live, tally) if self._splitting else {}
        alone = self._apart(self._golden, self._mine.coding, live, tally) if self._noding else {}
        return again, alone

    def measure(self, live: Mapping[Place, Any], again: Mapping[str, Any], alone: Mapping[str, Any]) -> None:
        for name in self._lacking:
            self._measure(name, live)
        if self._splitting:
            self._each(again, live, self._splits, self._split)
        if self._noding:
            self._each(alone, live, self._nodes, self._node)

    def write(self, table: Doubles) -> None:
        for name in self._names:
            row = table[self._all._numbers[name]]
            known = self._references.get(name)
            same = None if known is None else known.row
            found = same if self._same else self._rows.get(name)
            if found is None:
                continue
            row[ACCUMULATED] = found
            if self._asked.split:
                row[SPLIT] = NO_SPLIT if self._same else self._splits.get(name, np.nan)
            if self._asked.node:
                row[NODE] = same if self._quiet else self._nodes.get(name, np.nan)

    def _measure(self, name: str, live: Mapping[Place, Any]) -> None:
        golden = self._all._array(live[self._golden.places[name]])
        if golden is None:
            return
        known = self._known(name, golden)
        if self._same:
            return
        mine = self._all._array(live[self._mine.places[name]])
        if mine is None or mine.shape != golden.shape:
            self._rows[name] = _NOTHING
        else:
            self._rows[name] = row_of(sums_of(golden, mine, known))

    def _known(self, name: str, golden: Array) -> ReferenceSums:
        if name not in self._references:
            self._references[name] = reference_of(golden)
        found: ReferenceSums = self._references[name]
        return found

    def _apart(self, keys: SampleKeys, coding: Any, live: Mapping[Place, Any], tally: RunTally) -> dict[str, Any]:
        values = {name: live[keys.places[name]] for name in self._machine.read_apart(self._segment)}
        inside = (self._golden if coding is FLOATING else self._mine).signatures[self._segment.index]
        return self._machine.apart(self._segment, coding, inside, values, tally)

    def _each(
        self,
        again: Mapping[str, Any],
        live: Mapping[Place, Any],
        into: dict[str, Any],
        measure: Callable[[str, Array, Array, Mapping[Place, Any]], Doubles],
    ) -> None:
        for name in self._names:
            if name in into:
                continue
            golden = self._all._array(live[self._golden.places[name]])
            made = self._all._array(again[name])
            if golden is None or made is None or golden.shape != made.shape:
                into[name] = _NOTHING
            else:
                into[name] = measure(name, golden, made, live)

    def _split(self, name: str, golden: Array, again: Array, live: Mapping[Place, Any]) -> Doubles:
        mine = self._all._array(live[self._mine.places[name]])
        if mine is None or mine.shape != golden.shape:
            return _NOTHING
        return row_of_split(split_of(mine, again, golden, sums_of_row(self._rows[name])))

    def _node(self, name: str, golden: Array, made: Array, _: Mapping[Place, Any]) -> Doubles:
        return row_of(sums_of(golden, made, self._known(name, golden)))
