"""`python licences.py -o FILE`: the terms of all that a bundle for Windows or macOS holds, as one text.

Run it with the Python that made the bundle: its distributions are what may be inside. It fails if one of them brings no
terms: nothing of others is passed on without them. On Linux, packaging/linux/licences.py does more, with Debian's help.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXTS = Path(__file__).parent / "licence_texts"
# A wheel of these has no text inside: by name, which texts are meant.
FROM_HERE = {"pyside6-essentials": ("LGPL-3", "GPL-3"), "shiboken6": ("LGPL-3", "GPL-3")}
# In the folder of facts, or right in that of the package.
_TEXT_FILES = re.compile(
    r"^(.+\.dist-info/(.+/)?|[^/]+/)(licen[cs]e|copying|copyright|notice|authors|thirdparty)[^/]*(?<!\.py)(?<!\.pyc)$",
    re.IGNORECASE,
)
_LINE = "=" * 100
_HEAD = """Errorflow is under the Apache License 2.0. This program holds Python, Qt and the packages below as they were
published, each under its own terms. Qt and PySide6 are used under the GNU Lesser General Public License 3: their
libraries lie beside the program as files of their own and may be replaced by others; their sources are at
https://download.qt.io and https://code.qt.io. On Windows, Microsoft's C++ runtime is passed on under the terms of
Visual Studio's redistributables.
"""


class NoTermsError(Exception):
    """Something would be passed on without its terms."""


def key(name: str) -> str:
    """Names as pip compares them."""
    return re.sub(r"[-_.]+", "-", name).lower()


def texts_of(distribution: Distribution) -> Iterator[tuple[str, str]]:
    """Title and text of each file in which a package states its terms."""
    for path in distribution.files or ():
        located = Path(str(distribution.locate_file(path)))
        if _TEXT_FILES.search(path.as_posix()) and located.is_file():
            yield path.name, located.read_text(encoding="utf-8", errors="replace")
    for name in FROM_HERE.get(key(distribution.metadata["Name"]), ()):
        yield name, (TEXTS / f"{name}.txt").read_text(encoding="utf-8")


def stated(distribution: Distribution) -> str:
    """What a package says in a few words."""
    facts = distribution.metadata
    kinds = [row.rpartition(" :: ")[2] for row in facts.get_all("Classifier") or () if row.startswith("License")]
    words = (
        facts.get("License-Expression") or (facts.get("License") or "").strip().partition("\n")[0] or ", ".join(kinds)
    )
    return str(words)


def part(distribution: Distribution, written: set[str]) -> str:
    """All about one package; a text that was written before is only named."""
    name, words, found = distribution.metadata["Name"], stated(distribution), list(texts_of(distribution))
    # The text of Apache's licence is ours as well, and stands above.
    if not found and "apache" not in words.lower():
        raise NoTermsError(f"{name} brings no licence. Find it, and add its text to {TEXTS.name} and FROM_HERE.")
    lines = [_LINE, f"{name} {distribution.version}: {words or 'see below'}", _LINE]
    for title, text in found:
        lines += ["", f"--- {title}", "", text.strip() if text not in written else "(as above)"]
        written.add(text)
    return "\n".join(lines) + "\n"


def python_terms() -> str:
    """Python's own, which name those of the libraries in it."""
    places = (Path(sys.base_prefix), Path(sys.base_prefix) / f"lib/python3.{sys.version_info.minor}")
    for path in (place / name for place in places for name in ("LICENSE.txt", "LICENSE")):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace").strip()
            return f"{_LINE}\nPython {sys.version.partition(' ')[0]}\n{_LINE}\n\n{text}\n"
    raise NoTermsError(f"Python's licence is not in {sys.base_prefix}.")


def all_terms(found: Iterable[Distribution]) -> str:
    """The whole text."""
    written: set[str] = set()
    by_name = {key(each.metadata["Name"]): each for each in found}
    parts = [part(by_name[name], written) for name in sorted(by_name)]
    own = (ROOT / "LICENSE").read_text(encoding="utf-8").strip("\n")
    return "\n".join([_HEAD, own, "", python_terms(), *parts])


def main() -> int:
    """Writes the file, or says what is missing."""
    parser = argparse.ArgumentParser(description="Writes the terms of all that a bundle holds.")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    options = parser.parse_args()
    try:
        options.output.write_text(all_terms(distributions()), encoding="utf-8")
    except NoTermsError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
