"""Streams samples through a model and keeps what calibration needs. Runs in a process of its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errorflow.quant.calibrate.asked import method_of
from errorflow.quant.calibrate.channels import Loudness, loudness
from errorflow.quant.calibrate.method import Method
from errorflow.quant.calibrate.seen import Seen
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range
from errorflow.run.model import RefusedModelError, RunError, Wanted
from errorflow.run.parts import Parts
from errorflow.run.samples.asked import Asked
from errorflow.run.samples.fitting import Part, split
from errorflow.run.samples.model import digest_of, joined_identity
from errorflow.run.samples.opening import open_samples
from errorflow.run.samples.watching import Fed, looked_at, oddities
from errorflow.run.sessions import OPTIMISATION, Arrays, element, runtime
from errorflow.run.streaming import Stream

FLOATS = frozenset(("float", "float16", "double", "bfloat16"))


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be done, as plain values."""

    model: str
    wanted: tuple[Wanted, ...]
    asked: Asked
    # How many samples are taken; None: all.
    first: int | None
    methods: tuple[str, ...]
    precision: Precision
    # Codes for which it is told how well each range serves; where none are, only what the methods need is kept.
    judges: tuple[Precision, ...] = ()
    threads: int = 1
    # Tensors whose channels are last, and whether the ranges of all channels are wanted.
    last: tuple[str, ...] = ()
    per_channel: bool = False


@dataclass(frozen=True, slots=True)
class SeenChannels:
    """Of a tensor that has channels: how loud they are, and where each lies if that was wanted."""

    axis: int
    loudness: Loudness
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundRange:
    """What a method found for a tensor, and how well that serves."""

    low: float
    high: float
    # The share of values outside, and for each judge the SQNR in decibel; () where nobody judges.
    clipped: float = 0.0
    sqnr: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenTensor:
    """What was seen of a tensor."""

    name: str
    count: int
    nans: int
    infinities: int
    low: float
    high: float
    # One per method; none where no finite value was seen.
    found: tuple[FoundRange, ...] = ()
    channels: SeenChannels | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """What came of it, tensors in the order of running."""

    tensors: tuple[SeenTensor, ...]
    samples: int
    text: str
    made_up: bool
    notes: tuple[str, ...]
    facts: Mapping[str, str]


# How many nodes have just run, of how many in all.
Step = Callable[[int, int], object]


def collect(plain: dict[str, Any], meter: str, total: str) -> dict[str, Any]:
    """A `Collected` for a `Request`. The length of the file `meter` is how many nodes have run; `total` says of how
    many."""
    import msgspec

    request = msgspec.convert(plain, Request)
    with Path(meter).open("ab", buffering=0) as done:

        def step(nodes: int, of: int) -> None:
            if not nodes:
                Path(total).write_text(str(of), encoding="ascii")
            done.write(b"." * nodes)

        found = collected(request, step)
    answer: dict[str, Any] = msgspec.to_builtins(found)
    return answer


def collected(request: Request, step: Step) -> Collected:
    """The same in this process."""
    samples = open_samples(request.wanted, request.asked)
    chosen, _, text = split(samples, request.first)
    chosen.check()
    methods = tuple(method_of(key) for key in request.methods)
    spread = bool(request.judges) or any(method.spread for method in methods)
    watch = _Watch(spread=spread, last=frozenset(request.last))
    digests = _stream(request, chosen, watch, step)
    facts = {
        "ONNX Runtime": runtime().__version__,
        "optimisation": OPTIMISATION,
        "threads": str(request.threads),
        "data": joined_identity(digests),
    }
    tensors = tuple(_told(name, seen, methods, request) for name, seen in watch.tensors.items())
    return Collected(tensors, chosen.count, text, chosen.made_up, (*chosen.notes, *oddities(watch.fed)), facts)


class _Watch:
    """Sees the values of all tensors that hold floats."""

    def __init__(self, *, spread: bool, last: frozenset[str]) -> None:
        self._spread, self._last = spread, last
        self._arrays = Arrays()
        self.tensors: dict[str, Seen] = {}
        self.fed: list[Fed] = []

    def see(self, name: str, value: Any) -> int:
        if not value.is_tensor():
            return 0
        if element(value.data_type()) not in FLOATS:
            return int(value.tensor_size_in_bytes())
        array = self._arrays.of(value)
        assert not isinstance(array, str)  # it is a tensor and holds no texts
        if name not in self.tensors:
            self.tensors[name] = Seen(spread=self._spread, last=name in self._last)
        self.tensors[name].see(array)
        return array.nbytes


def _stream(request: Request, samples: Part, watch: _Watch, step: Step) -> list[str]:
    """The samples' digests, in their order."""
    stream = Stream(Parts.load(Path(request.model)), request.threads)
    total = stream.nodes * samples.count
    step(0, total)
    digests = []
    for number in range(samples.count):
        arrays = samples.read(number)
        digests.append(digest_of(arrays))
        watch.fed += looked_at(samples.name(number), arrays)
        try:
            stream.run(arrays, watch.see, lambda nodes: step(nodes, total))
        except RefusedModelError:
            raise
        except RunError as error:
            raise RunError(f"{samples.name(number)}: {error.message}", error.hint) from error
    return digests


def _told(name: str, seen: Seen, methods: Sequence[Method], request: Request) -> SeenTensor:
    if not seen.count:
        return SeenTensor(name, 0, seen.nans, seen.infinities, 0.0, 0.0)
    found = tuple(_judged(method.find(seen, request.precision), seen, request.judges) for method in methods)
    ends = float(seen.low), float(seen.high)
    channels = _channels(seen, request.per_channel)
    return SeenTensor(name, seen.count, seen.nans, seen.infinities, *ends, found, channels)


def _channels(seen: Seen, wanted: bool) -> SeenChannels | None:
    found, axis = seen.channels.known(), seen.channels.axis
    if found is None or axis is None:
        return None
    ends = tuple(tuple(each.tolist()) for each in found) if wanted else ((), ())
    return SeenChannels(axis, loudness(*found), *ends)


def _judged(found: Range, seen: Seen, judges: Sequence[Precision]) -> FoundRange:
    if not judges:
        return FoundRange(found.low, found.high)
    sqnr = tuple(seen.bins.sqnr(found.qparams(judge)) for judge in judges)
    return FoundRange(found.low, found.high, seen.bins.beyond(found.low, found.high), sqnr)
