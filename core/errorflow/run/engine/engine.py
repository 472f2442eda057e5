"""Simulates plans of one model on samples, and each time computes only what is not known yet.

The work is done by a process that stays. After a crash, which is an error with a sentence, the next call starts another
one, which knows nothing yet and finds all of it again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.allowance import cores
from errorflow.base.allowance import memory as held
from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Cancelled, Progress
from errorflow.base.values import dataclass, field
from errorflow.base.workers import MEMORY_BYTES, Standing
from errorflow.compare.metrics.measure import MeasuredPair, measure
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned, assign
from errorflow.quant.coding import named
from errorflow.quant.fitting import fitted
from errorflow.quant.operators import only_divided
from errorflow.quant.plan import Plan
from errorflow.quant.ranges import Calibration
from errorflow.quant.shifting import shifts_under
from errorflow.run.both import runnable
from errorflow.run.engine.closing import Closing
from errorflow.run.engine.meter import Share, Watch
from errorflow.run.engine.serving import SPEC, plain_given, plain_of, serve
from errorflow.run.engine.table import Table, table_of
from errorflow.run.engine.turns import Turns
from errorflow.run.model import Array
from errorflow.run.ort import weights_of

TEXT = "Simulating"
ENDED, AGAIN = "The simulation has ended.", "Simulate the model again."
TIMEOUT = 4 * 3600.0
SEGMENTS = 32
DISK = 4 << 30
# Plans that run in one call, before others get their turn.
_TOGETHER = 16
# What the process may take beyond, in multiples of the weights: as they are, coded, and while they are read.
_WEIGHTS = 4


@dataclass(frozen=True, slots=True)
class Budget:
    """Bytes, and into how many segments the model is cut."""

    # What may be kept of what was computed.
    memory: int = field(default_factory=held)
    disk: int = DISK
    # What a run may need beyond; more is refused before it starts.
    run: int = MEMORY_BYTES
    segments: int = SEGMENTS
    # How many samples or plans run at the same time; 0: as many as may work. The numbers are the same.
    threads: int = 0


class Engine(Closing):
    """Use it as a context manager. Several threads may ask it; they are answered one after the other."""

    def __init__(
        self,
        model: Path,
        samples: Sequence[Mapping[str, Array]],
        calibration: Calibration | None = None,
        budget: Budget | None = None,
        progress: Progress = SILENT,
        graph: Graph | None = None,
    ) -> None:
        """Reads the model and runs it once in float. Without a calibration no activations are coded.

        `graph`: that of the model, if it is known already.
        """
        if not samples:
            raise UsageError("There is nothing to simulate the model on.", "Give at least one sample.")
        budget = Budget() if budget is None else budget
        self.graph: Graph = runnable(model, progress).graph if graph is None else graph
        self.calibration = calibration
        self.samples = len(samples)
        most = budget.run + _WEIGHTS * weights_of(self.graph) + budget.memory
        # Addresses are more than memory: files are mapped, and stores of memory grow by doubling.
        self._process = Standing(serve, TEXT, 2 * most + MEMORY_BYTES, growth=most + MEMORY_BYTES)
        self._turns = Turns()
        self._is_closed = False
        self._marks = count()
        self._place = TemporaryDirectory(prefix="errorflow-")
        self._folder = Path(self._place.name)
        try:
            self._write_spec(model, samples, budget)
            facts = self._call("facts", {}, progress)
        except BaseException:  # whatever it is, nobody gets to close what was never open
            self.close()
            raise
        # Those that can be measured, in the order in which they are made.
        self.tensors = tuple(facts["tensors"])
        self.shapes = {name: tuple(shape) for name, shape in zip(self.tensors, facts["shapes"], strict=True)}
        self.outputs = tuple(facts["outputs"])
        self.segments = int(facts["segments"])
        self.needed_bytes = int(facts["needed"])
        self.facts = {"ONNX Runtime": str(facts["runtime"]), "optimisation": "off", "threads": "1"}
        floats = frozenset(facts["floats"])
        self.floats: NDArray[np.bool_] = np.array([name in floats for name in self.graph.tensor_names], bool)
        # What a step makes of them is coded in their place.
        self.floats[only_divided(self.graph)] = False

    def close(self) -> None:
        """Closes the engine. A thread that waits for an answer, or asks later, gets a `UsageError`."""
        self._is_closed = True
        with self._turns.turn(_go_on):
            self._process.stop()
            self._place.cleanup()

    def assigned(self, plan: Plan) -> Assigned:
        """The precision of each tensor under a plan."""
        return assign(self.graph, plan, self.floats)

    def run(
        self,
        plan: Plan,
        tensors: Sequence[str] | None = None,
        samples: Sequence[int] | None = None,
        *,
        split: bool = False,
        node: bool = False,
        progress: Progress = SILENT,
    ) -> Table:
        """The errors of these tensors, or all, over these samples, or all.

        `split`: what each node introduced and inherited. `node`: the error of each node fed with the reference.
        """
        asked = self._asked(tensors, samples) | {"split": split, "node": node, "exactly": True}
        return self._tables([self._plain(plan)], asked, progress)[0]

    def run_many(
        self,
        plans: Iterable[Plan],
        tensors: Sequence[str] | None = None,
        samples: Sequence[int] | None = None,
        *,
        exactly: bool = True,
        text: str = TEXT,
        progress: Progress = SILENT,
    ) -> Iterator[Table]:
        """Yields what `run` gives of each plan, in their order; some of them run at the same time.

        While they run others get their turn now and then. `text` is what `progress` is told. For rankings of plans that
        code little each it need not be `exactly`: what stays in float is optimised, in the reference too, and numbers
        may be off by 0.05 dB; where they would be more, it is exact. `tensors` had better be the outputs then.
        """
        asked = self._asked(tensors, samples) | {"split": False, "node": False, "exactly": exactly}
        every = list(plans)
        parts = [every[start : start + _TOGETHER] for start in range(0, len(every), _TOGETHER)]
        with ThreadPoolExecutor(1) as ahead:
            # The next ones are got ready while these run.
            ready = [ahead.submit(self._all_plain, part) for part in parts[:1]]
            for number, part in enumerate(parts):
                plain = ready.pop().result()
                ready += [ahead.submit(self._all_plain, following) for following in parts[number + 1 : number + 2]]
                share = Share(progress, number * _TOGETHER, len(part), len(every), text)
                yield from self._tables(plain, asked, share)

    def _all_plain(self, plans: Sequence[Plan]) -> list[dict[str, Any]]:
        return [self._plain(plan) for plan in plans]

    def _asked(self, tensors: Sequence[str] | None, samples: Sequence[int] | None) -> dict[str, Any]:
        numbers = [self._checked(number) for number in (range(self.samples) if samples is None else samples)]
        return {"names": None if tensors is None else list(tensors), "samples": numbers}

    def _tables(self, plans: Sequence[dict[str, Any]], asked: dict[str, Any], progress: Progress) -> list[Table]:
        answers = self._call("tables", asked | {"plans": plans}, progress)["tables"]
        return [table_of(answer, self.tensors, asked["names"], asked["samples"]) for answer in answers]

    def values(
        self, plan: Plan | None, tensors: Sequence[str], sample: int = 0, progress: Progress = SILENT
    ) -> dict[str, Array]:
        """Finds what the tensors hold under a plan; in float without one."""
        request = {
            "plan": None if plan is None else self._plain(plan),
            "names": list(dict.fromkeys(tensors)),
            "sample": self._checked(sample),
            # Others may ask meanwhile.
            "mark": next(self._marks),
        }
        files = {name: self._folder / file for name, file in self._call("values", request, progress)["files"].items()}
        try:
            found = {name: np.load(file, allow_pickle=False) for name, file in files.items()}
        except FileNotFoundError:  # it was closed since they were written
            self._stay_open()
            raise
        for file in files.values():
            file.unlink(missing_ok=True)
        return found

    def measured(
        self, plan: Plan, tensor: str, sample: int = 0, axis: int | None = None, progress: Progress = SILENT
    ) -> MeasuredPair:
        """Measures all that can be measured of one tensor, also channel by channel; `axis` is that of the channels."""
        golden, mine = (self.values(each, [tensor], sample, progress)[tensor] for each in (None, plan))
        return measure(golden, mine, axis=axis)

    def mean_errors(self, plan: Plan, tensor: str, axis: int, progress: Progress = SILENT) -> list[float]:
        """Measures by how much each channel of a tensor is off on average over all samples."""
        request = {"plan": self._plain(plan), "name": tensor, "axis": axis}
        found: list[float] = self._call("means", request, progress)["means"]
        return found

    def export(self, plan: Plan, target: Path, progress: Progress = SILENT) -> dict[str, str]:
        """Writes the QDQ model of the plan; gives the names of tensors that go by another one there."""
        request = {"plan": self._plain(plan), "target": str(target.absolute())}
        names: dict[str, str] = self._call("export", request, progress)["names"]
        return names

    def _checked(self, sample: int) -> int:
        if not 0 <= sample < self.samples:
            raise UsageError(f"There is no sample {sample + 1:,}.", f"There are {self.samples:,}.")
        return sample

    def _plain(self, plan: Plan) -> dict[str, Any]:
        ranges = {} if self.calibration is None else self.calibration.ranges
        if plan.fitted:
            ranges = fitted(self.graph, plan.types, ranges)
        assigned = self.assigned(plan)
        return plain_of(named(self.graph, assigned), ranges, shifts_under(self.graph, plan, assigned))

    def _call(self, command: str, request: dict[str, Any], progress: Progress) -> Any:
        heard = _Open(progress, self._stay_open)
        with self._turns.turn(partial(heard.step, 0, 0, TEXT)):
            self._stay_open()
            watch = Watch(heard, self._folder, TEXT)
            watch.reset()
            answer: Any = self._process.call(str(self._folder), command, request, progress=watch, timeout=TIMEOUT)
        if answer.get("cancelled"):
            raise Cancelled
        return answer

    def _stay_open(self) -> None:
        if self._is_closed:
            raise UsageError(ENDED, AGAIN)

    def _write_spec(self, model: Path, samples: Sequence[Mapping[str, Array]], budget: Budget) -> None:
        import msgspec

        files = []
        for number, sample in enumerate(samples):
            names = {name: f"sample-{number}-{place}.npy" for place, name in enumerate(sample)}
            for name, file in names.items():
                np.save(self._folder / file, sample[name], allow_pickle=False)
            files.append(names)
        spec = {
            "model": str(model.absolute()),
            "given": {} if self.calibration is None else plain_given(self.calibration.given),
            "samples": files,
            "memory": budget.memory,
            "disk": budget.disk,
            "segments": budget.segments,
            "run": budget.run,
            "threads": budget.threads if budget.threads > 0 else cores(),
        }
        (self._folder / SPEC).write_bytes(msgspec.msgpack.encode(spec))


@dataclass(frozen=True, slots=True)
class _Open:
    """Tells how far it is for as long as the engine is open."""

    progress: Progress
    check: Callable[[], None]

    def step(self, done: int, total: int, text: str) -> None:
        self.check()
        self.progress.step(done, total, text)


def _go_on() -> None:
    """Goes on: closing waits for the turn, however long."""
