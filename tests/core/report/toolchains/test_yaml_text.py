"""Settings in YAML, by the library that the toolchains use as well."""

from contextlib import suppress
from time import process_time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import FormatError
from errorflow.report.toolchains.yaml_text import read_yaml, yaml_of

NAMES = st.dictionaries(
    st.text(), st.text() | st.lists(st.text(), max_size=3) | st.dictionaries(st.text(), st.text()), max_size=5
)
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


@given(NAMES, st.booleans())
def test_what_is_written_is_read_by_us_and_by_the_library(values: dict[str, object], in_rows: bool) -> None:
    text = yaml_of({"top": values, "last": 1}, in_rows)
    assert read_yaml(text, "x.yaml") == yaml.safe_load(text) == {"top": values, "last": 1}


def test_rows_are_lines() -> None:
    written = yaml_of({"top": {"/a": {"ON": "CPU"}, "/b": {"ON": "BPU"}}}, in_rows=True)
    assert written == "top:\n  /a: {'ON': CPU}\n  /b: {'ON': BPU}\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("yes", True),
        ("0x10", 16),
        ("1e3", "1e3"),
        ("1.0e+3", 1000.0),
        ("1:30", 90),
        ("'1'", "1"),
    ],
)
def test_a_value_is_what_the_toolchain_finds(text: str, value: object) -> None:
    assert read_yaml(f"a: {text}", "x.yaml") == yaml.safe_load(f"a: {text}") == {"a": value}


def test_a_key_is_what_is_written() -> None:
    assert read_yaml("{ON: CPU, 1: one, 2020-01-01: day}", "x.yaml") == {"ON": "CPU", "1": "one", "2020-01-01": "day"}


def test_days_are_words_and_a_number_without_end_as_well() -> None:
    digits = ":".join(["1"] * 400_000)
    start = process_time()
    assert read_yaml(f"a: 2020-99-99\nb: {digits}\nc: {'9' * 5000}", "x.yaml")["a"] == "2020-99-99"
    assert process_time() - start < 10


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x",
        "a: !!python/object:os.system 1",
        "a: !!int x",
        "{[1]: 2}",
        "a: 0b_",
        "a: \x07",
        "a\n---\nb",
        "a: 'b",
    ],
)
def test_what_a_setting_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"x\.yaml"):
        read_yaml(text, "x.yaml")


def test_few_lines_that_stand_for_millions_of_values_are_refused() -> None:
    lines = ["a0: &a0 [1]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))]
    with pytest.raises(FormatError, match="Line 2 of"):
        read_yaml("\n".join(lines), "x.yaml")


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
