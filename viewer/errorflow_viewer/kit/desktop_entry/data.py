"""The files that a desktop reads of an app, as they lie below a `share` folder."""

from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable

from errorflow.base.values import dataclass
from errorflow_viewer.kit.desktop_entry import APP_ID
from errorflow_viewer.kit.desktop_entry.quoting import as_value, exec_line

SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
# Kinds of files that have an icon of ours, as in the MIME types.
DOCUMENTS = ("session", "model")
_ICONS = "icons/hicolor"


@dataclass(frozen=True, slots=True)
class DesktopFile:
    """One file; `path` is relative to the `share` folder and has `/` between its parts."""

    path: str
    data: bytes


def desktop_files(command: Sequence[str]) -> tuple[DesktopFile, ...]:
    """Lists all files, for an app that `command` starts."""
    return tuple(_files(command))


def _files(command: Sequence[str]) -> Iterator[DesktopFile]:
    yield DesktopFile(f"applications/{APP_ID}.desktop", _entry(command).encode())
    yield DesktopFile(f"mime/packages/{APP_ID}.xml", (_data() / f"{APP_ID}.xml").read_bytes())
    yield DesktopFile(f"metainfo/{APP_ID}.metainfo.xml", (_data() / f"{APP_ID}.metainfo.xml").read_bytes())
    icons = files("errorflow_resources") / "icons"
    yield from _drawn(icons / "app", "errorflow", "apps", APP_ID)
    symbolic = (icons / "app" / "errorflow-symbolic.svg").read_bytes()
    yield DesktopFile(f"{_ICONS}/symbolic/apps/{APP_ID}-symbolic.svg", symbolic)
    for kind in DOCUMENTS:
        yield from _drawn(icons / "document", kind, "mimetypes", f"{APP_ID}-{kind}")


def _drawn(folder: Traversable, stem: str, context: str, name: str) -> Iterator[DesktopFile]:
    """Yields one icon in all sizes: file managers without a reader of SVG show nothing else."""
    for size in SIZES:
        data = (folder / f"{stem}-{size}.png").read_bytes()
        yield DesktopFile(f"{_ICONS}/{size}x{size}/{context}/{name}.png", data)
    yield DesktopFile(f"{_ICONS}/scalable/{context}/{name}.svg", (folder / f"{stem}.svg").read_bytes())


def _entry(command: Sequence[str]) -> str:
    text = (_data() / f"{APP_ID}.desktop").read_text("utf-8")
    return text.replace("@EXEC@", exec_line(command)).replace("@TRYEXEC@", as_value(command[0]))


def _data() -> Traversable:
    return files("errorflow_resources") / "desktop"
