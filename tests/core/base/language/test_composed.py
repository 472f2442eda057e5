"""What the code puts together from phrases, and what parsers of others say of a broken file, in real Chinese."""

import re
from collections.abc import Iterator

import pytest

from errorflow.base.language import ENGLISH, translated, use

_WORDS = re.compile(r"(?<![\w/.$-])[A-Za-z]{3,}(?![\w/.])")
# Formats and types of operators.
_NAMES = frozenset(("ATC", "Conv", "JSON", "ONNX", "Relu", "SQNR", "int", "null", "str", "None"))


@pytest.fixture(scope="module", autouse=True)
def chinese() -> Iterator[None]:
    use("zh_CN")
    yield
    use(ENGLISH.key)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("72 inserted", "插入 72 个"),
        ("1,204 removed", "移除 1,204 个"),
        ("precision float32 → uint8", "精度 float32 → uint8"),
        ("31 nodes, 30 drawn", "31 个节点，已绘制 30 个"),
        ("int8, weights int8 symmetric, per channel", "int8，权重 int8 对称，按通道"),
        ("impact · Relative error 4.24e−05", "影响 · 相对误差 4.24e−05"),
        ("16 channels along axis 1", "沿轴 1 有 16 个通道"),
        (
            "Frees 2 tensors: /a/Relu_output_0 and /b/Conv_output_0; 1 weight.",
            "2 个张量恢复为浮点：/a/Relu_output_0 和 /b/Conv_output_0；1 个权重。",
        ),
        ("Any two runs. Complete. Chosen.", "任意两次运行。齐全。已选择。"),
        ("drag over a part, turn the wheel, + and -", "框选一部分、滚动滚轮、+ 和 -"),
        (
            "a.json is not laid out as ATC prints a model: Expected `int | null`, got `str` - at `$.graph[0].op[2]`.",
            "a.json 的结构与 ATC 打印的模型不符：应为 `int | null`，实际为 `str`，位于 `$.graph[0].op[2]`。",
        ),
    ],
)
def test_it_reads_as_one_sentence(text: str, said: str) -> None:
    assert translated(text, label=True) == said


@pytest.mark.parametrize(
    "text",
    [
        "Conv: /a/Conv, Conv, gives /a/Conv_output_0  float32 1×12×4×4, accumulated · Relative error 1.0115",
        "On 4 samples, single groups add up to 23.71 dB, and measured is 20.19 dB: "
        "nodes make each other worse, so that no single one explains it.",
        "Loudest: 15 (6,000), 11 (15.70). Quietest: 4 (1.019), 5 (1.248). 1 of 16 channels is zero.",
        "None of the reference is beyond the grid. None of the candidate is on its rails.",
        "Plan before: Impact · Relative error at /a/Conv_output_0",
        "a.json is broken in the operator at byte 4,115: JSON is malformed: expected ',' or '}' (byte 679).",
        "a.json is a broken ONNX model as JSON. It cannot be parsed: Failed to load JSON: "
        "Expecting value: line 109 column 14 (char 2250).",
        "a.txt is a broken ONNX text. It cannot be parsed: line: 10 column: 7: Incomplete string literal.",
    ],
)
def test_nothing_english_is_left(text: str) -> None:
    assert set(_WORDS.findall(translated(text, label=True))) - _NAMES == set()
