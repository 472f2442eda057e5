"""Refusals of ONNX Runtime for a model or a run, as sentences that name the node. Runs in its process."""

import re
from collections.abc import Callable
from pathlib import Path

from errorflow.run.model import RefusedModelError, RunError

_REASON = 300
_CODE = re.compile(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ")
# Where in its own code it happened: a file, a line, and a function with its parameters.
_PLACE = re.compile(r"\S*\.(?:cc|h):\d+ .*?\) (?=\S)")
_LOST = re.compile(r"Failed to allocate memory for requested buffer of size (?P<bytes>\d+)")
_AGAIN = "Check the shapes of the inputs, and that the model runs elsewhere."
_ELSEWHERE = "Run it where they are known, save all tensors with numpy.savez and compare that."
_GB = 1e9


def refusal(path: Path, said: str) -> RunError:
    """`said`: the text of its exception; `path`: the model."""
    text = " ".join(_CODE.sub("", said).split())
    lost = _LOST.search(text)
    if lost:
        size = int(lost["bytes"]) / _GB
        return RunError(
            f"Running {path.name} on these inputs needs {size:.1f} GB for a single tensor, which is more memory than "
            "there is.",
            "Give smaller inputs.",
        )
    for pattern, tell in _KNOWN:
        found = pattern.search(text)
        if found:
            return tell(path, found)
    reason = _PLACE.sub("", text)
    return RunError(f"ONNX Runtime cannot run {path.name}: {reason[:_REASON].rstrip('. ')}.", _AGAIN)


def unknown_operator(name: str, node: str = "") -> RefusedModelError:
    """`node`: as users know it, where that is known."""
    where = f" (node {node})" if node else ""
    return RefusedModelError(
        f"The model has operators that ONNX Runtime does not know, such as {name}{where}.", _ELSEWHERE
    )


def _unregistered(path: Path, found: re.Match[str]) -> RunError:
    return unknown_operator(found["op"], _node_of(path, found["op"]))


def _not_in_this_version(_: Path, found: re.Match[str]) -> RunError:
    name = f"{found['op']} in version {found['version']}"
    return unknown_operator(name, found["node"] if found["node"] else found["made"])


def _wrong_type(path: Path, found: re.Match[str]) -> RunError:
    return RefusedModelError(
        f"ONNX Runtime cannot run {path.name}: its {found['op']} does not take {found['type']}, as {found['node']} has "
        f"it at the input {found['tensor']}.",
        "Export the model in float32, or run it elsewhere and compare what that leaves.",
    )


def _no_kernel(path: Path, found: re.Match[str]) -> RunError:
    return RefusedModelError(
        f"ONNX Runtime cannot run {path.name}: it has no {found['op']} for the types that {found['node']} has.",
        "Export the model in float32, or run it elsewhere and compare what that leaves.",
    )


def _failed(path: Path, found: re.Match[str]) -> RunError:
    who = f"{found['node']} ({found['op']})" if found["node"] else f"a node of the type {found['op']}"
    why = _PLACE.sub("", found["why"])[:_REASON].rstrip(". ")
    return RunError(f"ONNX Runtime cannot run {path.name}: {who} failed: {why}.", _AGAIN)


def _too_new(path: Path, found: re.Match[str]) -> RunError:
    return RefusedModelError(
        f"ONNX Runtime cannot run {path.name}: it does not know version {found['version']} of ONNX yet.",
        "Update ONNX Runtime, or export the model for an older version (opset).",
    )


_KNOWN: tuple[tuple[re.Pattern[str], Callable[[Path, re.Match[str]], RunError]], ...] = (
    (re.compile(r"(?P<op>[\w.]*:?\w+)\(-?\d+\) is not a registered function/op"), _unregistered),
    (
        re.compile(
            r'In Node, \("(?P<node>[^"]*)", (?P<op>\w+), .*?-> \("(?P<made>[^"]*)".*No Op registered for \w+ with '
            r"domain_version of (?P<version>\d+)"
        ),
        _not_in_this_version,
    ),
    (
        re.compile(
            r"Type '(?P<type>[^']*)' of input parameter \((?P<tensor>[^)]*)\) of operator \((?P<op>\w+)\) in node "
            r"\((?P<node>[^)]*)\) is invalid"
        ),
        _wrong_type,
    ),
    (
        re.compile(r"Could not find an implementation for (?P<op>\w+)\(\d+\) node with name '(?P<node>[^']*)'"),
        _no_kernel,
    ),
    (re.compile(r"while running (?P<op>\w+) node\. Name:'(?P<node>[^']*)' Status Message: (?P<why>.*)"), _failed),
    (re.compile(r"Opset (?P<version>\d+) is under development"), _too_new),
)


def _node_of(path: Path, operator: str) -> str:
    """The first node of that type, `domain:type`; "" where it cannot be found, or has bodies of others around it."""
    import onnx
    from google.protobuf.message import DecodeError

    domain, _, kind = operator.rpartition(":")
    try:
        nodes = onnx.load(path, load_external_data=False).graph.node
    except (OSError, ValueError, DecodeError):  # it was there when it was run
        return ""
    found = next((node for node in nodes if node.op_type == kind and node.domain in (domain, "")), None)
    if found is None:
        return ""
    return found.name if found.name else next(iter(found.output), "")
