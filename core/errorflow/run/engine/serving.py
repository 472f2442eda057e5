"""The worker's side: keeps a model with all that is known of it, and answers. Runs in a process of its own."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from functools import cached_property, lru_cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.progress import Cancelled
from errorflow.base.values import dataclass, field, replace
from errorflow.graph.qparams import QParams
from errorflow.quant.assign import CodedConstant
from errorflow.quant.coding import Coder, Coding, Named, NamedBias
from errorflow.quant.insert import insert, write
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range
from errorflow.quant.shifting import Shift
from errorflow.run.engine.abreast import Beside, Here, abreast
from errorflow.run.engine.cache import Cache
from errorflow.run.engine.loading import LoadedConstants
from errorflow.run.engine.machine import Machine, RunTally, SampleKeys
from errorflow.run.engine.measuring import Measuring, TensorRequest
from errorflow.run.engine.meter import EngineMeter, StepCounter
from errorflow.run.engine.onward import Onward
from errorflow.run.engine.rows import ACCUMULATED, empty
from errorflow.run.engine.segments import FLOATING, Builder, segments_of, shrink
from errorflow.run.engine.survey import Survey, ends_of, survey
from errorflow.run.model import Array, RunError
from errorflow.run.parts import Parts
from errorflow.run.sessions import BFLOAT16, Arrays, element, runtime, value_of

SPEC = "spec.msgpack"
# Of all sessions, beyond the weights.
_SESSION_BYTES = 200 << 20
# Of so many plans what flows between segments is kept, so that the next plan can go on from there.
_PLANS = 2
# Tensors of a segment are there up to three times: of the reference, of the candidate, and replayed.
_TIMES = 3
# Of what may be kept, for what rankings go on from.
_RANKING = 0.25
_NUMBERS = frozenset(
    (
        "float",
        "double",
        "float16",
        "bfloat16",
        "bool",
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    )
)


def serve(folder: str, command: str, request: dict[str, Any]) -> dict[str, Any]:
    """Answers a command; `cancelled` is in it where the answer is wanted no more."""
    try:
        opened = _opened(folder)
        try:
            return _COMMANDS[command](opened, request)
        finally:
            opened.close_files()
    except Cancelled:
        return {"cancelled": True}


@lru_cache(maxsize=1)
def _opened(folder: str) -> "_Opened":
    import msgspec

    place = Path(folder)
    return _Opened.of(place, msgspec.msgpack.decode((place / SPEC).read_bytes()))


@dataclass(frozen=True)
class _Opened:
    folder: Path
    meter: EngineMeter
    loaded: LoadedConstants
    survey: Survey
    machine: Machine
    files: Sequence[Mapping[str, str]]
    given: Mapping[str, QParams]
    needed: int
    threads: int
    memory: int

    @classmethod
    def of(cls, folder: Path, spec: Mapping[str, Any]) -> "_Opened":
        runtime().set_seed(0)
        meter = EngineMeter(folder)
        loaded = LoadedConstants.of(Path(spec["model"]))
        _check_inputs(loaded, spec["samples"])
        # Whatever else is in a sample might be taken for a tensor of the model.
        files = [{name: sample[name] for name in loaded.inputs} for sample in spec["samples"]]
        first = {name: _input(folder / file) for name, file in files[0].items()}
        given = {name: value_of(first[name], _stored_as(loaded, name)) for name in loaded.inputs}
        found = survey(loaded, given, meter)
        shrink()
        segments = segments_of(loaded, ends_of(loaded, found, spec["segments"]))
        largest = max((sum(found.sizes.get(name, 0) for name in (*s.makes, *s.reads)) for s in segments), default=0)
        weights = sum(array.nbytes for array in loaded.weights.values())
        # Each thread has a segment of its own; one is always allowed.
        threads = max(1, min(spec["threads"], spec["run"] // max(1, _TIMES * largest)))
        needed = threads * _TIMES * largest + 2 * weights + spec["memory"]
        if _TIMES * largest > spec["run"]:
            raise UsageError(
                f"Simulating {loaded.parts.path.name} on these inputs needs about {needed / 1e9:.1f} GB of memory.",
                "Give smaller inputs, or cut the model into more segments.",
            )
        builder = Builder(loaded, found.types)
        borders = sum(found.sizes.get(name, 0) for segment in segments for name in segment.borders)
        cache = Cache(spec["memory"], spec["disk"], folder, _PLANS * borders * len(files))
        machine = Machine(loaded, builder, segments, cache, _SESSION_BYTES + weights)
        return cls(
            folder, meter, loaded, found, machine, files, given_of(spec["given"]), needed, threads, spec["memory"]
        )

    @cached_property
    def coder(self) -> Coder:
        return Coder(self.loaded.weights.__getitem__, self.given)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The tensors that can be measured, in the order in which they are made."""
        made = (*self.loaded.inputs, *(name for segment in self.machine.segments for name in segment.makes))
        measured = [name for name in made if element(self.survey.types.get(name, "")) in _NUMBERS]
        return {name: place for place, name in enumerate(measured)}

    @cached_property
    def measuring(self) -> Measuring:
        return Measuring(self.machine, self.numbers)

    @cached_property
    def _held(self) -> dict[int, dict[str, Array]]:
        return {}

    def sample(self, number: int) -> dict[str, Array]:
        """Opens a sample; its files stay open until the command is done."""
        if number not in self._held:
            self._held[number] = {name: _input(self.folder / file) for name, file in self.files[number].items()}
        return self._held[number]

    def close_files(self) -> None:
        self._held.clear()

    @cached_property
    def _onward(self) -> dict[tuple[str, ...], Onward]:
        return {}

    def onward(self, names: Sequence[str]) -> Onward:
        """Opens runs onward for rankings by these tensors; of those by others nothing is kept."""
        key = tuple(names)
        if key not in self._onward:
            self._onward.clear()
            room = int(_RANKING * self.memory)
            self._onward[key] = Onward(self.machine, self.machine.builder, self.loaded, self.survey, key, room)
        return self._onward[key]

    @cached_property
    def _floating(self) -> dict[int, SampleKeys]:
        return {}

    @cached_property
    def _identities(self) -> dict[int, bytes]:
        return {}

    def golden(self, number: int) -> SampleKeys:
        """Finds the keys of a sample in float."""
        if number not in self._floating:
            found = self.keys(FLOATING, number)
            # Without the inputs, which would keep their files open.
            self._floating[number] = replace(found, inputs={}, again=True)
            return found
        return replace(self._floating[number], inputs=self.sample(number))

    def keys(self, coding: Coding, number: int) -> SampleKeys:
        inputs = self.sample(number)
        if number not in self._identities:
            self._identities[number] = _identity(inputs)
        return self.machine.keys(coding, inputs, self._identities[number])

    def coding(self, plan: Mapping[str, Any]) -> Coding:
        return coding_of(self.coder, plan, self.loaded.weights)


def _input(file: Path) -> Array:
    array: Array = np.load(file, mmap_mode="r", allow_pickle=False)
    return array


def _identity(inputs: Mapping[str, Array]) -> bytes:
    hashed = blake2b(digest_size=16)
    for name in sorted(inputs):
        hashed.update(f"{name} {inputs[name].dtype} {inputs[name].shape} ".encode())
        hashed.update(np.ascontiguousarray(inputs[name]).data)
    return hashed.digest()


def _stored_as(loaded: LoadedConstants, name: str) -> str:
    inputs = {value.name: value.type.tensor_type.elem_type for value in loaded.parts.model.graph.input}
    return "bfloat16" if inputs[name] == BFLOAT16 else ""


def _check_inputs(loaded: LoadedConstants, samples: Sequence[Mapping[str, str]]) -> None:
    for number, given in enumerate(samples):
        missing = [name for name in loaded.inputs if name not in given]
        if missing:
            raise UsageError(
                f"Sample {number + 1:,} lacks the input {missing[0]} of the model.",
                "Give an array for each input in each sample.",
            )


def _facts(opened: _Opened, _: Mapping[str, Any]) -> dict[str, Any]:
    survey_ = opened.survey
    return {
        "tensors": list(opened.numbers),
        "types": [element(survey_.types[name]) for name in opened.numbers],
        "shapes": [list(survey_.shapes[name]) for name in opened.numbers],
        "floats": [name for name, kind in survey_.types.items() if kind == "tensor(float)"]
        + [name for name, array in opened.loaded.weights.items() if array.dtype == np.float32],
        "outputs": opened.loaded.outputs,
        "segments": len(opened.machine.segments),
        "needed": opened.needed,
        "runtime": runtime().__version__,
    }


def _tables(opened: _Opened, request: Mapping[str, Any]) -> dict[str, Any]:
    """Finds of each plan the rows of the tensors that are wanted, in their order, by sample."""
    _check_names(opened, request["names"])
    names = frozenset(opened.numbers if request["names"] is None else request["names"])
    asked = TensorRequest(names, request["split"], request["node"])
    exactly = request["exactly"]
    codings = [opened.coding(plan) for plan in request["plans"]]
    samples = request["samples"]
    counter = StepCounter(opened.meter, len(codings) * len(samples) * len(opened.machine.segments))
    works = [[_Task(opened, coding, number, asked, counter, exactly) for number in samples] for coding in codings]
    for tasks in _in_turns(works, exactly):
        alone = min(len(tasks), opened.threads) < 2
        abreast([partial(task.work, Beside if alone else Here) for task in tasks], opened.threads, opened.machine.turn)
    return {"tables": [_answer(coding, row) for coding, row in zip(codings, works, strict=True)]}


@dataclass(slots=True)
class _Task:
    """One plan on one sample."""

    opened: _Opened
    coding: Coding
    number: int
    asked: TensorRequest
    counter: StepCounter
    exactly: bool
    rows: bytes = b""
    hidden: Sequence[str] = ()
    tally: RunTally = field(default_factory=RunTally)

    def work(self, measurer: Callable[[], Beside | Here]) -> None:
        if self.exactly or not self._onward():
            self._exactly(measurer())

    @property
    def _names(self) -> list[str]:
        return [name for name in self.opened.numbers if name in self.asked.names]

    def _onward(self) -> bool:
        """Whether that was enough."""
        opened = self.opened
        ranking = opened.onward(self._names)
        found = ranking.found(self.coding, opened.golden(self.number), self.number, self.tally)
        if found is None:
            return False
        rows = empty(len(found.rows))
        rows[:, ACCUMULATED] = found.rows
        self.rows, self.hidden = rows.tobytes(), found.hidden
        self.counter.skip(len(opened.machine.segments))
        return True

    def _exactly(self, measurer: Beside | Here) -> None:
        opened = self.opened
        golden, mine = opened.golden(self.number), opened.keys(self.coding, self.number)
        table, tally = opened.measuring.table(golden, mine, self.asked, measurer, self.counter.step)
        self.tally = RunTally(self.tally.ran + tally.ran, self.tally.built + tally.built)
        self.rows = table[[opened.numbers[name] for name in self._names]].tobytes()
        self.hidden = [name for key in mine.segments for name in opened.machine.hidden.get(key, ())]


def _in_turns(works: Sequence[Sequence[_Task]], exactly: bool) -> Iterator[list[_Task]]:
    """Yields what may run at the same time, one after the other: the first plan finds what all others need of the
    samples. Rankings keep little of a sample, and so take one after the other.
    """
    rows = [list(works)] if exactly else [[[task] for task in column] for column in zip(*works, strict=True)]
    for row in rows:
        for some in (row[:1], row[1:]):
            yield [task for tasks in some for task in tasks]


def _answer(coding: Coding, tasks: Sequence[_Task]) -> dict[str, Any]:
    return {
        "rows": [task.rows for task in tasks],
        "hidden": [list(task.hidden) for task in tasks],
        "notes": dict(coding.notes),
        "ran": sum(task.tally.ran for task in tasks),
        "built": sum(task.tally.built for task in tasks),
    }


def _check_names(opened: _Opened, names: Sequence[str] | None) -> None:
    unknown = [
        name
        for name in (() if names is None else names)
        if not opened.machine.has(name) and name not in opened.loaded.inputs
    ]
    if unknown:
        raise UsageError(f"No node of the model makes {unknown[0]}.", "Name a tensor that flows.")


def _values(opened: _Opened, request: Mapping[str, Any]) -> dict[str, Any]:
    """Writes the tensors as files."""
    number, names = request["sample"], request["names"]
    keys = opened.golden(number) if request["plan"] is None else opened.keys(opened.coding(request["plan"]), number)
    _check_names(opened, names)
    needs = [(keys, name, opened.machine.maker(name)) for name in names]
    files: dict[str, str] = {}
    step = StepCounter(opened.meter, len(opened.machine.segments)).step
    with opened.machine.turn:
        for _, live in opened.machine.walk(needs, step, RunTally()):
            for place, name in enumerate(names):
                if name not in files and keys.places[name] in live:
                    files[name] = f"value-{request['mark']}-{place}.npy"
                    np.save(opened.folder / files[name], _shown(name, live[keys.places[name]]), allow_pickle=False)
    return {"files": files}


def _shown(name: str, value: Any) -> Array:
    found = Arrays().of(value)
    if isinstance(found, str):
        raise RunError(f"{name} cannot be shown: {found}.", "Look at the tensors around it.")
    return found


def _means(opened: _Opened, request: Mapping[str, Any]) -> dict[str, Any]:
    name, coding = request["name"], opened.coding(request["plan"])
    with opened.machine.turn:
        pairs = [(opened.golden(number), opened.keys(coding, number)) for number in range(len(opened.files))]
        return {"means": mean_errors(opened.machine, pairs, name, request["axis"])}


def _export(opened: _Opened, request: Mapping[str, Any]) -> dict[str, Any]:
    parts = Parts.load(opened.loaded.parts.path)
    inserted = insert(parts.model, opened.coding(request["plan"]), opened.loaded.weights.__getitem__)
    write(inserted, opened.loaded.weights.__getitem__, Path(request["target"]))
    return {"names": dict(inserted.names)}


def mean_errors(machine: Machine, pairs: Sequence[tuple[SampleKeys, SampleKeys]], name: str, axis: int) -> list[float]:
    """Averages over all samples, each as two runs: the reference and the candidate. What is not finite is left out."""
    total: Any = 0.0
    count: Any = 0
    for golden, mine in pairs:
        reference, candidate = _means_values(machine, golden, mine, name)
        error = np.subtract(candidate, reference, dtype=np.float64)
        others = tuple(place for place in range(error.ndim) if place != axis % error.ndim)
        finite = np.isfinite(error)
        total = total + np.where(finite, error, 0).sum(axis=others)
        count = count + finite.sum(axis=others)
    found: list[float] = np.divide(total, count, out=np.zeros_like(total), where=count > 0).tolist()
    return found


def _means_values(machine: Machine, golden: SampleKeys, mine: SampleKeys, name: str) -> tuple[Array, Array]:
    needs = [(keys, name, machine.maker(name)) for keys in (golden, mine)]
    arrays, found = Arrays(), {}
    for _, live in machine.walk(needs, lambda _: None, RunTally()):
        for side, keys in enumerate((golden, mine)):
            if side not in found and keys.places[name] in live:
                found[side] = np.array(arrays.of(live[keys.places[name]]))
    return found[0], found[1]


_COMMANDS = {"facts": _facts, "tables": _tables, "values": _values, "means": _means, "export": _export}


def coding_of(coder: Coder, plan: Mapping[str, Any], weights: MutableMapping[str, Array]) -> Coding:
    """The coding of a plan; `weights`, from which the coder reads, get what the plan makes of biases."""
    named, ranges = named_of(plan)
    shifts = plan["shifts"]
    if not shifts:
        return coder.coding(named, ranges)
    biases = {made: _shifted(made, shift, weights) for made, shift in shifts.items()}
    summed = {made: bias for made, bias in biases.items() if bias.source}
    found = coder.coding(replace(named, biases={**named.biases, **summed}), ranges)
    others = {
        made: (bias, coder.constant_like(bias.bias, named.constants.get(shifts[made][0])))
        for made, bias in biases.items()
        if made not in found.biases
    }
    return replace(found, biases={**found.biases, **others})


def _shifted(made: str, shift: list[Any], weights: MutableMapping[str, Array]) -> NamedBias:
    bias, place, source, weight, values = shift
    added = np.asarray(values, np.float32)
    name = f"{made}_bias_{blake2b(added.tobytes(), digest_size=6).hexdigest()}"
    if name not in weights:
        weights[name] = np.add(weights[bias], added, dtype=np.float32) if bias else added
    return NamedBias(name, place, source, weight)


# Plain data for the line between two processes.


def plain_of(named: Named, ranges: Mapping[str, Range], shifts: Mapping[str, Shift]) -> dict[str, Any]:
    """Makes plain the ranges that are wanted."""
    needed = {named.scale_of.get(name, name) for name in named.activations}
    return {
        "activations": {name: _precision(how) for name, how in named.activations.items()},
        "constants": {name: [*_precision(how.precision), how.axis] for name, how in named.constants.items()},
        "biases": {made: [bias.bias, bias.place, bias.source, bias.weight] for made, bias in named.biases.items()},
        "scale_of": dict(named.scale_of),
        "moved": list(named.moved),
        "shifts": {made: [s.bias, s.place, s.source, s.weight, list(s.values)] for made, s in shifts.items()},
        "ranges": {name: [ranges[name].low, ranges[name].high] for name in needed if name in ranges},
    }


def plain_given(given: Mapping[str, QParams]) -> dict[str, Any]:
    return {name: [list(q.scales), list(q.zero_points), q.bits, q.signed, q.axis] for name, q in given.items()}


def given_of(plain: Mapping[str, Any]) -> dict[str, QParams]:
    return {name: QParams(tuple(scales), tuple(zeros), *rest) for name, (scales, zeros, *rest) in plain.items()}


def _precision(how: Precision) -> list[Any]:
    return [how.dtype, how.symmetric, how.per_channel, how.reduced]


def named_of(plain: Mapping[str, Any]) -> tuple[Named, dict[str, Range]]:
    named = Named(
        {name: Precision(*how) for name, how in plain["activations"].items()},
        {name: CodedConstant(Precision(*how[:-1]), how[-1]) for name, how in plain["constants"].items()},
        {made: NamedBias(*bias) for made, bias in plain["biases"].items()},
        plain["scale_of"],
        frozenset(plain["moved"]),
    )
    return named, {name: Range(*ends) for name, ends in plain["ranges"].items()}
