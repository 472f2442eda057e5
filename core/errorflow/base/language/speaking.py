"""Puts a translation together: from a whole text, from a template and what fills it, or from the parts of a text."""

import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import pairwise

from errorflow.base.language.catalogue import SENTENCE_END, Catalogue, Template, is_name
from errorflow.base.language.model import FILLED, LanguageText, filled_in, letter, opened

# Words that are types of operators as well as words of the interface; a test keeps this up with both.
OPERATORS = frozenset(
    (
        "Abs", "Accuracy", "Add", "Bias", "Cast", "Clip", "Concat", "Constant", "Copy", "Data", "Deconvolution",
        "Dropout", "Eltwise", "Flatten", "Identity", "If", "Input", "Less", "Log", "Loop", "Mean", "Not", "Output",
        "Pad", "Part", "Power", "Print", "Range", "Rank", "Reduction", "Resize", "Scale", "Scatter", "Shape", "Size",
        "Slice", "Split", "Sum", "Tile", "Where",
    )
)  # fmt: skip
_DEEPEST = 8
# Commands, calls and settings to be copied.
_TO_COPY = re.compile(r"errorflow |atc |[\w.]+\(.*\)$|\{\".*\}$")
# Keys of a command behind its tip; what opens in the middle of a longer text; a number behind a word.
_SHORTCUT = re.compile(r"^(.+) (\((?:(?:Ctrl|Alt|Shift|Meta)\+[^\s()]+|[A-Z]|F\d+|Esc)\))$", re.DOTALL)
_COUNTED = re.compile(rf"^([\d,]+|[{FILLED}]) of ([\d,]+|[{FILLED}])(\.?)$")
_OPENING = re.compile(r"^([.,;:] )(.+)$", re.DOTALL)
_AMOUNT = re.compile(
    r"^([A-Za-z][A-Za-z -]+?) ([−-]?\d[\d.,]*(?:e[−+-]?\d+)?(?: ?(?:%|dB|s|ms|[kMG]B))?|[\U00100000-\U0010fffd])$"
)
# Where a long name may be broken.
_BREAK = "\u200b"
# So many parts of texts are remembered.
_KEPT = 50_000
# What a template may be tried with before the rest is taken part by part.
_CHOICES = 4
# A template with fewer letters says too little to be sure: what fills it must be understood.
_WEAK = 8
# What says that a text is more than one thing.
_PARTED = (", ", ": ", "; ", " is ", " are ", " and ")
# A label, and what it stands before.
_HEADED = re.compile(r"[^{}]+: \{\w+\}\.?$")
_KEY = re.compile(r"&(\w)")
_LATIN = re.compile(r"[A-Za-z]{2}")
_WORDS = re.compile(r"(?<![\w/.-])[A-Za-z][a-z’']+(?![\w/])")
_TAG = re.compile(r"(<style.*?</style>|</?[A-Za-z!][\w-]*(?:\s[^<>]*)?/?>)", re.DOTALL)
# What a tag says when the pointer rests on what it holds.
_TIP = re.compile(r"""(<[A-Za-z][^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*?\stitle=)("[^"]*"|'[^']*')""")
# As HTML has it.
_UNTRANSLATED = re.compile(r"<(\w+) translate='no'[^<>]*>.*?</\1>", re.DOTALL)
_BLOCK = re.compile(
    r"(<style.*?</style>|</?(?:p|br|hr|div|table|tr|td|th|tbody|thead|ul|ol|li|h\d|html|head|body|pre|qt|img)\b[^<>]*>)",
    re.DOTALL | re.IGNORECASE,
)
# From here on letters of nobody's stand for texts of the user's own, for so many of them.
_OWN_FIRST, _OWN_MOST = 0xF0000, 0xFFFD
_CHINESE = re.compile(r"[\u2e80-\u9fff\uff00-\uffef，。；：（）“”]")
_GAP = re.compile(r"(?<=[\u4e00-\u9fff]) +(?=[\u4e00-\u9fff])|(?<=[，。；：（）、]) +(?=\S)| +(?=[，。；：（）、])")
_AIR = re.compile(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9%])(?=[\u4e00-\u9fff])")
# Narrow marks that join a word of the language, and brackets around some.
_BESIDE = {mark: re.compile(f"(?<=[\u4e00-\u9fff）]){mark}|{mark}(?=[\u4e00-\u9fff])") for mark in (", ", ": ")}
# Behind words, where it ends no entity and no statement of a program.
_SEMICOLON = re.compile(
    r"(?<=[\w%）)\U00100000-\U0010fffd])(?<!&amp)(?<!&nbsp)(?<!&lt)(?<!&gt)(?<!&quot); (?!\w+(?:\.\w|\(| = ))"
)
_ASIDE = re.compile(r"(?<=[\u4e00-\u9fff0-9%]) \(([^()<>]*[\u4e00-\u9fff][^()<>]*)\)")
# Marks that parts are joined by, those that part most first.
_JOINTS = (";;", "; ", "  ", " · ", " • ", " | ", " – ", " — ", " → ", ": ", ", ", " + ", " / ")
_BRACKETS = re.compile(
    r"^(?P<before>.*?)(?P<gap> ?)\((?P<inside>[^()]*(?:\([^()]*\)[^()]*)*)\)(?P<after>.*)$", re.DOTALL
)

Choice = tuple[int, int, str]


class Speaker:
    """Says texts in the language of a catalogue, with its punctuation."""

    def __init__(self, catalogue: Catalogue, marks: tuple[tuple[str, str], ...]) -> None:
        self._catalogue = catalogue
        self._marks = dict(marks)
        self._known: dict[tuple[str, bool], str] = {}
        self._own: frozenset[str] = frozenset()
        # Those of them that look like tags, as they stand in plain and in rich text, by what stands for each.
        self._own_tags: dict[int, str] = {}

    def keep(self, texts: frozenset[str]) -> None:
        """Users' own texts, which stay as they are wherever they stand."""
        self._own = texts
        ways = {way for text in texts if _TAG.search(text) for way in (text, escape(text), escape(text, quote=False))}
        longest_first = sorted(ways, key=lambda way: (-len(way), way))[:_OWN_MOST]
        self._own_tags = dict(enumerate(longest_first, _OWN_FIRST))
        self._known.clear()

    def with_letters(self, text: LanguageText, leaves: list[str]) -> str:
        """Says a text by its key, with letters for names and numbers, which go to `leaves`: nothing of them is read.

        The texts within are in place where the language has that as a whole, else each is said for itself.
        """
        first, whole = len(leaves), opened(text, leaves)
        within = [value for value in text.values if isinstance(value, LanguageText)]
        if not within or self._exact(whole) is not None:
            return self._say(whole, True, 0)
        del leaves[first:]
        letters = [
            letter(value, leaves) if isinstance(value, LanguageText) else opened(value, leaves) for value in text.values
        ]
        outer = text.around(letters)
        said = self._say(outer, True, 0)
        for place, value in zip(letters, text.values, strict=True):
            if isinstance(value, LanguageText):
                said = said.replace(place, self.with_letters(value, leaves))
        return self._ended(outer, said)

    def say(self, text: str, label: bool = False) -> str:
        """Elements of rich text that say so are no words."""
        if "translate=" not in text:
            return self._said(text, label)
        kept: list[str] = []
        return filled_in(self._said(_UNTRANSLATED.sub(lambda found: opened(found[0], kept), text), label), kept)

    def _said(self, text: str, label: bool) -> str:
        marked = self._marked(text) if self._own_tags and ("<" in text or "&lt;" in text) else text
        said = self._say(marked, label, 0)
        if " title=" in said and not _TO_COPY.match(marked.strip()):
            said = _TIP.sub(self._tip, said)
        return said if marked is text else said.translate(self._own_tags)

    def _marked(self, text: str) -> str:
        """Puts a letter in the place of each mark that the user wrote, so that it is not taken for markup."""
        if text.translate(self._own_tags) != text:
            return text
        marked = text
        for number, own in self._own_tags.items():
            marked = marked.replace(own, chr(number))
        return marked

    def _tip(self, found: re.Match[str]) -> str:
        quote = found[2][0]
        said = escape(self._say(unescape(found[2][1:-1]), True, 1), quote=True)
        return f"{found[1]}{quote}{said}{quote}"

    def _say(self, text: str, label: bool, depth: int) -> str:
        bare = text.strip()
        if bare in self._own:
            return text
        if _TO_COPY.match(bare) and self._catalogue.exact(bare) is None:
            return text
        if depth > _DEEPEST or not _LATIN.search(bare):
            return text
        said = self._known.get((bare, label))
        if said is None:
            said = self._ended(bare, self._whole(bare, label, depth))
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[bare, label] = said
        if said == bare:
            return text
        start = text.index(bare)
        return f"{text[:start]}{said}{text[start + len(bare) :]}"

    def _ended(self, text: str, said: str) -> str:
        """Ends a sentence with the other language's full stop, also behind a name, and without a gap between its
        words.
        """
        if said == text or not _CHINESE.search(said):
            return said
        if text.endswith(".") and said.endswith(".") and not said.endswith(".."):
            said = f"{said[:-1]}{self._mark('.')}"
        if _CHINESE.search(text):
            return said
        return "".join(part if number % 2 else self._set(part) for number, part in enumerate(_TAG.split(said)))

    def _set(self, said: str) -> str:
        """Sets the text as this language does: its own wide marks beside its words, and air between these and
        others'.
        """
        said = _SEMICOLON.sub(self._mark("; "), said)
        for mark in (", ", ": "):
            if mark in said and mark in self._marks:
                said = _BESIDE[mark].sub(self._marks[mark], said)
        if self._mark(")") != ")":
            said = _ASIDE.sub(rf"{self._mark(' (')}\1{self._mark(')')}", said)
        return _AIR.sub(" ", _GAP.sub("", said))

    def _whole(self, text: str, label: bool, depth: int) -> str:
        """Translates the text as it stands; where words are left that can be divided, each part for itself."""
        said = self._bare(text, label, depth)
        if _BREAK not in text or not _left(said):
            return said
        other = self._bare(text.replace(_BREAK, ""), label, depth)
        return other if _left(other) < _left(said.replace(_BREAK, "")) else said

    def _bare(self, text: str, label: bool, depth: int) -> str:
        if not label and text in OPERATORS:
            return text
        exact = self._exact(text)
        if exact is not None:
            return exact
        for cut in (_BLOCK, _TAG):
            if cut.search(text):
                text = text.replace("&nbsp;", " ")
                return self._marked_up(text, label, depth, cut)
        if "\n" in text:
            return "\n".join(self._say(line, label, depth + 1) for line in text.split("\n"))
        return self._framed(text, label, depth) or self._line(text, label, depth)

    def _framed(self, text: str, label: bool, depth: int) -> str:
        """A text with something at its end or start that is no part of its sentence; "": it has nothing such."""
        if shortcut := _SHORTCUT.match(text):
            return f"{self._say(shortcut[1], True, depth + 1)} {shortcut[2]}"
        if counted := _COUNTED.match(text):
            return f"{counted[1]}{self._mark(' of ')}{counted[2]}{counted[3] and self._mark('.')}"
        if opening := _OPENING.match(text):
            said = self._say(opening[2], label, depth + 1)
            return f"{self._mark(opening[1])}{said}" if _CHINESE.search(said) else text
        return ""

    def _exact(self, text: str) -> str | None:
        """Finds the text as a whole; a full stop, a colon or an ellipsis at the end may be there in one of both
        only.
        """
        found = self._catalogue.exact(text)
        if found is not None:
            return found
        for end in (".", ":", "…", "!", "?"):
            if text.endswith(end) and (found := self._catalogue.exact(text[: -len(end)].rstrip())) is not None:
                return f"{found}{self._mark(end)}"
        for end in (".", "…"):
            if (found := self._catalogue.exact(f"{text}{end}")) is not None:
                return found.rstrip("。.…")
        return self._keyed(text)

    def _keyed(self, text: str) -> str | None:
        """Finds a text without its menu key, which goes behind in brackets, where the catalogue knows nothing of the
        key.
        """
        key = _KEY.search(text)
        found = self._catalogue.exact(_KEY.sub(r"\1", text)) if key is not None else None
        if key is None or found is None:
            return None
        more = "…" if found.endswith("…") else ""
        return f"{found.removesuffix(more)}(&{key[1].upper()}){more}"

    def _mark(self, mark: str) -> str:
        return self._marks.get(mark, mark)

    def _marked_up(self, text: str, label: bool, depth: int, cut: re.Pattern[str]) -> str:
        """Text with tags: between them, or as one with them where they are inside of a sentence."""
        parts = enumerate(cut.split(text))
        said = "".join(part if number % 2 else self._escaped(part, label, depth) for number, part in parts)
        if cut is _BLOCK or not _left(said):
            return said
        choices = [(_left(said), 0, said), *self._templates(text, depth)]
        if len(sentences := SENTENCE_END.split(text)) > 1:
            choices.append(self._joined(sentences, " ", label, depth))
        return self._best(text, choices)

    def _escaped(self, text: str, label: bool, depth: int) -> str:
        """Translates what stands between tags, where `&`, `<` and quotes are written as entities."""
        if _TAG.search(text):
            return self._say(text, label, depth + 1)
        bare = unescape(text)
        said = self._say(bare, label, depth + 1)
        return text if said == bare else escape(said, quote=False)

    def _line(self, text: str, label: bool, depth: int) -> str:
        if " " not in text and not label and not text.endswith(("…", ".", ":")):
            return text
        choices = list(self._templates(text, depth))
        if not choices or min(choices)[0] > 0 or min(choices)[1] > 0:
            choices += self._in_parts(text, label, depth)
        return self._best(text, choices)

    def _best(self, text: str, choices: list[Choice]) -> str:
        """Chooses the translation that leaves the fewest words as they were; of equals, the one of fewest pieces."""
        return min(choices, default=(0, 0, text))[2]

    def _templates(self, text: str, depth: int) -> Iterator[Choice]:
        found = 0
        for template, filled in self._catalogue.fitting(text):
            said = self._filled(template, filled, depth)
            if said is not None:
                yield _left(said), _doubt(template, filled) - template.letters, said
                found += 1
            if found == _CHOICES:
                break
        if text.endswith(".") and not text.endswith(".."):
            for left, patched, said in self._templates(text[:-1], depth):
                yield left, patched, f"{said}{self._mark('.')}"

    def _filled(self, template: Template, filled: dict[str, str], depth: int) -> str | None:
        """A template with its holes filled; None: it says too little, and what fills it is not understood."""
        said = template.translation
        for hole, text in filled.items():
            inside = text if is_name(hole) and " " not in text.replace(", ", ",") else self._inside(text, depth)
            if template.letters < _WEAK and not (_HEADED.match(template.source) or self._is_understood(text, inside)):
                return None
            said = said.replace(f"{{{hole}}}", inside)
        return said

    def _is_understood(self, text: str, said: str) -> bool:
        """Whether what a template of few letters takes is one thing: a name, a known text, or one without joints."""
        if " " not in text or self._exact(text) is not None:
            return True
        return not _left(said) and not any(mark in text for mark in _PARTED)

    def _inside(self, text: str, depth: int) -> str:
        said = self._say(text, False, depth + 1)
        return said.strip() if said != text and _CHINESE.search(said[:1] + said[-1:]) else said

    def _in_parts(self, text: str, label: bool, depth: int) -> Iterator[Choice]:
        sentences = SENTENCE_END.split(text)
        if len(sentences) > 1:
            yield self._joined(sentences, " ", label, depth)
            return
        amount = _AMOUNT.match(text)
        if amount is not None and (said := self._exact(amount[1])) is not None:
            yield 0, 0, f"{said} {amount[2]}"
        if (brackets := _BRACKETS.match(text)) is not None and (choice := self._bracketed(brackets, depth)) is not None:
            yield choice
        for joint in _JOINTS:
            if joint in text:
                parts = text.split(joint)
                yield self._joined(parts, joint, label, depth)
                if len(parts) > 2:
                    yield self._joined([joint.join(parts[:-1]), parts[-1]], joint, label, depth)
                    yield self._joined([parts[0], joint.join(parts[1:])], joint, label, depth)
        if text[-1:] in ".:…" and text[:-1].strip():
            said = self._say(text[:-1], label, depth + 1)
            yield _left(said), 1, f"{said}{self._mark(text[-1]) if _CHINESE.search(said[-1:]) else text[-1]}"
        if text[:1] in "•→–·▸▾▶ " and text[1:2] == " ":
            said = self._say(text[2:], label, depth + 1)
            yield _left(said), 0, f"{text[:2]}{said}"

    def _bracketed(self, found: re.Match[str], depth: int) -> Choice | None:
        """Divides `what it is (what else is known) and more` into its three parts."""
        before, inside, after = (self._say(found[name], True, depth + 1) for name in ("before", "inside", "after"))
        if (before, inside, after) == (found["before"], found["inside"], found["after"]):
            return None
        wide = bool(found["gap"]) and bool(_CHINESE.search(before[-1:] or inside[:1]) and _CHINESE.search(inside))
        opening, closing = (self._mark(" ("), self._mark(")")) if wide else (f"{found['gap']}(", ")")
        said = f"{before}{opening}{inside}{closing}{after}"
        return _left(said), 0, said

    def _joined(self, parts: list[str], joint: str, label: bool, depth: int) -> Choice:
        said = [self._say(part, label or joint in (": ", " · ", ";;"), depth + 1) for part in parts]
        text = said[0]
        for before, after in pairwise(said):
            text += f"{self._between(before, joint, after)}{after}"
        return _left(text), 0, text

    def _between(self, before: str, joint: str, after: str) -> str:
        """The mark between two parts, in the width of what is before it or behind it."""
        if joint == " ":
            return "" if _CHINESE.search(before[-1:]) else " "
        if joint not in self._marks:
            return joint
        return self._marks[joint] if _CHINESE.search(before[-1:]) or _CHINESE.search(after[:1]) else joint


def _doubt(template: Template, filled: dict[str, str]) -> int:
    """Rates how likely the text in a hole is a part of the sentence around it."""
    if _HEADED.match(template.source):
        return 0
    return 4 * _WEAK * sum(": " in text or "; " in text for text in filled.values())


def _left(text: str) -> int:
    """Counts the words that look untranslated."""
    return len(_WORDS.findall(_TAG.sub(" ", text)))
