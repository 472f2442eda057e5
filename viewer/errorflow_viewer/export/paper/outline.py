"""Bookmarks of a PDF, which Qt does not write: an update at its end names the chapters and their pages."""

import re
from collections.abc import Sequence

_ROOT = re.compile(rb"/Root (\d+) 0 R")
_SIZE = re.compile(rb"/Size (\d+)")
_START = re.compile(rb"startxref\s+(\d+)")
_INFO = re.compile(rb"/Info (\d+ 0 R)")
_ID = re.compile(rb"/ID \[.*?\]", re.DOTALL)
_PAGES = re.compile(rb"/Kids\s*\[(.*?)\]", re.DOTALL)
_REFERENCE = re.compile(rb"(\d+) 0 R")


def with_outline(pdf: bytes, chapters: Sequence[tuple[str, int]]) -> bytes:
    """`chapters`: each with the number of its page, from 0. What is not built as Qt builds it stays as it is."""
    trailer = pdf[pdf.rfind(b"trailer") :]
    root, size, start = _ROOT.search(trailer), _SIZE.search(trailer), _START.search(trailer)
    if root is None or size is None or start is None or not chapters:
        return pdf
    catalog, kids = _object(pdf, int(root[1])), _pages(pdf)
    if catalog is None or not kids or any(page >= len(kids) for _, page in chapters):
        return pdf
    first = int(size[1])
    found = {
        int(root[1]): catalog.rstrip().removesuffix(b">>") + b"/Outlines %d 0 R\n/PageMode /UseOutlines\n>>" % first
    }
    found |= _entries(first, chapters, kids)
    kept = b"".join(b"\n" + each[0] for each in (_INFO.search(trailer), _ID.search(trailer)) if each is not None)
    return pdf + _update(pdf, found, first + len(chapters) + 1, root[1], start[1], kept)


def _entries(first: int, chapters: Sequence[tuple[str, int]], kids: Sequence[int]) -> dict[int, bytes]:
    last = first + len(chapters)
    found = {first: b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (first + 1, last, len(chapters))}
    for number, (name, page) in enumerate(chapters, first + 1):
        title = b"<FEFF" + name.encode("utf-16-be", "replace").hex().encode() + b">"
        before = b"" if number == first + 1 else b" /Prev %d 0 R" % (number - 1)
        behind = b"" if number == last else b" /Next %d 0 R" % (number + 1)
        links = b"/Parent %d 0 R%b%b" % (first, before, behind)
        found[number] = b"<< /Title %b %b /Dest [%d 0 R /Fit] >>" % (title, links, kids[page])
    return found


def _update(pdf: bytes, found: dict[int, bytes], size: int, root: bytes, start: bytes, kept: bytes) -> bytes:
    text, places = b"\n", dict[int, int]()
    for number, body in found.items():
        places[number] = len(pdf) + len(text)
        text += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = len(pdf) + len(text)
    text += b"xref\n"
    for number in sorted(places):
        text += b"%d 1\n%010d 00000 n \n" % (number, places[number])
    return text + b"trailer\n<< /Size %d\n/Root %b 0 R%b\n/Prev %b\n>>\nstartxref\n%d\n%%%%EOF\n" % (
        *(size, root, kept, start),
        table,
    )


def _object(pdf: bytes, number: int) -> bytes | None:
    found = re.search(rb"(?:^|\n)%d 0 obj\s(.*?)\sendobj" % number, pdf, re.DOTALL)
    return None if found is None else found[1]


def _pages(pdf: bytes) -> list[int]:
    found = _PAGES.search(pdf)
    return [] if found is None else [int(each) for each in _REFERENCE.findall(found[1])]
