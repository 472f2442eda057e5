"""Protobuf's text format: what it may look like, and that everything else is a sentence."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorflow.base.errors import FormatError
from errorflow.base.progress import Cancelled
from errorflow.formats.prototext import MAX_DEPTH, TextMessage, Word, parse, unescaped


def fields(text: str) -> list[tuple[str, object]]:
    return [(name, plain(value)) for name, value in parse(text, "net.prototxt").fields]


def plain(value: object) -> object:
    return [(name, plain(inner)) for name, inner in value.fields] if isinstance(value, TextMessage) else value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-1", -1),
        ("- 1", -1),
        ("0", 0),
        ("0x1F", 31),
        ("-0X1f", -31),
        ("017", 15),
        ("09.5", 9.5),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e-3", 0.001),
        ("1.5E+2f", 150.0),
        ("2f", 2.0),
        ("inf", float("inf")),
        ("-inf", float("-inf")),
        ("Infinity", float("inf")),
        ("true", True),
        ("false", False),
        ("CONVOLUTION", "CONVOLUTION"),
        ('"a b"', "a b"),
        ("'a \"b\"'", 'a "b"'),
        ('"a" "b"', "ab"),
        ("'a'\n# between\n\"b\"", "ab"),
        (r'"\n\t\\\"\'"', "\n\t\\\"'"),
        (r'"\101\x42\345\215\267"', "AB卷"),
        (r'"\u5377\U0001F600"', "卷😀"),
        (r'"C:\q"', r"C:\q"),
        ('"卷积"', "卷积"),
        ('""', ""),
    ],
)
def test_values(text: str, value: object) -> None:
    assert fields(f"a: {text}") == [("a", value)]


def test_a_bare_nan_is_one() -> None:
    ((_, value),) = fields("a: nan")

    assert value != value


def test_a_bare_word_is_told_from_a_string() -> None:
    values = [value for _, value in parse("a: MAX b: 'MAX'", "x").fields]

    assert [isinstance(value, Word) for value in values] == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "m { a: 1 b: 2 }",
        "m: { a: 1 b: 2 }",
        "m < a: 1 b: 2 >",
        "m: <a: 1, b: 2>",
        "m { a: 1; b: 2; };",
        "m{a:1 b:2}",
        "m {\n  a: 1 # one\n  b: 2\n}\n# end",
        "m { a: [1] b: [2] }",
    ],
)
def test_messages(text: str) -> None:
    assert fields(text) == [("m", [("a", 1), ("b", 2)])]


@pytest.mark.parametrize(
    ("text", "values"),
    [("a: [1, 2]", [1, 2]), ("a: []", []), ("a [{b: 1}, <b: 2>]", [[("b", 1)], [("b", 2)]]), ("a: ['x' 'y']", ["xy"])],
)
def test_lists_stand_for_repeated_fields(text: str, values: list[object]) -> None:
    assert [value for _, value in fields(text)] == values


@pytest.mark.parametrize("text", ["[a.b]: 1", "[a . b] : 1"])
def test_extensions_keep_their_brackets(text: str) -> None:
    assert fields(text) == [("[a.b]", 1)]


@pytest.mark.parametrize("text", ["", " \n", "# nothing\n"])
def test_nothing_is_an_empty_message(text: str) -> None:
    assert fields(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a", "line 1: 'a' has no value"),
        ("a:", "line 1: the file ends before a value: it was cut off"),
        ("a: 1\nm {", "line 2: the file ends before a '}': it was cut off"),
        ("m < a: 1 }", "line 1: a field's name was expected, not }"),
        ("m { a: 1 >", "line 1: a field's name was expected, not >"),
        ("}", "line 1: a field's name was expected"),
        ("\n\n1: 2", "line 3: a field's name was expected, not 1"),
        ("a: }", "line 1: a value was expected, not }"),
        ("a: -'x'", "line 1: a value was expected, not -"),
        ("a: -TEST", "line 1: a number was expected, not -TEST"),
        ("a: [1, 2", "line 1: a list is not closed"),
        ("a: [1 2]", "line 1: a list is not closed"),
        ("a: [1,", "line 1: the file ends before a value"),
        ("[a.b: 1", "line 1: the name of an extension is not closed"),
        ("a: 'b", "line 1: there is something that the format does not know"),
        ("a: 'b\n'", "line 1: there is something that the format does not know"),
        ("a: 1x", "line 1: there is something that the format does not know"),
        ("a: 0x", "line 1: there is something that the format does not know"),
        ("a = 1", "line 1: there is something that the format does not know"),
        ("a: \0", "line 1: there is something that the format does not know"),
        (", a: 1", "line 1: a field's name was expected"),
        ("a: " + "9" * 5000, "line 1: a number has too many digits"),
    ],
)
def test_broken_text_is_a_sentence_with_its_line(text: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse(text, "net.prototxt")
    assert said in caught.value.message
    assert caught.value.message.startswith("net.prototxt is broken in line")


@pytest.mark.parametrize("opening", ["m {", "m: <", "m [{"])
def test_deep_nesting_is_refused_before_it_hurts(opening: str) -> None:
    with pytest.raises(FormatError, match=f"deeper than {MAX_DEPTH}"):
        parse(opening * 100_000, "net.prototxt")


def test_allowed_nesting_is_read() -> None:
    assert fields("m {" * MAX_DEPTH + "}" * MAX_DEPTH)


def test_a_cancel_strikes_while_parsing() -> None:
    class Impatient:
        def step(self, *_: object, **__: object) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        parse("a: 1 " * 10_000, "net.prototxt", Impatient())


# ---------------------------------------------------------------------------------------- against protobuf's own parser


@cache
def _class() -> Any:
    """A message with one repeated field of each kind, itself among them."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="any.proto", package="test", syntax="proto2")
    made = file.message_type.add(name="Any")
    kinds = {"text": 9, "data": 12, "number": 3, "real": 1, "flag": 8}
    for number, (name, kind) in enumerate(kinds.items(), start=1):
        made.field.add(name=name, number=number, label=3, type=kind)
    made.field.add(name="inner", number=9, label=3, type=11, type_name=".test.Any")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("test.Any"))


Content = dict[str, list[Any]]
contents: st.SearchStrategy[Content] = st.deferred(
    lambda: st.fixed_dictionaries(
        {},
        optional={
            "text": st.lists(st.text(max_size=10), min_size=1, max_size=3),
            "data": st.lists(st.text(max_size=10).map(str.encode), min_size=1, max_size=2),
            "number": st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=3),
            "real": st.lists(st.floats(allow_nan=False), min_size=1, max_size=3),
            "flag": st.lists(st.booleans(), min_size=1, max_size=2),
            "inner": st.lists(contents, min_size=1, max_size=2),
        },
    )
)


def _filled(content: Content, made: Any) -> Any:
    for name, values in content.items():
        for value in values:
            if name == "inner":
                _filled(value, made.inner.add())
            else:
                getattr(made, name).append(value)
    return made


def _expected(content: Content) -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for name in ("text", "data", "number", "real", "flag", "inner"):
        for value in content.get(name, []):
            rows.append((name, _expected(value) if name == "inner" else value.decode() if name == "data" else value))
    return rows


@settings(max_examples=150, deadline=None)
@given(content=contents, one_line=st.booleans(), utf8=st.booleans(), short=st.booleans())
def test_what_protobuf_prints_is_read_back(content: Content, one_line: bool, utf8: bool, short: bool) -> None:
    from google.protobuf import text_format

    text = text_format.MessageToString(
        _filled(content, _class()()), as_one_line=one_line, as_utf8=utf8, use_short_repeated_primitives=short
    )

    assert fields(text) == _expected(content)


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.sampled_from("ab1.-:{}<>[],;#'\"\\ \n0xe"), max_size=60))
def test_any_text_is_a_message_or_a_sentence(text: str) -> None:
    try:
        made = parse(text, "net.prototxt")
    except FormatError as error:
        assert error.message.startswith("net.prototxt is broken in line")
    else:
        assert isinstance(made, TextMessage)


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=20))
def test_escapes_mean_what_protobuf_says(data: bytes) -> None:
    from google.protobuf import text_encoding

    escaped = text_encoding.CEscape(data, as_utf8=False)

    assert unescaped(escaped) == data.decode(errors="backslashreplace")
