"""As much YAML as conversion settings have."""

import json
import re
from contextlib import suppress
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import FormatError
from errorflow.report.toolchains.yaml_text import _Reader, _unquoted, quoted, read_yaml

SETTING = """\
# a comment
model_parameters:
  onnx_model: './yolo.onnx'   # where it is
  march: "bayes-e"
  layer_out_dump: False
  node_info: {"/attn/Softmax": {'ON': 'BPU','InputType': 'int16','OutputType': 'int16'},
              "/attn.1/Softmax": {'ON': 'CPU'}}
  scale_value: 0.0039
input_parameters:
  shapes:
  - 1
  - name: x
    size: [1, 3, 640, 640]
  - other
  empty:
  text: one two; three
"""


def test_a_setting_is_read() -> None:
    found = read_yaml(SETTING, "x.yaml")
    assert found["model_parameters"] == {
        "onnx_model": "./yolo.onnx",
        "march": "bayes-e",
        "layer_out_dump": False,
        "node_info": {
            "/attn/Softmax": {"ON": "BPU", "InputType": "int16", "OutputType": "int16"},
            "/attn.1/Softmax": {"ON": "CPU"},
        },
        "scale_value": 0.0039,
    }
    assert found["input_parameters"] == {
        "shapes": [1.0, {"name": "x", "size": [1.0, 3.0, 640.0, 640.0]}, "other"],
        "empty": None,
        "text": "one two; three",
    }


def test_it_agrees_with_the_library() -> None:
    yaml = pytest.importorskip("yaml")
    assert read_yaml(SETTING, "x.yaml") == yaml.safe_load(SETTING)


@given(st.dictionaries(st.text(min_size=1), st.text() | st.lists(st.text(), max_size=3), max_size=5))
def test_what_is_quoted_comes_back(values: dict[str, str | list[str]]) -> None:
    lines = [f"  {quoted(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    found = read_yaml("\n".join(["top:", *lines, "last: 1"]), "x.yaml")
    assert found["top"] == (values if values else None)
    assert found["last"] == 1


@given(st.text(alphabet="ab:- \n{}[],'\"#&*|>1\t\\", max_size=60))
def test_whatever_stands_there_is_read_or_refused(text: str) -> None:
    try:
        read_yaml(text, "x.yaml")
    except FormatError as error:
        assert "x.yaml" in error.message


@pytest.mark.parametrize(
    "text", ["{" * 10_000, "[" * 10_000, "- " * 10_000, "a:\n" + "\n".join(" " * n + "a:" for n in range(1, 99))]
)
def test_what_is_nested_deeply_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        read_yaml(text, "x.yaml")


@pytest.mark.parametrize("line", ["a: b{}{{", "a: [b{}[", "{}b{}{{", "- x{}: : {{", "- a{}|"], ids=range(5))
def test_a_line_takes_no_more_time_than_its_length(line: str) -> None:
    """With twice as many blanks it took four times as long: 16 MiB would have been days."""
    start = process_time()
    with suppress(FormatError):
        read_yaml(line.replace("{{", "\0").replace("{}", "a" + " " * 400_000).replace("\0", "{"), "x.yaml")
    assert process_time() - start < 10


@given(st.text(alphabet="ab:#,[]{}\n '\"-", max_size=30))
def test_plain_words_end_where_they_did(text: str) -> None:
    """As the one pattern says it that was quick to read and slow to run."""
    slow = re.compile(r"[^,\[\]{}\n]*?(?=\s*(?:[,\]}\n]|:\s|:$|$|\s#))").match(text)
    reader = _Reader(text, "x.yaml")
    is_broken = slow is None or (not slow[0] and text[:1] not in ("", "\n", ",", "}", "]"))
    if text[:1] in ("'", '"'):
        return
    if is_broken:
        with pytest.raises(FormatError):
            reader._scalar()
    else:
        assert slow is not None
        assert reader._scalar() == _unquoted(slow[0])
        assert reader._at == slow.end()
