"""`python licences.py BUNDLE [-o FILE]`: the `copyright` file of a package, for all that is in a bundle.

It is of the form that Debian's tools read. Run it with the Python that made the bundle, whose distributions it asks. It
fails if anything has no known owner, or an owner no known licence: nothing of others is passed on without its terms.
"""

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import tree
from licence_owners import BY_PACKAGE, Owner, UnknownLicenceError, owners

_HEAD = f"""\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Errorflow
Source: {tree.HOME_PAGE}
Comment: This package holds Errorflow, Python and the libraries that it needs, as they were published. Paths are
 relative to the folder of the program.
"""
_RIGHTS = re.compile(r"^[\s#*>.-]*((?:portions )?(?:copyright|\(c\)|©).*\d{4}.*)$", re.IGNORECASE)
_MOST_RIGHTS = 8


def copyright_of(found: Mapping[str, Owner]) -> str:
    """The whole file."""
    files: dict[str, list[str]] = defaultdict(list)
    for path, owner in collapsed(found):
        files[owner.name].append(path)
    by_name = {owner.name: owner for owner in found.values()}
    # The one that counts is the last that fits: whole folders first.
    order = sorted(files, key=lambda name: (min(path.count("/") for path in files[name]), name))
    parts = [_HEAD, *(_files(by_name[name], files[name]) for name in order)]
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    for name in order:
        for title, text in by_name[name].texts.items():
            texts[_short(by_name[name])][title] = text
    written: dict[str, str] = {}
    parts += [_licence(short, found_texts, written) for short, found_texts in sorted(texts.items())]
    return "\n".join(parts)


def collapsed(found: Mapping[str, Owner]) -> Iterator[tuple[str, Owner]]:
    """Folders of one owner as `folder/*`, the rest as it is."""
    inside: dict[str, set[str]] = defaultdict(set)
    for path, owner in found.items():
        for parent in PurePosixPath(path).parents:
            inside[str(parent)].add(owner.name)
    seen: set[str] = set()
    for path, owner in sorted(found.items()):
        whole = [str(parent) for parent in PurePosixPath(path).parents if len(inside[str(parent)]) == 1]
        pattern = f"{whole[-1]}/*" if whole else path
        if pattern not in seen:
            seen.add(pattern)
            yield pattern, owner


def _files(owner: Owner, paths: list[str]) -> str:
    escaped = [path if path.endswith("/*") else re.sub(r"([\\*?])", r"\\\1", path) for path in paths]
    lines = ["Files: " + "\n ".join(path.replace(" ", "?") for path in escaped)]
    lines.append("Copyright: " + "\n ".join(_rights(owner)))
    lines.append(f"License: {_short(owner)}")
    lines.append(f"Comment: {owner.name}: {owner.licence}. {owner.comment}".rstrip())
    return "\n".join(lines) + "\n"


def _short(owner: Owner) -> str:
    """A name for the texts of this owner: what counts is what its own files say."""
    plain = "" if owner.licence == BY_PACKAGE else re.sub(r"[^A-Za-z0-9.+-]+", "-", owner.licence.split(" ")[0])
    name = re.sub(r"[^A-Za-z0-9.+-]+", "-", owner.name.split(" (")[0]).strip("-")
    return f"{plain}-of-{name}".removeprefix("-")


def _rights(owner: Owner) -> list[str]:
    rows = [
        match.group(1).strip()
        for text in owner.texts.values()
        for line in text.splitlines()
        if (match := _RIGHTS.match(line))
    ]
    first = list(dict.fromkeys(rows))[:_MOST_RIGHTS]
    return first if first else [owner.author if owner.author else f"The authors of {owner.name}"]


def _licence(short: str, texts: Mapping[str, str], written: dict[str, str]) -> str:
    """A text that many have stands there once; `written` knows where."""
    lines = [f"License: {short}"]
    for title, text in texts.items():
        lines.append(f" --- {title} ---")
        if text in written:
            lines.append(f" The same text stands under the name {written[text]}.")
            continue
        written[text] = short
        lines += [
            f" {line.rstrip()}" if line.strip() else " ." for line in text.replace("\f", "").strip("\n").splitlines()
        ]
    return "\n".join(lines) + "\n"


def checked(bundle: Path) -> dict[str, Owner]:
    """Whose everything is; an error names what cannot be passed on."""
    found, unknown = owners(bundle)
    if unknown:
        raise UnknownLicenceError("nobody is known to own " + ", ".join(unknown))
    without = sorted({owner.name for owner in found.values() if not owner.texts or not owner.licence})
    if without:
        raise UnknownLicenceError("no licence is known of " + ", ".join(without))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundle", type=Path, help="the folder that PyInstaller made")
    parser.add_argument("-o", "--output", type=Path, help="where to write it (default: the terminal)")
    options = parser.parse_args()
    try:
        text = copyright_of(checked(options.bundle))
    except UnknownLicenceError as error:
        print(f"licences.py: {error}", file=sys.stderr)
        return 1
    if options.output is None:
        print(text)
    else:
        options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
