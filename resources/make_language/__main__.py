"""Brings the language files up to date with the code; gives translators what is missing, and takes it back.

python -m make_language                          every text of the code is in the files, in order
python -m make_language --missing -o FILE.json   what has no translation yet, the most important first
python -m make_language --take FILE.json         puts {source: translation} in
"""

import argparse
import fcntl
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

from errorflow.base.language.table import table_of
from errorflow.base.language.table import written as table
from make_language.linguist import Message, merged, read, written, wrong_holes
from make_language.walk import ROOT, Found, everything

FOLDER = ROOT / "resources" / "errorflow_resources" / "language"
LANGUAGES = ("zh_CN",)


def file_of(language: str) -> Path:
    return FOLDER / f"errorflow_{language}.ts"


def main() -> int:
    options = _options()
    path = file_of(options.language)
    with _alone(path):
        found = everything()
        messages = merged(found, [each for each in read(path) if not (options.drop and each.vanished)])
        if options.take:
            return _take(options.take, found, messages, path, options.language)
        _save(path, written(messages, options.language))
    missing = _missing(found, messages)
    used = sum(not each.vanished for each in messages)
    print(f"{used} texts, {len(missing)} to translate", file=sys.stderr)
    if options.missing:
        listed = _part(missing, options.part)
        text = json.dumps(listed, ensure_ascii=False, indent=1)
        Path(options.out).write_text(text, encoding="utf-8") if options.out else print(text)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m make_language", description=__doc__.partition("\n")[0])
    parser.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="default: %(default)s")
    parser.add_argument("--missing", action="store_true", help="list what has no translation yet, as JSON")
    parser.add_argument(
        "--part", metavar="K/N", help="with --missing: the K-th of N parts of as many words, cut in order"
    )
    parser.add_argument("-o", dest="out", metavar="FILE", help="with --missing: where to write the list")
    parser.add_argument("--drop", action="store_true", help="forget the translations of what no code says any more")
    parser.add_argument("--take", metavar="FILE", nargs="+", type=Path, help="take translations: {source: translation}")
    return parser.parse_args()


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Several translators may hand in at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Path("/tmp" if Path("/tmp").is_dir() else path.parent, "errorflow-language.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _save(path: Path, text: str) -> None:
    """Saves a language with the table that a start reads."""
    _put(path, text)
    _put(table_of(path), table(path))


def _put(path: Path, text: str) -> None:
    beside = path.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def _missing(found: list[Found], messages: list[Message]) -> list[str]:
    """Lists what is to be translated; a form for one of something comes by itself where that for many is listed."""
    listed = {each.source for each in messages if not each.translation}
    return [each.text for each in found if each.text in listed and each.many not in listed]


def _part(texts: list[str], part: str | None) -> list[str]:
    if part is None:
        return texts
    which, count = (int(number) for number in part.split("/"))
    ends = list(accumulate(len(text.split()) for text in texts))
    whole = ends[-1] if ends else 0
    return [text for text, end in zip(texts, ends, strict=True) if (which - 1) * whole < end * count <= which * whole]


def _take(paths: list[Path], found: list[Found], messages: list[Message], path: Path, language: str) -> int:
    """Says what was not taken, and why; the rest is in."""
    known = {each.source: each for each in messages if not each.vanished}
    taken, refused = 0, 0
    for source, translation in _given(paths):
        why = _why_not(source, translation, known)
        if why:
            refused += 1
            print(f"not taken, {why}: {source!r} → {translation!r}", file=sys.stderr)
        elif translation:
            known[source] = Message(known[source].module, source, translation)
            taken += 1
    _save(path, written(merged(found, [*known.values(), *(each for each in messages if each.vanished)]), language))
    print(f"{taken} taken, {refused} refused", file=sys.stderr)
    return 1 if refused else 0


def _given(paths: list[Path]) -> Iterator[tuple[str, str]]:
    for path in paths:
        yield from json.loads(path.read_text(encoding="utf-8")).items()


def _why_not(source: str, translation: str, known: dict[str, Message]) -> str:
    if source not in known:
        return "the code does not say it (any more)"
    return wrong_holes(source, translation)


if __name__ == "__main__":
    sys.exit(main())
