"""Who brings how much of a planted error, found by making one at a time right: what verdicts are held against."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from amct_case import onnx_nets
from amct_case.board import Build, compiled
from amct_case.folders import COARSE, DRIFT, Ingredients, error_of
from amct_case.layers import Array
from amct_case.quantizing import Record, fake_quantized, records_of
from tools.npu_case.chip import Chip, Drift
from tools.npu_case.fusing import groups_of
from tools.npu_case.source import source_of

# What comes out in the end with this one made right; "": with none.
Last = Callable[[str], Array]


def _gains(names: Iterable[str], last: Last, golden: Array) -> dict[str, float]:
    """By name, which part of the error power at the end goes away with it."""
    whole = error_of(last(""), golden) ** 2
    return {name: 1 - error_of(last(name), golden) ** 2 / whole for name in names}


def others(given: Ingredients) -> Mapping[str, float]:
    """Of a fault: what layers without one would gain in float."""
    records, plant = given.records(), given.plant
    assert plant is not None

    def last(name: str) -> Array:
        rest: Mapping[str, Record] = {each: record for each, record in records.items() if each != name}
        if plant.stage == "board":
            return given.build(fused=False, records=rest)[-1].output
        return fake_quantized(given.net, rest)["prob"]

    return _gains([name for name in records if name != plant.place], last, given.net.values["prob"])


def coarse(given: Ingredients) -> Mapping[str, float]:
    """Of few bits everywhere: what layers would gain by eight."""
    fine, few = records_of(given.net), records_of(given.net, levels=COARSE)

    def last(name: str) -> Array:
        mixed = {each: fine[each] if each == name else record for each, record in few.items()}
        return fake_quantized(given.net, mixed)["prob"]

    return _gains(few, last, given.net.values["prob"])


def float_board(given: Ingredients) -> Mapping[str, float]:
    return _noise(given, given.asked(fused=True))


def quantized_off(given: Ingredients) -> Mapping[str, float]:
    return _noise(given, given.asked(fused=False, records=given.records()))


def quantized_on(given: Ingredients) -> Mapping[str, float]:
    return _noise(given, given.asked(fused=True, records=given.records()))


def _noise(given: Ingredients, build: Build) -> Mapping[str, float]:
    """What operators would gain by being right."""
    names = [op.name for op in compiled(given.net, build)]
    golden = compiled(given.net, replace(build, drift=0.0))[-1].output
    return _gains(names, lambda name: compiled(given.net, replace(build, exempt=name))[-1].output, golden)


@dataclass(eq=False)
class _Sparing(Chip):
    """Adds no noise to what is made as number `spared`."""

    spared: str = ""
    made: int = 0

    def drifted(self, array: Array) -> Array:
        noisy = super().drifted(array)
        self.made += 1
        return array if self.spared == str(self.made) else noisy


def float_onnx(given: Ingredients) -> Mapping[str, float]:
    source = source_of(onnx_nets.float_net(given.net), {"data": given.net.image})
    groups = groups_of(source)

    def last(name: str) -> Array:
        chip = _Sparing(source, drift=Drift(outputs=DRIFT), seed=given.seed, spared=name)
        return chip.run(groups)["prob"]

    return _gains([str(number + 1) for number in range(len(groups))], last, source.values["prob"])
