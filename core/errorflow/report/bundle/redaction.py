"""Takes folders and names out of texts, and keeps a list of what was taken out."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from html import escape
from typing import Any, Literal
from urllib.parse import quote

from errorflow.base.values import dataclass, field
from errorflow.report.bundle.model import Redactions, encoded, texts
from errorflow.report.bundle.secrets import LONG, Secrets

What = Literal["path", "user", "host"]
# How often what was taken out, and what stands in its place.
Counts = Counter[tuple[What, str, str]]
# No markup of any of the files, and no letter that a file's name may not have.
PATH, USER, HOST = "[path]", "[user]", "[host]"
# A text that was seen is not searched again: tables say the same many times.
_MOST_KNOWN = 50_000
_MOST_PASSES = 4
# Ends a path: nothing beyond it belongs to its name.
_END = r"\s\"'<>|,;*?()\[\]{}"
# Where paths begin on any machine, known or not.
_ROOTS = (
    *("home", "Users", "root", "tmp", "var", "mnt", "media", "opt", "srv", "private", "usr", "workspace", "Volumes"),
    *("data", "disk", "nfs", "scratch", "storage"),
)
_ANYWHERE = (
    rf"(?i:file):/{{2,}}[^{_END}&\\]+",
    rf"(?<![\w.\-/\\<])/(?:{'|'.join(_ROOTS)})\d*/[^{_END}&\\]+",
    rf"(?<![A-Za-z0-9])[A-Za-z]:(?:\\{{1,2}}|/)[^{_END}]*",
    rf"(?<!\\)\\{{2,4}}[A-Za-z0-9][\w.$-]*\\{{1,2}}[^{_END}]+",
)
# Of a page: what is code stays as it is, the data are values, all between is text.
_CODE = re.compile(r"(<style\b.*?</style>|<script\b[^>]*>.*?</script>)", re.DOTALL)
_DATA = re.compile(r'(<script type="application/json"[^>]*>)(.*)(</script>)', re.DOTALL)
# Of a table: what stands in quotes, or needs none.
_CELL = re.compile(r'"((?:[^"]|"")*)"|[^,\n"]+')


@dataclass(frozen=True, slots=True)
class RedactedPart:
    """Finding that is taken out, how often, and what stands in its place."""

    what: What
    before: str
    after: str
    count: int


@dataclass(frozen=True, slots=True)
class _Rule:
    """Rule of what is looked for, and texts without one of which it need not be: most hold none, and these are found
    fast.
    """

    what: What
    pattern: re.Pattern[str]
    marks: tuple[str, ...]

    def may_find(self, lowered: str) -> bool:
        return any(mark in lowered for mark in self.marks)


@dataclass(eq=False)
class Redactor:
    """Use one for all texts of a bundle: it counts."""

    secrets: Secrets
    redactions: Redactions
    _counts: Counts = field(default_factory=Counter)
    _known: dict[str, tuple[str, Counts]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rules = list(_rules(self.secrets, self.redactions))
        self._ways = {form: after for name, after in self.secrets.ways for form in (name, escape(name))}
        self._of_names = [rule for rule in self._rules if rule.what != "path"]

    def text(self, text: str) -> str:
        """Removes from a text what must not be in it."""
        is_name = text in self.secrets.protected
        if not self._rules or (is_name and text not in self._renamed):
            return text
        known = self._known.get(text)
        if known is None:
            counts: Counts = Counter()
            after = self._changed(text, counts, self._of_names if is_name else self._rules)
            known = self._renamed[text] if is_name else after, counts
            if len(self._known) < _MOST_KNOWN and len(text) < 4096:
                self._known[text] = known
        self._counts.update(known[1])
        return known[0]

    def page(self, text: str) -> str:
        """The same of an HTML page, whose code stays as it is."""
        parts = _CODE.split(text)
        return "".join(_DATA.sub(self._data, part) if at % 2 else self.text(part) for at, part in enumerate(parts))

    def _data(self, found: re.Match[str]) -> str:
        """Each text of it by itself: the end of a path is not always the end of its text."""
        head, data, end = found.groups()
        values = texts(json.loads(data), self.text)
        changed = json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003C")
        return f"{head}{changed}{end}"

    def table(self, text: str) -> str:
        """Cell by cell, as names of nodes stand in them."""
        return _CELL.sub(self._cell, text) if self.touches(text) else text

    def _cell(self, found: re.Match[str]) -> str:
        inside = found.group(1)
        if inside is None:
            return self.text(found.group())
        return '"' + self.text(inside.replace('""', '"')).replace('"', '""') + '"'

    def file(self, name: str, text: str) -> str:
        """Redacts what such a file holds."""
        if not name.endswith(".json") or not self.touches(text):
            return self.text(text)
        try:
            values = json.loads(text)
        except ValueError:  # a toolchain may like comments
            return self.text(text)
        return json.dumps(texts(values, self.text), indent=2, ensure_ascii=False) + "\n"

    @property
    def findings(self) -> tuple[RedactedPart, ...]:
        """Most frequent first."""
        rows = sorted(self._counts.items(), key=lambda row: (-row[1], row[0]))
        return tuple(RedactedPart(what, before, after, count) for (what, before, after), count in rows)

    def touches(self, text: str) -> bool:
        """Whether there may be anything to take out of it."""
        lowered = text.lower()
        return any(rule.may_find(lowered) and rule.pattern.search(text) for rule in self._rules)

    def values(self, value: Any) -> str:
        """Plain values as JSON without what must not be in it: each text by itself, where there is any."""
        text = encoded(value)
        return encoded(texts(value, self.text)) if self.touches(text) else text

    @property
    def counts(self) -> Counts:
        return self._counts

    def add(self, counts: Counts) -> None:
        """Adds what another one found in texts that were not looked through again."""
        self._counts.update(counts)

    @cached_property
    def _renamed(self) -> Mapping[str, str]:
        """Names of nodes and tensors that hold a name: what each is called then, which no other is."""
        found: dict[str, str] = {}
        taken = set(self.secrets.protected)
        for name in sorted(self.secrets.protected) if self._of_names else ():
            lowered = name.lower()
            if any(rule.may_find(lowered) and rule.pattern.search(name) for rule in self._of_names):
                after = self._changed(name, Counter(), self._of_names)
                found[name] = next(each for each in _numbered(after) if each not in taken)
                taken.add(found[name])
        return found

    def _changed(self, text: str, counts: Counts, rules: Sequence[_Rule]) -> str:
        """Applies rules until nothing is left: what remains of two pieces may make a third."""
        for _ in range(_MOST_PASSES):
            before, lowered = text, text.lower()
            for rule in rules:
                if rule.may_find(lowered):
                    text = rule.pattern.sub(partial(self._put, rule.what, counts), text)
            if text == before:
                break
        return text

    def _put(self, what: What, counts: Counts, found: re.Match[str]) -> str:
        after = self._after(what, found)
        if after != found.group():
            counts[what, found.group(), after] += 1
        return after

    def _after(self, what: What, found: re.Match[str]) -> str:
        if what == "user":
            return USER
        if what == "host":
            return HOST
        whole = found.group()
        if whole in self._ways and whole not in self.secrets.protected:
            return self._ways[whole]
        # At the end of a sentence or of a list's head there is more than the name.
        if whole in self.secrets.protected or whole.rstrip(".:!") in self.secrets.protected:
            return whole
        name = re.split(r"[\\/]+|%2F|%5C", whole.rstrip("\\/"))[-1]
        is_folder = whole[-1] in "\\/" or any(_same(whole, folder) for folder in self.secrets.folders)
        return PATH if is_folder or not name else name


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}~{number}" for number in range(2, 1 << 20))


def _same(text: str, folder: str) -> bool:
    """Whether a text is that folder, however its strokes are written."""
    return re.sub(r"[\\/]+", "/", text) == re.sub(r"[\\/]+", "/", folder)


def _rules(secrets: Secrets, redactions: Redactions) -> Iterator[_Rule]:
    if redactions.paths:
        forms = {form: _is_deep(folder) for folder in secrets.folders for form in _forms(folder)}
        if forms:
            # With all that follows: what lies below a folder is known by its name too.
            listed = "|".join(_spelled_folder(form, is_deep) for form, is_deep in forms.items())
            pattern = re.compile(rf"(?:{listed})(?:(?:[\\/]|%2F|%5C)+[^{_END}]*)?")
            yield _Rule("path", pattern, tuple(dict.fromkeys(form.lower() for form in forms)))
        roots = tuple(f"/{root.lower()}" for root in _ROOTS)
        yield _Rule("path", re.compile("|".join(_ANYWHERE)), (*roots, ":\\", ":/", "\\\\"))
        ways = [form for name, _ in secrets.ways for form in dict.fromkeys((name, escape(name)))]
        if ways:
            named = re.compile(rf"(?<![\w.\-/\\])(?:{'|'.join(map(re.escape, ways))})(?![\w.\-/\\])")
            yield _Rule("path", named, tuple(way.lower() for way in ways))
    if redactions.names:
        kinds: tuple[tuple[What, tuple[str, ...]], ...] = (("host", secrets.hosts), ("user", secrets.users))
        for what, names in kinds:
            written = [form for name in names for form in _name_forms(name)]
            if written:
                pattern = re.compile("|".join(map(_spelled, written)), re.IGNORECASE)
                yield _Rule(what, pattern, tuple(form.lower() for form in written))


def _spelled_folder(form: str, is_deep: bool) -> str:
    """Spells a folder; one right below the root may be a part of any name; others are taken out wherever they stand."""
    plain = re.escape(form)
    return plain if is_deep else rf"(?<![\w.\-<]){plain}(?![\w.\-])"


def _is_deep(folder: str) -> bool:
    return len(re.findall(r"[^\\/]+", folder)) > 1


def _spelled(name: str) -> str:
    plain = re.escape(name)
    if name.isdecimal():  # part of a longer number it is nobody's
        return rf"(?<![\w.+\-]){plain}(?![\w.])"
    return plain if len(name) >= LONG else rf"(?<![A-Za-z0-9]){plain}(?![A-Za-z0-9])"


def _forms(folder: str) -> Iterator[str]:
    """Yields forms of a folder in plain text, in JSON, in HTML and in an address."""
    straight = folder.replace("\\", "/")
    yield from dict.fromkeys((*_name_forms(folder), straight, *_addressed(straight), *_addressed(folder)))


def _name_forms(name: str) -> Iterator[str]:
    """The same of a name, and with its accents as either system writes them: the longest first."""
    composed = {unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name), name}
    found = {
        *composed,
        *(form for each in composed for form in (_in_json(each, True), _in_json(each, False), escape(each))),
        *(form for each in composed for form in _addressed(each)),
    }
    yield from sorted(found, key=lambda form: (-len(form), form))


def _in_json(text: str, is_ascii: bool) -> str:
    return json.dumps(text, ensure_ascii=is_ascii)[1:-1]


def _addressed(text: str) -> Iterator[str]:
    raw = text.encode(errors="surrogatepass")
    yield from (quote(raw), quote(raw, safe=""))


def traces(pieces: Iterable[bytes], secrets: Secrets, redactions: Redactions) -> list[str]:
    """Finds what of it is still in a file, byte by byte: known folders and names, each once."""
    wanted = [(text, raw, pattern) for text, raw, pattern in _bytes(secrets, redactions)]
    longest = max((len(raw) for _, raw, _ in wanted), default=0) + 1
    found: dict[str, None] = {}
    rest = b""
    for piece in pieces:
        window = rest + piece.lower()
        for text, raw, pattern in wanted:
            if text not in found and raw in window and pattern.search(window):
                found[text] = None
        rest = window[-longest:]
    return list(found)


def _bytes(secrets: Secrets, redactions: Redactions) -> Iterator[tuple[str, bytes, re.Pattern[bytes]]]:
    """Yields what is looked for, with what must stand around it for it to be meant."""
    for folder in secrets.folders if redactions.paths else ():
        for form in _forms(folder):
            raw = form.encode(errors="surrogatepass").lower()
            inside = re.escape(raw)
            yield folder, raw, re.compile(inside if _is_deep(folder) else rb"(?<![\w.\-<])" + inside + rb"(?![\w.\-])")
    for name in (*secrets.hosts, *secrets.users) if redactions.names else ():
        for raw in dict.fromkeys(_raw_forms(name)):
            yield name, raw, re.compile(_spelled_raw(name, re.escape(raw)))


def _spelled_raw(name: str, inside: bytes) -> bytes:
    if name.isdecimal():
        return rb"(?<![\w.+\-])" + inside + rb"(?![\w.])"
    return inside if len(name) >= LONG else rb"(?<![a-z0-9])" + inside + rb"(?![a-z0-9])"


def _raw_forms(name: str) -> Iterator[bytes]:
    """Yields forms in bytes of which only Latin letters were made small."""
    for form in _name_forms(name):
        for cased in (form, form.lower(), form.upper(), form.title()):
            yield cased.encode(errors="surrogatepass").lower()
    if len(name) >= LONG:  # as Windows writes texts
        yield name.lower().encode("utf-16-le", errors="surrogatepass")
