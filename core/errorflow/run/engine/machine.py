"""One model and its samples under any coding: runs the segments that are not known yet. Runs in a process of its own.

Whatever is found has a key that is made of all that it depends on: the segment, the coding inside of it and the keys
of what it reads. So what a change does not reach is found again, whichever plan it was made for.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from errorflow.base.values import dataclass, field
from errorflow.quant.coding import Coding
from errorflow.quant.fake import fake_quantize
from errorflow.run.engine.abreast import SharedTurn
from errorflow.run.engine.cache import Cache
from errorflow.run.engine.loading import LoadedConstants
from errorflow.run.engine.segments import FLOATING, Builder, Built, Segment, Store, Way, signature
from errorflow.run.model import Array
from errorflow.run.sessions import run, told, value_of

Key = bytes
# Of a tensor: the key of what makes it, and its name.
Place = tuple[Key, str]


@dataclass(frozen=True)
class SampleKeys:
    """Keys of one sample under one coding."""

    coding: Coding
    inputs: Mapping[str, Array]
    segments: tuple[Key, ...]
    signatures: tuple[bytes, ...]
    places: Mapping[str, Place]
    reference: bool
    # Whether the sample was asked for before.
    again: bool = False


# A tensor, and behind which segment it is needed no more.
Wanted = tuple[SampleKeys, str, int]


@dataclass(slots=True)
class RunTally:
    """Counts of how many segments ran, and how many sessions were built for that."""

    ran: int = 0
    built: int = 0


@dataclass(slots=True)
class _Task:
    """A segment that has to run, and what is wanted of it."""

    keys: SampleKeys
    names: dict[str, None] = field(default_factory=dict)


def input_array(keys: SampleKeys, name: str) -> Array:
    """An input as the model gets it."""
    qparams = keys.coding.activations.get(name)
    array = keys.inputs[name]
    return array if qparams is None else fake_quantize(array, qparams)


class Machine:
    def __init__(
        self, loaded: LoadedConstants, builder: Builder, segments: Sequence[Segment], cache: Cache, session_bytes: int
    ) -> None:
        self._loaded, self.builder, self._cache = loaded, builder, cache
        self.segments = segments
        self.store = Store(session_bytes)
        self._maker = {name: segment.index for segment in segments for name in segment.makes}
        # By the key of the segment: tensors whose values were no numbers before they were coded.
        self.hidden: dict[Key, tuple[str, ...]] = {}
        # Of those that ask at the same time.
        self.turn = SharedTurn()

    def keys(self, coding: Coding, inputs: Mapping[str, Array], identity: bytes) -> SampleKeys:
        """`identity` tells one sample from all others."""
        places: dict[str, Place] = {}
        for name in inputs:
            coded = repr(coding.activations.get(name)).encode()
            places[name] = (blake2b(identity + coded, digest_size=16).digest(), name)
        found, signatures = [], []
        for segment in self.segments:
            inside = signature(segment, coding)
            hashed = blake2b(b"%d" % segment.index + inside, digest_size=16)
            for name in segment.reads:
                key, of = places[name]
                hashed.update(key + of.encode())
            key = hashed.digest()
            places |= {name: (key, name) for name in segment.makes}
            found.append(key)
            signatures.append(inside)
        return SampleKeys(coding, inputs, tuple(found), tuple(signatures), places, coding is FLOATING)

    def walk(
        self, wanted: Iterable[Wanted], step: Callable[[int], None], tally: RunTally, keep: bool = True
    ) -> "Iterator[tuple[int, Mapping[Place, Any]]]":
        """Runs what is needed for the tensors; after each segment gives those that are alive, until the next one.

        `step` is told each segment before. The caller has the turn. `keep`: for what is needed once more.
        """
        live, tasks, last = self._planned(wanted)
        for segment in self.segments:
            step(segment.index)
            for key, task in tasks[segment.index].items():
                live |= self._run(segment, key, task, live, tally, keep)
            yield segment.index, live
            for place in [place for place in live if last[place] <= segment.index]:
                del live[place]

    def apart(
        self, segment: Segment, coding: Coding, inside: bytes, values: Mapping[str, Any], tally: RunTally
    ) -> dict[str, Any]:
        """Runs each node on these values, whatever the nodes before it make."""
        built = self._built(segment, coding, inside, segment.makes, "apart", tally)
        feeds = {**values, **self.codes(built)}
        with told(self._loaded.parts.path), self.turn.lent():
            found = run(built.session, feeds, [built.names[name] for name in segment.makes])
        return dict(zip(segment.makes, found, strict=True))

    def read_apart(self, segment: Segment) -> tuple[str, ...]:
        """Lists what has to be fed to `apart`."""
        reads = self._loaded.reads[segment.start : segment.start + len(segment.nodes)]
        made = set(segment.makes)
        return (*segment.reads, *dict.fromkeys(name for names in reads for name in names if name in made))

    def _planned(self, wanted: Iterable[Wanted]) -> "tuple[dict[Place, Any], list[dict[Key, _Task]], dict[Place, int]]":
        """Finds what is there already, what has to run, and after which segment each value is needed no more."""
        live: dict[Place, Any] = {}
        last: dict[Place, int] = {}
        tasks: list[dict[Key, _Task]] = [{} for _ in self.segments]

        def need(keys: SampleKeys, name: str, until: int) -> None:
            place = keys.places[name]
            last[place] = max(until, last.get(place, until))
            if place in live:
                return
            found = self.input_value(keys, name) if name in keys.inputs else self._cache.get(place)
            if found is not None:
                live[place] = found
            else:
                index = self._maker[name]
                tasks[index].setdefault(place[0], _Task(keys)).names[name] = None

        for keys, name, until in wanted:
            need(keys, name, until)
        for segment in reversed(self.segments):
            for task in tasks[segment.index].values():
                for name in segment.reads:
                    need(task.keys, name, segment.index)
        return live, tasks, last

    def has(self, name: str) -> bool:
        """Whether a node makes it."""
        return name in self._maker

    def maker(self, name: str) -> int:
        """The segment that makes a tensor; of an input the first one."""
        return self._maker.get(name, 0)

    def input_value(self, keys: SampleKeys, name: str) -> Any:
        """An input as ONNX Runtime takes it."""
        return value_of(input_array(keys, name), self.builder.stored_as(name))

    def _run(
        self, segment: Segment, key: Key, task: _Task, live: Mapping[Place, Any], tally: RunTally, keep: bool
    ) -> dict[Place, Any]:
        keys = task.keys
        borders = task.names.keys() <= segment.borders
        exposed = [name for name in segment.makes if name in segment.borders] if borders else list(segment.makes)
        inside = keys.signatures[segment.index]
        built = self._built(segment, keys.coding, inside, exposed, "chain", tally)
        feeds = {name: live[keys.places[name]] for name in segment.reads} | self.codes(built)
        names = list(task.names)
        with told(self._loaded.parts.path), self.turn.lent():
            values = run(built.session, feeds, [*names, *built.sums.values()])
        tally.ran += 1
        looked = zip(built.sums, values[len(names) :], strict=True)
        hidden = tuple(name for name, value in looked if not np.isfinite(value.numpy()).all())
        if hidden:
            self.hidden[key] = hidden
        found = {(key, name): value for name, value in zip(names, values, strict=False)}
        for (_, name), value in found.items() if keep else ():
            border = name in segment.borders
            self._cache.put((key, name), value, reference=keys.reference, border=border, again=keys.again)
        return found

    def _built(
        self, segment: Segment, coding: Coding, inside: bytes, exposed: Sequence[str], way: Way, tally: RunTally
    ) -> Built:
        key = (segment.index, inside, way, len(exposed) == len(segment.makes))

        def build() -> Built:
            tally.built += 1
            with told(self._loaded.parts.path):
                return self.builder.build(segment, coding, exposed, way, looked=way == "chain")

        return self.store.get(key, build)

    def codes(self, built: Built) -> dict[str, Any]:
        """Constants as their codes have them."""
        found = {}
        for name, constant, qparams in built.codes:
            key = ("constant", constant, qparams)
            value = self._cache.get(key)
            if value is None:
                values = self._loaded.weights[constant]
                value = value_of(values if qparams is None else fake_quantize(values, qparams))
                self._cache.put(key, value, reference=True, border=True)
            found[name] = value
        return found
