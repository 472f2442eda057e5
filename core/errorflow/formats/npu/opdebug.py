"""Takes apart what the NPU writes when an operator overflows: the files `Opdebug.Node_OpDebug.…`.

The result is plain data with the keys and texts that the vendor's tool writes to its JSON files.
"""

from collections.abc import Mapping

from errorflow.base.errors import FormatError

PREFIX = "Opdebug.Node_OpDebug."
# An id that stands for none.
NO_ID = 65535

_MAGIC = 0x5A5A5A5A
_UNITS = ("AIC", "AIV", "AICPU", "SDMA")
_TASK = ("model_id", "stream_id", "task_id", "task_type", "context_id")
_CORE = (*_TASK, "thread_id", "pc_start", "para_base", "core_id", "block_id", "status")
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "AIC": _CORE,
    "AIV": _CORE,
    "AICPU": (*_TASK, "cpu_id", "thread_id", "status"),
    "SDMA": (*_TASK, "thread_id", "src_addr", "dst_addr", "channel_id", "status"),
}
_ADDRESSES = frozenset({"pc_start", "para_base", "src_addr", "dst_addr", "kernel_code"})
# From version 1 on, a core's status is as many numbers.
_WIDE_STATUS = 4
_HEAD = 24
# The old form: for each unit its task and its status, and where they begin.
_OLD_TASK = ("model_id", "stream_id", "task_id", "task_type", "pc_start", "para_base")
_OLD_BYTES = 2048
_OLD_UNITS = (
    ("DHA Atomic Add", 0, 512, ("status",)),
    ("L2 Atomic Add", 128, 768, ("status",)),
    ("AI Core", 256, 1024, ("kernel_code", "block_idx", "status")),
)


def parse_op_debug(data: bytes, name: str) -> dict[str, object]:
    """Parses what overflowed, from the bytes of an output of such a file; `name` is for the sentence where they are
    broken.
    """
    if _number(data, 0, 4, name) == _MAGIC:
        return _new(data, name)
    if len(data) != _OLD_BYTES:
        raise _broken(f"{name} has {len(data):,} bytes, and the old form of overflow information has {_OLD_BYTES:,}.")
    return {
        unit: _words(data, task, _OLD_TASK, name) | _words(data, status, fields, name)
        for unit, task, status, fields in _OLD_UNITS
    }


def _new(data: bytes, name: str) -> dict[str, object]:
    magic, version, valid, unit, rsv, length = (_number(data, at, 4, name) for at in range(0, _HEAD, 4))
    if unit >= len(_UNITS):
        raise _broken(f"{name} tells of an overflow in unit {unit}, which is not known.")
    kind = _UNITS[unit]
    found = _words(data, _HEAD, _FIELDS[kind], name)
    if version == 1 and _FIELDS[kind] is _CORE:
        start = _HEAD + 8 * (len(_CORE) - 1)
        found["status"] = [_number(data, start + 8 * at, 8, name) for at in range(_WIDE_STATUS)]
    account = {"valid": valid, "acc_type": kind, "rsv": rsv, "data_len": length, "data": found}
    return {"magic": hex(magic), "version": version, "acc_list": account}


def _words(data: bytes, start: int, fields: tuple[str, ...], name: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for at, field in enumerate(fields):
        value = _number(data, start + 8 * at, 8, name)
        found[field] = hex(value) if field in _ADDRESSES else value
    return found


def _number(data: bytes, at: int, size: int, name: str) -> int:
    if at + size > len(data):
        raise _broken(f"{name} ends within the overflow information.")
    return int.from_bytes(data[at : at + size], "little")


def _broken(text: str) -> FormatError:
    return FormatError(text, "Copy the file again, or dump the overflow once more.")
