"""Files that people open by mistake, each answered by name. To add one: a row here or in the `formats` of a vendor, and
a sample in the test.

They are asked after all real formats, from the most certain mark to the least.
"""

import re
from collections.abc import Callable

from errorflow.base.files import Source
from errorflow.base.vendor import Rows
from errorflow.formats.format import WrongFile
from errorflow.formats.protobuf import ProtobufField, fields
from errorflow.formats.wire import BYTES, VARINT

Claims = Callable[[Source], bool]
# Ranks behind the marks that a file begins with: fields of its messages, keys that only such files have, any JSON,
# words somewhere in a log, any text.
SHAPES, KEYS, ANY_JSON, WORDS, ANY_TEXT = range(1, 6)

EXPORT = "Open the model it was made from, or export it to ONNX first (torch.onnx.export, tf2onnx, paddle2onnx)."
UNPACK = "Unpack it and open the model inside."
GRAPH_ELSEWHERE = "It holds weights only; open the file that describes the network."
RESULTS = "It holds results, not a network: print them by `errorflow results`, or open the model that they belong to."
AS_DATA = "It belongs to a run, not to a model: open the model first, then compare."
DOWNLOAD = "Download it again with the site's own download button or tool."


def starts(*marks: bytes, at: int = 0) -> Claims:
    return lambda source: any(source.head[at : at + len(mark)] == mark for mark in marks)


def text(pattern: str) -> Claims:
    """Searches the first bytes of a text file; `^` is a line's beginning."""
    compiled = re.compile(pattern.encode(), re.MULTILINE | re.IGNORECASE)
    return lambda source: b"\0" not in source.head and compiled.search(source.head[:8192]) is not None


def json_key(*names: str) -> Claims:
    keys = re.compile(("(?:" + "|".join(f'"{re.escape(name)}"' for name in names) + r")\s*:").encode())
    return lambda source: source.head.lstrip()[:1] in (b"{", b"[") and keys.search(source.head) is not None


def _empty(source: Source) -> bool:
    return source.size == 0


def _zeros(source: Source) -> bool:
    return source.size > 0 and not source.head.strip(b"\0")


def _zip_with(*names: bytes) -> Claims:
    return lambda source: source.head[:4] == b"PK\x03\x04" and any(name in source.head for name in names)


def _message(*kinds: set[tuple[int, int]]) -> Claims:
    """A protobuf message whose outermost fields hold one of these sets of (number, wire type)."""

    def claims(source: Source) -> bool:
        found = fields(source)
        if not found:
            return False
        seen = {(field.number, field.wire) for field in found}
        return any(kind <= seen for kind in kinds)

    return claims


def _caffemodel(source: Source) -> bool:
    found = fields(source)
    if not found:
        return False
    layers = [field for field in found if field.number in (2, 100) and field.wire == BYTES]
    return found[0].number in (1, 2, 3, 100) and found[0].wire == BYTES and any(_named(source, f) for f in layers[:3])


def _graph_def(source: Source) -> bool:
    found = fields(source)
    if not found:
        return False
    return found[0].number == 1 and found[0].wire == BYTES and _named(source, found[0], also=2)


def _named(source: Source, field: ProtobufField, also: int = 0) -> bool:
    """Whether a sub-message begins with a readable name (and, for a TensorFlow node, an operator in field 2)."""
    if field.start + field.size > source.size:
        return False
    inner = fields(source, field.start, field.start + field.size, limit=8)
    if not inner or inner[0].number not in (1, 4) or inner[0].wire != BYTES or inner[0].size > 4096:
        return False
    text = source.read(inner[0].start, min(inner[0].size, source.size - inner[0].start))
    return (
        text.isascii() and text.decode("ascii").isprintable() and (not also or any(f.number == also for f in inner[1:]))
    )


def _tensor_proto(source: Source) -> bool:
    """ONNX TensorProto: dims (1) and data type (2) as numbers, data in 4 to 10."""
    found = fields(source)
    if not found:
        return False
    seen = {(field.number, field.wire) for field in found}
    return (
        (2, VARINT) in seen
        and any(n in seen for n in [(k, BYTES) for k in (4, 5, 7, 9, 10)])
        and (7, BYTES) not in seen
    )


def _safetensors(source: Source) -> bool:
    return source.head[8:10] == b'{"' and int.from_bytes(source.head[:8], "little") < source.size


_OWN: tuple[WrongFile, ...] = (
    WrongFile("an empty file", _empty, "The download or export did not finish; fetch or write it again."),
    WrongFile(
        "a Git LFS pointer, not the file itself",
        starts(b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/"),
        "Run `git lfs pull` in its repository to fetch the real file.",
    ),
    WrongFile("filled with zeros only", _zeros, "The download or copy did not finish; fetch it again."),
    WrongFile(
        "a text in UTF-16",
        starts(b"\xff\xfe", b"\xfe\xff"),
        "Save it as UTF-8: on Windows, `>` in PowerShell and “Unicode” in Notepad write UTF-16.",
    ),
    WrongFile(
        "a web page", text(r"\A\s*(<!doctype html|<html)"), "A download saved the page instead of the file. " + DOWNLOAD
    ),
    WrongFile("an error answer of a web server", text(r"\A\s*<\?xml[^>]*>\s*<Error>"), DOWNLOAD),
    WrongFile(
        "a ticket bundle of Errorflow",
        starts(b"errorflow-bundle.txt", at=30),
        "It holds a whole case: open it in the window, or list what is in it by `errorflow session`.",
    ),
    WrongFile(
        "a session of Errorflow",
        json_key("errorflow-session"),
        "Say what it holds by `errorflow session`, or open it in the window.",
    ),
    WrongFile(
        "a PyTorch file (weights or a pickled module)",
        _zip_with(b"/data.pkl", b"/byteorder", b"/constants.pkl"),
        EXPORT,
    ),
    WrongFile("a Keras model", _zip_with(b"metadata.json", b"model.weights.h5"), EXPORT),
    WrongFile(
        "a pickle, as PyTorch and Python write it", starts(b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"), EXPORT
    ),
    WrongFile("an HDF5 file (Keras weights or a PyTorch dump)", starts(b"\x89HDF\r\n\x1a\n"), EXPORT),
    WrongFile("a safetensors file", _safetensors, GRAPH_ELSEWHERE + " " + EXPORT),
    WrongFile("a GGUF file (llama.cpp weights)", starts(b"GGUF"), GRAPH_ELSEWHERE + " " + EXPORT),
    WrongFile("a TensorFlow Lite model", starts(b"TFL3", at=4), EXPORT),
    WrongFile("an ORT-format model of ONNX Runtime", starts(b"ORTM", at=4), "Open the .onnx file it was made from."),
    WrongFile("a TensorRT engine", starts(b"ftrt", b"ptrt"), "Open the ONNX model that it was built from."),
    WrongFile("an MNN, ncnn or OpenVINO network", text(r"\A(7767517|<\?xml[^>]*>\s*<net )"), EXPORT),
    WrongFile("a program or shared library", starts(b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe"), "Choose a model file."),
    WrongFile(
        "a picture", starts(b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*"), "Choose a model file."
    ),
    WrongFile("a PDF document", starts(b"%PDF"), "Choose a model file."),
    WrongFile(
        "a packed archive",
        lambda source: (
            starts(
                b"PK\x03\x04",
                b"PK\x05\x06",
                b"\x1f\x8b",
                b"7z\xbc\xaf",
                b"\xfd7zXZ",
                b"BZh",
                b"\x28\xb5\x2f\xfd",
                b"Rar!",
            )(source)
            or source.head[257:262] == b"ustar"
        ),
        UNPACK,
    ),
    WrongFile(
        "an SQLite database",
        starts(b"SQLite format 3\0"),
        "Graphs of msprobe (.vis.db) are tables of results, not models; open the model.",
    ),
    WrongFile("a TensorFlow SavedModel", _message({(1, VARINT), (2, BYTES)}), EXPORT, rank=SHAPES),
    WrongFile(
        "an ONNX tensor, not a model",
        _tensor_proto,
        "It holds one array (test data or a weight); open the .onnx model.",
        rank=SHAPES,
    ),
    WrongFile(
        "a TensorFlow graph",
        _graph_def,
        "Convert it with tf2onnx, or with ATC and open the JSON that `atc --mode=1` prints.",
        rank=SHAPES,
    ),
    WrongFile(
        "a caffemodel, which holds Caffe's weights",
        _caffemodel,
        "Open the .prototxt of the same network; it describes the graph.",
        rank=SHAPES,
    ),
    WrongFile(
        "a Caffe solver",
        text(r"^[ \t]*(base_lr|lr_policy|snapshot_prefix|max_iter)\s*:"),
        "It steers training; open the .prototxt that its `net:` names.",
        rank=SHAPES,
    ),
    WrongFile("a TensorFlow graph in text form", text(r"\A\s*node\s*\{"), EXPORT, rank=SHAPES),
    WrongFile(
        "a JSON file, but no model that is known here, or one that was cut off",
        text(r"\A\s*[\{\[]"),
        "A model in JSON comes from `atc --mode=1` or from ONNX; check that it is complete.",
        rank=ANY_JSON,
    ),
    WrongFile(
        "a Python program",
        text(r"^(import |from \w+ import |def |class )"),
        "Run it to export the model, then open that.",
        rank=ANY_TEXT,
    ),
    WrongFile("a table of comma-separated values", text(r"\A[^\n]*,[^\n]*,[^\n]*\n"), AS_DATA, rank=ANY_TEXT),
    WrongFile(
        "a settings file",
        text(r"\A(\s*#[^\n]*\n)*\s*(\[[\w.]+\]|[\w.-]+\s*[:=])"),
        "Choose a model file.",
        rank=ANY_TEXT,
    ),
    WrongFile("a text file", text(r"\A[\x09\x0a\x0d\x20-\x7e\x80-\xff]+"), "Choose a model file.", rank=ANY_TEXT),
)
WRONG_FILES = Rows(WrongFile, "formats", _OWN)
