"""How deeply the brackets of a text are nested, found without recursion and before any parser sees it."""

import re
from dataclasses import dataclass

import numpy as np

from errorflow.base.files import PIECE_BYTES

# Strings, which may hold brackets and comment signs, and comments, which may hold quotes. A string that is not closed
# ends with the text or the line: looked for again behind each of its quotes, it would take hours.
_DOUBLE = rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
_SINGLE = rb"'(?:[^'\\\n]++|\\.)*+(?:'|\\?\Z|(?=\n))"
_COMMENT = rb"#[^\n]*+"


@dataclass(frozen=True, slots=True)
class Syntax:
    """What opens and closes in a language, and what is to be overlooked."""

    opening: bytes
    closing: bytes
    overlooked: "re.Pattern[bytes]"

    def structure(self, text: bytes) -> bytes:
        """The text without strings and comments."""
        return self.overlooked.sub(b" ", text)

    def depth(self, text: bytes) -> int:
        """The deepest nesting; a bracket that closes nothing does not count."""
        brackets = self.structure(text).translate(None, delete=_all_but(self.opening + self.closing))
        if not brackets:
            return 0
        steps = np.full(256, -1, np.int64)
        steps[list(self.opening)] = 1
        deepest = depth = 0
        for start in range(0, len(brackets), PIECE_BYTES):  # as numbers they take many times the memory
            piece = np.frombuffer(brackets, np.uint8, min(PIECE_BYTES, len(brackets) - start), start)
            depths = depth + np.cumsum(steps[piece])
            deepest, depth = max(deepest, int(depths.max())), int(depths[-1])
        return deepest


def _all_but(kept: bytes) -> bytes:
    return bytes(set(range(256)) - set(kept))


JSON_SYNTAX = Syntax(b"{[", b"}]", re.compile(_DOUBLE, re.DOTALL))
PROTOBUF_SYNTAX = Syntax(b"{<[", b"}>]", re.compile(_DOUBLE + b"|" + _SINGLE + b"|" + _COMMENT, re.DOTALL))
# The arrow between inputs and outputs is no bracket.
ONNX_SYNTAX = Syntax(b"{<[(", b"}>])", re.compile(_DOUBLE + b"|" + _COMMENT + b"|=>", re.DOTALL))
