"""Turns the text forms of ONNX into a binary ModelProto, with the parsers of onnx and protobuf.

They recurse, take long and ask nobody whether to go on: large texts are parsed in a process of their own.
"""

from errorflow.base.errors import FormatError

# Limit of protobuf's own parsers, too.
MAX_DEPTH = 100
MAX_REASON = 300
HINT = "Mend the text or export it again; the binary form of the model can be opened as well."


def parse_onnx_text(data: bytes) -> bytes:
    """From ONNX's own syntax."""
    from onnx.onnx_cpp2py_export import parser

    text = _text(data)
    try:
        good, reason, model = parser.parse_model(text)
    except (
        RuntimeError,
        ValueError,
        IndexError,
        OverflowError,
    ) as error:  # C++ exceptions that the parser lets through
        raise _broken(str(error)) from error
    if not good:
        lines = [line.strip() for line in reason.decode("utf-8", "replace").splitlines() if line.strip()]
        position = lines[0].partition("(")[2].rstrip(")]") if lines else ""
        raise _broken(f"{position}: {lines[-1] if lines else 'it cannot be parsed'}")
    return model


def parse_protobuf_text(data: bytes) -> bytes:
    """From protobuf's text format."""
    from google.protobuf import text_format
    from onnx import ModelProto

    model = ModelProto()
    try:
        text_format.Parse(_text(data), model, allow_unknown_field=True)
    except (text_format.ParseError, ValueError, TypeError) as error:
        raise _broken(str(error)) from error
    binary: bytes = model.SerializeToString()
    return binary


def parse_json(data: bytes) -> bytes:
    """From protobuf's JSON."""
    from google.protobuf import json_format
    from onnx import ModelProto

    model = ModelProto()
    try:
        json_format.Parse(_text(data), model, ignore_unknown_fields=True, max_recursion_depth=MAX_DEPTH)
    except (json_format.ParseError, ValueError, TypeError) as error:
        raise _broken(str(error)) from error
    binary: bytes = model.SerializeToString()
    return binary


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"It is no UTF-8 text: byte {error.start:,} is {data[error.start]:#04x}.", HINT) from error


def _broken(reason: str) -> FormatError:
    line = " ".join(reason.split())
    return FormatError(f"It cannot be parsed: {line[:MAX_REASON].rstrip('.')}.", HINT)
