"""Listing of a bundle, in lines and for programs: what it holds and what it does not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from errorflow.graph.build import counted
from errorflow.report.bundle.archive import manifest_rows
from errorflow.report.bundle.model import Manifest
from errorflow.report.bundle.parts import Planned
from errorflow.report.bundle.writing import WrittenBundle

_WORDS = {"path": ("path", "paths"), "user": ("user name", "user names"), "host": ("host name", "host names")}
_MOST = 20


def missing_text(manifest: Manifest) -> str:
    """Says what is not in it, as sentences."""
    return " ".join(
        f"{_sentence(each.what)} {'are' if _is_many(each.what) else 'is'} not in it." for each in manifest.left_out
    )


def _is_many(what: str) -> bool:
    return what.startswith(("The tensors", "The weights", "The inputs", "The whole"))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def bundle_lines(manifest: Manifest, problems: Sequence[str]) -> Iterator[str]:
    """Yields lines for the command line."""
    yield f"Ticket bundle of {manifest.title}, {manifest.said}."
    if manifest.verdict:
        yield f"Verdict: {manifest.verdict}"
    yield "Inside"
    for folder, (count, size) in _folders(manifest).items():
        yield f"  {folder}: {counted(count, 'file', 'files')}, {size_text(size)}"
    if manifest.nodes:
        yield f"  tensors of {', '.join(manifest.nodes[:_MOST])}{' …' if len(manifest.nodes) > _MOST else ''}"
    if manifest.left_out:
        yield "Not inside"
        yield from (f"  {each.what}: {each.why}" for each in manifest.left_out)
    if manifest.redacted:
        yield "Taken out"
        yield from (f"  {counted(count, *_WORDS.get(kind, (kind, kind)))}" for kind, count in manifest.redacted.items())
    yield "Original files"
    for each in manifest.originals:
        yield f"  {each.use}: {each.name}{f' (as {each.member})' if each.member else ' (not inside)'}"
    if problems:
        yield from (f"! {problem}" for problem in problems)
    else:
        yield f"All {len(manifest.files):,} checksums are right."


def bundle_data(manifest: Manifest, problems: Sequence[str]) -> dict[str, Any]:
    return {"bundle": manifest_rows(manifest), "problems": list(problems)}


def _folders(manifest: Manifest) -> Mapping[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for name, member in manifest.files.items():
        folder = f"{name.partition('/')[0]}/" if "/" in name else name
        count, size = found.get(folder, (0, 0))
        found[folder] = count + 1, size + member.size
    return found


def preview_lines(plan: Planned) -> Iterator[str]:
    """Yields what would go in and what would be taken out; nothing is written."""
    findings = plan.redactor.findings
    yield "Goes in"
    for part in plan.parts:
        note = "" if part.taken else " (not chosen)"
        count = f", {counted(part.count, 'file', 'files')}" if part.kind in ("inputs", "model") and part.count else ""
        yield f"  {part.title}: {size_text(part.size)}{count}{note}"
    yield f"  Together before packing: {size_text(plan.size)}"
    yield "Stays out"
    yield from (f"  {each.what}: {each.why}" for each in plan.manifest.left_out)
    yield "Is taken out"
    if not findings:
        yield "  Nothing."
    for found in findings[:_MOST]:
        yield f"  {found.before}  →  {found.after}  ({counted(found.count, 'time', 'times')})"
    if len(findings) > _MOST:
        yield f"  … and {len(findings) - _MOST:,} more"


def written_lines(written: WrittenBundle) -> Iterator[str]:
    count = len(written.manifest.files)
    yield f"{written.path}: {counted(count, 'file', 'files')}, {size_text(written.size)}"
    yield from (f"Not inside: {each.what} ({each.why})" for each in written.manifest.left_out)
    yield from (f"! {name} still holds a folder or a name: it goes in as it is." for name in written.traces)


def size_text(size: int) -> str:
    if size >= 1e9:
        return f"{size / 1e9:.2f} GB"
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size:,} bytes"
