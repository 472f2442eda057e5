"""Rankings: what a few codes do to some tensors, mostly the outputs. Runs in a process of its own.

A segment that holds codes runs as it does elsewhere, on what the reference has before it. What lies behind runs in a
few sessions as large as can be, optimised: a twelfth of the model each, or of that only what the codes reach. So does
the reference that is compared with, and what that changes of it says below which error nothing is told this way.
"""

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from errorflow.base.values import dataclass
from errorflow.quant.coding import Coding
from errorflow.quant.fake import fake_quantize
from errorflow.run.engine.cache import own_memory, size_of
from errorflow.run.engine.loading import LoadedConstants
from errorflow.run.engine.machine import Machine, RunTally, SampleKeys
from errorflow.run.engine.rows import SUMS, Doubles, row_of
from errorflow.run.engine.segments import (
    FLOATING,
    SESSION_BYTES,
    Builder,
    Built,
    Segment,
    Store,
    picked,
    segments_of,
    shrink,
    signature,
)
from errorflow.run.engine.sums import ReferenceSums, reference_of, sums_of
from errorflow.run.engine.survey import Survey, ends_of, work_of
from errorflow.run.model import Array
from errorflow.run.sessions import Arrays, run, told, value_of

# Of the whole model.
_PARTS = 12
# Segments of a part.
_SMALL = 4
# Segments that hold codes: with more of them the rest is not worth it.
_MOST = 12
# Tensors that are asked for: with more of them little is left to optimise.
_ASKED = 32
# Sessions with codes that are kept.
_CODED_SESSIONS = 24
# What has so much of a part's work is not taken out of it for a session of its own.
_SHARE = 0.75
# Nor is anything taken out of what has as little of the model's.
_LITTLE = 0.05
# In rows.
_BROKEN, _SIZE, _ERROR = (SUMS.index(name) for name in ("broken", "rr", "dd"))
# Up to such a share of the power optimising may change the reference.
_CHANGED = 1e-10
# An error has to be so many times the power of that change: then it is off by 0.05 dB at most.
_SEEN = 3e4
# And of the reference's power, since another run may change last digits a little more …
_LAST_DIGITS = 1e-10
# … and where something is coded behind what is optimised these decide which code a value gets.
_FINE = 1e-8


@dataclass(frozen=True, slots=True)
class OnwardRows:
    """Rows of the tensors that were asked for, in their order, and whose values were no numbers before codes."""

    rows: Doubles
    hidden: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Way:
    """Way of a part: what has to run, what comes out of its session, and what of that is not as in the reference."""

    segment: Segment
    exposed: tuple[str, ...]
    gives: tuple[str, ...]
    # Of the session, but for how it is coded and shapes.
    key: bytes


@dataclass(frozen=True, slots=True)
class _Between:
    """Values that the reference has between segments."""

    values: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, ...]]
    # Of the shapes.
    key: bytes

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "_Between":
        shapes = {name: tuple(value.shape()) for name, value in values.items() if value.is_tensor()}
        return cls(values, shapes, _key(sorted(shapes.items())))


def _key(about: object) -> bytes:
    """Short, since it is asked for again and again."""
    return blake2b(repr(about).encode(), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class _Golden:
    values: Array
    known: ReferenceSums


@dataclass(frozen=True, slots=True)
class _Asked:
    """A tensor of the reference: as it is, and as it is optimised where that changes little."""

    exact: "_Golden"
    quick: "_Golden | None"
    # What optimising changed.
    lost: Doubles


@dataclass(frozen=True, slots=True)
class _Sample:
    """Values that the reference has between segments, and of what is wanted."""

    between: _Between
    asked: tuple[_Asked, ...]
    nbytes: int

    def least(self, is_coded_late: bool) -> Doubles:
        """Least error that is told."""
        fine = _FINE if is_coded_late else _LAST_DIGITS
        return np.array([max(_SEEN * each.lost[_ERROR], fine * each.lost[_SIZE]) for each in self.asked])


class Onward:
    """Runs of one model onward, for the tensors `names`."""

    def __init__(
        self,
        machine: Machine,
        builder: Builder,
        loaded: LoadedConstants,
        found: Survey,
        names: Sequence[str],
        room: int,
    ) -> None:
        """`room`: bytes of samples that are worth keeping."""
        self._machine, self._builder, self._loaded, self._names, self._room = machine, builder, loaded, names, room
        self._work = work_of(loaded, found)
        self._segments = segments_of(loaded, ends_of(loaded, found, _PARTS * _SMALL))
        size = -(-len(self._segments) // _PARTS)
        groups = [self._segments[start : start + size] for start in range(0, len(self._segments), size)]
        ends = [group[-1].start + len(group[-1].nodes) for group in groups]
        # By the number of the first segment in it: the part, and how many segments that is.
        self._parts = {
            group[0].index: (part, len(group)) for group, part in zip(groups, segments_of(loaded, ends), strict=True)
        }
        self._users: dict[str, list[int]] = {}
        self._makers: dict[str, int] = {}
        self._last = {name: len(self._segments) for name in names}
        for segment in self._segments:
            self._makers |= dict.fromkeys(segment.makes, segment.index)
            for name in segment.constants:
                self._users.setdefault(name, []).append(segment.index)
            for name in segment.reads:
                self._last[name] = max(segment.index, self._last.get(name, 0))
        self._borders = frozenset(names).union(*(segment.borders for segment in self._segments))
        self._ways: dict[object, _Way] = {}
        self._samples: OrderedDict[int, _Sample | None] = OrderedDict()
        self._coding_store = Store(_CODED_SESSIONS * SESSION_BYTES)
        self._arrays = Arrays()

    def found(self, coding: Coding, keys: SampleKeys, number: int, tally: RunTally) -> OnwardRows | None:
        """Finds a sample's results; None where they have to be found exactly. `keys` are those of the sample in
        float.
        """
        changed = self._changed(coding)
        if len(self._names) > _ASKED or len(changed) > _MOST:
            return None
        if number not in self._samples:
            self._keep(number, self._read(keys, tally))
        self._samples.move_to_end(number)
        sample = self._samples[number]
        if sample is None:
            return None
        found = self._quickly(coding, changed, keys.inputs, sample, tally)
        return self._exactly(coding, changed, keys.inputs, sample, tally) if found is None else found

    def _quickly(
        self, coding: Coding, changed: set[int], inputs: Mapping[str, Array], sample: _Sample, tally: RunTally
    ) -> OnwardRows | None:
        """Finds results quickly; None where it cannot be seen."""
        golden = [each.quick for each in sample.asked if each.quick is not None]
        values = (
            self._values(coding, changed, inputs, sample.between, tally) if len(golden) == len(self._names) else None
        )
        if values is None:
            return None
        made, hidden, is_coded_late = values
        rows = self._rows(made, golden)
        reached = np.array([name in made for name in self._names], bool)
        clear = (rows[:, _BROKEN] == 0) & (rows[:, _ERROR] > sample.least(is_coded_late))
        return OnwardRows(rows, hidden) if (clear | ~reached).all() else None

    def _exactly(
        self, coding: Coding, changed: set[int], inputs: Mapping[str, Array], sample: _Sample, tally: RunTally
    ) -> OnwardRows | None:
        values = self._values(coding, changed, inputs, sample.between, tally, fused=False)
        if values is None:
            return None
        made, hidden, _ = values
        return OnwardRows(self._rows(made, [each.exact for each in sample.asked]), hidden)

    def _rows(self, made: Mapping[str, Any], golden: Sequence[_Golden]) -> Doubles:
        return np.array([self._row(made.get(name), each) for name, each in zip(self._names, golden, strict=True)])

    def _row(self, value: Any | None, golden: _Golden) -> Doubles:
        if value is None:
            return golden.known.row
        mine = self._arrays.of(value)
        # What has another shape cannot be measured.
        if isinstance(mine, str) or mine.shape != golden.values.shape:
            return np.full(len(SUMS), np.nan)
        return row_of(sums_of(golden.values, mine, golden.known))

    def _changed(self, coding: Coding) -> set[int]:
        """Segments that hold codes."""
        made = (*(name for name in coding.activations if name not in coding.moved), *coding.biases)
        changed = {self._makers[name] for name in made if name in self._makers}
        return changed.union(*(self._users.get(name, ()) for name in coding.constants))

    def _values(
        self,
        coding: Coding,
        changed: set[int],
        inputs: Mapping[str, Array],
        golden: _Between,
        tally: RunTally,
        fused: bool = True,
    ) -> tuple[dict[str, Any], tuple[str, ...], bool] | None:
        """Finds the wanted tensors that are not as in the reference, those that were no numbers before they were
        coded, and whether some were coded behind what is optimised; None where shapes are not as they were.
        """
        made: dict[str, Any] = {
            name: value_of(fake_quantize(array, coding.activations[name]), self._builder.stored_as(name))
            for name, array in inputs.items()
            if name in coding.activations
        }
        hidden: tuple[str, ...] = ()
        last, is_coded_late = max(changed, default=-1), False
        index, segments = 0, self._segments
        while index < len(segments):
            part, size = self._parts.get(index, (segments[index], 1))
            if not changed.isdisjoint(range(index, index + size)):
                part, size = segments[index], 1
            if index in changed:
                hidden += self._coded(part, coding, made, golden, tally)
            elif not self._go(part, made, golden, tally, fused):
                return None
            else:
                is_coded_late |= bool(made) and index < last
            index += size
            for name in [name for name in made if self._last.get(name, -1) < index]:
                del made[name]
        return {name: made[name] for name in self._names if name in made}, hidden, is_coded_late

    def _coded(
        self, segment: Segment, coding: Coding, made: dict[str, Any], golden: _Between, tally: RunTally
    ) -> tuple[str, ...]:
        """The tensors of which codes hide that they were no numbers."""
        way = self._way(segment, made.keys(), coding)
        if not way.gives:
            return ()
        built = self._built(("coded", way.key, signature(segment, coding)), way, coding, tally)
        values = self._run(built, way, made, golden, tally, tuple(built.sums.values()))
        looked = zip(built.sums, values, strict=True)
        return tuple(name for name, value in looked if not np.isfinite(value.numpy()).all())

    def _go(self, part: Segment, made: dict[str, Any], golden: _Between, tally: RunTally, fused: bool = True) -> bool:
        """Runs in float; False where something that is optimised has not the shape that it has in the reference."""
        way = self._way(part, made.keys())
        if not way.gives:
            return True
        if not fused:
            self._run(self._built(("float", way.key), way, FLOATING, tally), way, made, golden, tally)
            return True
        known = golden.shapes
        changed = (name for name in way.segment.reads if name in made and name in known)
        if any(tuple(made[name].shape()) != known[name] for name in changed):
            return False
        built = self._built(("onward", way.key, golden.key), way, FLOATING, tally, known)
        self._run(built, way, made, golden, tally)
        return True

    def _built(
        self, key: object, way: _Way, coding: Coding, tally: RunTally, shapes: Mapping[str, Sequence[int]] | None = None
    ) -> Built:
        # Which codes a ranking asks for is over when the next ones come, but for other samples of the same call.
        store = self._machine.store if coding is FLOATING else self._coding_store

        def build() -> Built:
            tally.built += 1
            with told(self._loaded.parts.path):
                return self._builder.build(way.segment, coding, way.exposed, "chain", shapes is None, shapes)

        return store.get(key, build)

    def _run(
        self, built: Built, way: _Way, made: dict[str, Any], golden: _Between, tally: RunTally, more: Sequence[str] = ()
    ) -> list[Any]:
        """Adds to what is made; gives what is asked for besides."""
        feeds = {name: made[name] if name in made else golden.values[name] for name in way.segment.reads}
        feeds |= self._machine.codes(built)
        with told(self._loaded.parts.path), self._machine.turn.lent():
            values = run(built.session, feeds, [*way.gives, *more])
        tally.ran += 1
        made.update(zip(way.gives, values, strict=False))
        return values[len(way.gives) :]

    def _way(self, part: Segment, made: Collection[str], coding: Coding = FLOATING) -> _Way:
        """`made`: what is not as in the reference."""
        dirty = frozenset(name for name in part.reads if name in made)
        begins = self._begins(part, coding)
        key = (part.start, len(part.nodes), dirty, begins)
        if key not in self._ways:
            self._ways[key] = self._found_way(part, set(dirty), begins)
        return self._ways[key]

    def _begins(self, part: Segment, coding: Coding) -> frozenset[int]:
        """Finds where codes are."""
        inside = frozenset((*coding.activations, *coding.constants, *coding.biases)) - coding.moved
        if not inside:
            return frozenset()
        reads = self._reads(part)
        touched = (not inside.isdisjoint((*node.output, *reads[place])) for place, node in enumerate(part.nodes))
        return frozenset(place for place, is_touched in enumerate(touched) if is_touched)

    def _reads(self, part: Segment) -> list[list[str]]:
        return self._loaded.reads[part.start : part.start + len(part.nodes)]

    def _found_way(self, part: Segment, dirty: set[str], begins: frozenset[int]) -> _Way:
        reads = self._reads(part)
        for place, node in enumerate(part.nodes):
            if place in begins or not dirty.isdisjoint(reads[place]):
                dirty.update(filter(None, node.output))
        wanted = [name for name in part.makes if name in part.borders or name in self._names]
        gives = tuple(name for name in wanted if name in dirty)
        needed, places = set(gives), []
        for place in reversed(range(len(part.nodes))):
            if not needed.isdisjoint(part.nodes[place].output):
                places.append(place)
                needed.update(reads[place])
        key = (part.start, len(part.nodes))
        work = self._work[part.start : part.start + len(part.nodes)]
        whole = sum(work)
        if whole < _LITTLE * sum(self._work) or sum(work[place] for place in places) > _SHARE * whole:
            return _Way(part, tuple(wanted), gives, _key((*key, wanted)))
        places.reverse()
        return _Way(picked(self._loaded, part, places), gives, gives, _key((*key, places, gives)))

    def _read(self, keys: SampleKeys, tally: RunTally) -> _Sample | None:
        """Reads a sample; None where something that is wanted cannot be measured."""
        machine = self._machine
        values = {name: machine.input_value(keys, name) for name in keys.inputs}
        wanted = [(keys, name, machine.maker(name)) for name in self._borders if machine.has(name)]
        for index, live in machine.walk(wanted, _silent, tally, keep=False):
            for name in self._borders.intersection(machine.segments[index].makes):
                values[name] = own_memory(live[keys.places[name]])
        made, between = {name: values[name] for name in keys.inputs}, _Between.of(values)
        is_alike = all(self._go(part, made, between, tally) for part, _ in self._parts.values())
        asked = tuple(
            self._asked(values[name], made.get(name, values[name]) if is_alike else None) for name in self._names
        )
        del made
        shrink()
        found = tuple(each for each in asked if each is not None)
        return _Sample(between, found, sum(map(size_of, values.values()))) if len(found) == len(asked) else None

    def _asked(self, exact: Any, changed: Any | None) -> _Asked | None:
        one, other = self._arrays.of(exact), "" if changed is None else self._arrays.of(changed)
        if isinstance(one, str):
            return None
        golden = _Golden(one.copy(), reference_of(one))
        if isinstance(other, str) or one.shape != other.shape:
            return _Asked(golden, None, golden.known.row)
        lost = row_of(sums_of(one, other, golden.known))
        quick = _Golden(other.copy(), reference_of(other)) if lost[_ERROR] <= _CHANGED * lost[_SIZE] else None
        return _Asked(golden, quick, lost)

    def _keep(self, number: int, sample: _Sample | None) -> None:
        """Keeps a sample; those that were not used for longest go first."""
        self._samples[number] = sample
        while len(self._samples) > 1 and sum(each.nbytes for each in self._samples.values() if each) > self._room:
            self._samples.popitem(last=False)


def _silent(_: int) -> None:
    """Does nothing."""
