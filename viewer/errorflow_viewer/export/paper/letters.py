"""Chinese letters of a PDF as people type them.

A font draws 长 and the part of letters that looks like it with one glyph; Qt notes the part, which no search finds.
"""

import re
import unicodedata

_MAP = re.compile(rb"begincmap.*?endcmap", re.DOTALL)
# What glyphs stand for: in a list, or at the end of a line.
_LETTERS = re.compile(rb"\[[^\]]*\]|(?<=> )<[0-9A-F]{4}>(?=\r?\n)")
_PART = re.compile(rb"<(2[EF][0-9A-F]{2})>")
# Those that Unicode does not take apart by itself.
_PARTS = "⺆⺈⺎⺒⺓⺔⺘⺜⺝⺟⺠⺧⺩⺬⺶⺼⺽⻁⻂⻄⻅⻆⻉⻋⻑⻓⻔⻖⻗⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲"
_WHOLE = "冂刀兀巳幺彑扌日月母民牛王示羊肉臼虎衤西见角贝车長长门阝雨青韦页风飞食马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀"
_OF_PART = dict(zip(_PARTS, _WHOLE, strict=True))


def typed(letter: str) -> str:
    """The same letter as it is typed."""
    return _OF_PART.get(letter, unicodedata.normalize("NFKC", letter))


def with_typed_letters(pdf: bytes) -> bytes:
    """As long as before, letter by letter: all else is where it was."""
    return _MAP.sub(lambda found: _LETTERS.sub(_in_list, found[0]), pdf)


def _in_list(found: re.Match[bytes]) -> bytes:
    return _PART.sub(_replaced, found[0])


def _replaced(found: re.Match[bytes]) -> bytes:
    whole = typed(chr(int(found[1], 16)))
    return b"<%04X>" % ord(whole) if len(whole) == 1 and ord(whole) <= 0xFFFF else found[0]
