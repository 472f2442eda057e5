"""No sentence of the engine sends a user of the window to the command line."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import errorflow
from errorflow.base.errors import UsageError
from errorflow_viewer.kit.banner import notice_of
from errorflow_viewer.kit.wording import in_window

ROOT = Path(errorflow.__file__).parent
FILES = (
    *("quant/**/*.py", "report/toolchains/**/*.py", "run/**/*.py", "study/**/*.py"),
    *("vendors/*/toolchains.py", "vendors/*/toolchains/**/*.py"),
)
# Options of the vendors' own tools, and what a file says of itself.
THEIRS = ("pulsar2 build --config", "--quantize_table", "model.onnx quantized.onnx --data DIR", "--precision_mode")
# Pieces that are put together to a call of the command line, or to sentences that are looked at whole.
PIECES = ("study/simulate/call.py", "vendors/onnxruntime/toolchains/quantizer.py", "run/samples/sizes.py:--dim X=X")


def sentences() -> Iterator[tuple[str, str]]:
    """All that is no documentation, with where it stands; `X` for what is filled in."""
    for pattern in FILES:
        for path in sorted(ROOT.glob(pattern)):
            tree = ast.parse(path.read_text("utf-8"))
            seen: set[int] = set()
            for node in ast.walk(tree):
                text = None if id(node) in seen else _text(node)
                if text is not None:
                    seen.update(id(inner) for inner in ast.walk(node))
                    yield path.relative_to(ROOT).as_posix(), text
                elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                    seen.update(id(inner) for inner in ast.walk(node.body[0]))


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(value.value) if isinstance(value, ast.Constant) else "X" for value in node.values)
    return None


NAMING = [
    (place, text)
    for place, text in sentences()
    if " " in text.strip() and re.search(r"--[a-z]|`errorflow ", text) and place not in PIECES
    if f"{place}:{text}" not in PIECES
]


def test_there_are_such_sentences() -> None:
    assert len(NAMING) > 40


@pytest.mark.parametrize(("place", "text"), NAMING)
def test_a_sentence_names_what_is_in_the_window(place: str, text: str) -> None:
    said = in_window(text)
    for theirs in THEIRS:
        said = said.replace(theirs, "")
    assert not re.search(r"--[a-z]|`errorflow ", said), f"{place}: {said}"
    assert not text.endswith(".") or said.strip().endswith(".")


def test_a_message_of_an_error_is_worded_for_the_window() -> None:
    notice = notice_of(UsageError("Nothing that is asked for is quantized.", "Ask, or without --only for all."), "rank")
    assert notice.hint == "Ask, or for all."


def test_what_names_no_option_stays() -> None:
    assert in_window("Close other programs -- or wait.") == "Close other programs -- or wait."
