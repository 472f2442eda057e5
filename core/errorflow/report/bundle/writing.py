"""Writes a bundle: whole or not at all, the same bytes for the same case, looked through before it takes its name."""

import hashlib
import zipfile
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from errorflow.base import SILENT, ErrorflowError, FileError, Progress, UsageError, dataclass, replace
from errorflow.base.files import replacing
from errorflow.report.bundle.archive import manifest_rows, pieces_of
from errorflow.report.bundle.draft import BundleDraft
from errorflow.report.bundle.model import MANIFEST, MARK, BundleChoice, BundleMember, Manifest, OmittedPart, encoded
from errorflow.report.bundle.parts import Pieces, Planned, planned
from errorflow.report.bundle.redaction import traces

# Of every member: the least that the format can say, so that the same case gives the same file.
_WHEN = (1980, 1, 1, 0, 0, 0)
_UNIX, _MODE = 3, 0o100644 << 16


@dataclass(frozen=True, slots=True)
class WrittenBundle:
    """Result of writing."""

    path: Path
    manifest: Manifest
    size: int
    # Files in which something that was to be taken out still stands, such as a model with its author's name.
    traces: tuple[str, ...] = ()


def write_bundle(draft: BundleDraft, choice: BundleChoice, path: Path, progress: Progress = SILENT) -> WrittenBundle:
    """Writes all of a bundle or nothing; a tensor that cannot be read any more is left out and said."""
    came_in = draft.case.session.bundle
    if came_in is not None and path.exists() and came_in.exists() and path.samefile(came_in):
        raise UsageError(f"{path.name} is the bundle that this came in.", "Give the new one another name.")
    plan = planned(draft, choice, progress)
    with replacing(path, follow=False) as beside:
        manifest = _write(plan, beside, progress)
        left = tuple(_left_traces(beside, plan, manifest, progress))
        size = beside.stat().st_size
    return WrittenBundle(path, manifest, size, left)


def _write(plan: Planned, beside: Path, progress: Progress) -> Manifest:
    members: dict[str, BundleMember] = {}
    left_out = list(plan.manifest.left_out)
    total = sum(map(len, plan.texts.values())) + sum(part.size for part in plan.parts[1:] if part.taken)
    done = 0
    try:
        with zipfile.ZipFile(beside, "x", allowZip64=True) as archive:
            for name, data in plan.texts.items():
                progress.step(done, total, f"Writing {name}")
                members[name] = _add(archive, name, iter((data,)), _told(progress, done, total, name))
                done += len(data)
            for name, stream in plan.streams.items():
                pieces = stream()
                try:
                    # Whatever cannot be read says so with its first piece; later it would be half of a file.
                    first = next(pieces, b"")
                except ErrorflowError as error:
                    left_out.append(OmittedPart(name, plan.redactor.text(f"it could not be read: {error.message}")))
                    continue
                members[name] = _add(archive, name, chain((first,), pieces), _told(progress, done, total, name))
                done += members[name].size
            manifest = replace(plan.manifest, files=members, left_out=tuple(left_out))
            data = encoded(manifest_rows(manifest)).encode(errors="backslashreplace")
            _add(archive, MANIFEST, iter((data,)), lambda _: None)
    except (OSError, zipfile.LargeZipFile) as error:
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise FileError(
            f"The bundle could not be written: {reason}.", "Choose another folder or free some space."
        ) from error
    return manifest


def _told(progress: Progress, done: int, total: int, name: str) -> Callable[[int], None]:
    return lambda more: progress.step(done + more, total, f"Writing {name}")


def _add(archive: zipfile.ZipFile, name: str, pieces: Pieces, tell: Callable[[int], None]) -> BundleMember:
    """Adds values as they are, so that they can be read at any place; texts are packed."""
    info = zipfile.ZipInfo(name, _WHEN)
    info.create_system, info.external_attr = _UNIX, _MODE
    is_text = name.endswith((".json", ".csv", ".html", ".md", ".txt", ".errorflow", ".yaml", ".cfg", ".py"))
    # The mark stays as it is, by which a bundle is known.
    info.compress_type = zipfile.ZIP_DEFLATED if is_text and name != MARK else zipfile.ZIP_STORED
    digest, size = hashlib.sha256(), 0
    with archive.open(info, "w", force_zip64=True) as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
            size += len(piece)
            tell(size)
    return BundleMember(size, digest.hexdigest())


def _left_traces(beside: Path, plan: Planned, manifest: Manifest, progress: Progress) -> Iterator[str]:
    if not plan.choice.redactions.any:
        return
    secrets, redactions = plan.redactor.secrets, plan.choice.redactions
    names = (*manifest.files, MANIFEST)
    for at, name in enumerate(names):
        progress.step(at, len(names), f"Looking through {name}")
        if traces(pieces_of(beside, name), secrets, redactions):
            yield name
