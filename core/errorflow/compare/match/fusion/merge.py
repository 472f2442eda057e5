"""Tables of two files in one: with AMCT's quantization information, or with the model compiled without fusion."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from errorflow.compare.match.fusion.table import FusionTable, Key, Operator, Output


def with_quantization(offline: FusionTable, quantized: FusionTable) -> FusionTable:
    """`offline` with the quantized model's layers replaced by the original ones; both tables are used up."""
    groups: dict[Key, list[Operator]] = {}
    for operator in [operator for group in offline.groups.values() for operator in group]:
        originals = list(dict.fromkeys(_original_names(operator.originals, quantized)))
        if originals:
            operator.originals = originals
        outputs = list(_original_outputs(operator.outputs, quantized))
        if outputs:
            operator.outputs = outputs
        key = offline.regroup(operator.name, "", operator.originals)
        group = groups.setdefault(key, [])
        operator.index = group[0].index if group else len(groups) - 1
        group.append(operator)
    return replace(offline, groups=groups, merged="quantization")


def _layer(name: str, quantized: FusionTable) -> Sequence[Operator]:
    key = quantized.group_of.get(name)
    return () if key is None else quantized.groups[key]


def _original_names(layers: Iterable[str], quantized: FusionTable) -> Iterator[str]:
    for layer in layers:
        for operator in _layer(layer, quantized):
            yield from operator.originals


def _original_outputs(outputs: Iterable[Output], quantized: FusionTable) -> Iterator[Output]:
    for output in outputs:
        layer = _layer(output.origin, quantized) if output.origin else ()
        for found in _outputs(output, layer):
            # Outputs of the original model that several operators stand for get the layout of the last of them, as
            # msaccucmp has it.
            if output.layout:
                found.layout, found.shape = output.layout, output.shape
            yield found


def _outputs(output: Output, layer: Sequence[Operator]) -> Iterator[Output]:
    for operator in layer:
        if output.index is None:
            yield from operator.outputs
        elif operator.name == output.origin:
            inside = output.index < len(operator.outputs)
            yield operator.outputs[output.index] if inside else Output()


def with_closed_fusion(opened: FusionTable, closed: FusionTable) -> FusionTable:
    """`opened` with original names replaced by operators of the model without fusion; both are used up.

    Of operators that start with the same original name, and of those that lead to the same operator without fusion,
    only the last one is kept: msaccucmp does so.
    """
    names = {original: operator.name for operator in closed.operators for original in operator.originals}
    merged = FusionTable(network_outputs=opened.network_outputs, merged="closed-fusion")
    seen: set[Key] = set()
    taken = _Taken(names)
    kept: list[Operator] = []
    for name, key in reversed(list(opened.group_of.items())):
        if key in seen:
            continue
        seen.add(key)
        merged.group_of[name] = key
        for operator in filter(taken.is_new, opened.groups[key]):
            operator.originals = _closed_names(operator.originals, names)
            for output in operator.outputs:
                _close(output, names, closed)
            merged.groups.setdefault(key, []).append(operator)
            kept.append(operator)
    merged.operators = kept[::-1]
    return merged


class _Taken:
    """Which first original names, and which operators without fusion, somebody stands for already."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._opened: set[str] = set()
        self._closed: set[str] = set()

    def is_new(self, operator: Operator) -> bool:
        first = operator.originals[0]
        if first in self._opened:
            return False
        self._opened.add(first)
        closed = self._names.get(first)
        if closed is None:
            return True
        if closed in self._closed:
            return False
        self._closed.add(closed)
        return True


def _closed_names(originals: Sequence[str], names: Mapping[str, str]) -> list[str]:
    if list(originals) == [""]:
        return [""]
    return list(dict.fromkeys(names[original] for original in originals if original in names))


def _close(output: Output, names: Mapping[str, str], closed: FusionTable) -> None:
    name = names.get(output.origin) if output.origin else None
    if name is None:
        return
    for operator in closed.groups[closed.group_of[name]]:
        for index, other in enumerate(operator.outputs):
            if (other.origin, other.index) == (output.origin, output.index):
                output.origin, output.index = name, index
                return
    output.origin = name
