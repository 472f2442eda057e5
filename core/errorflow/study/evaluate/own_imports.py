"""What an evaluator of the user's is made of: its file, and the files beside it that it imports."""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path

from errorflow.base.errors import FileError
from errorflow.base.files import Source, is_file

# Of a file that imports others, and of all of them.
_MOST_BYTES, _MOST_FILES = 16 << 20, 1000
# Longer ones are no names of modules.
_MOST_NAME = 200


def digest_of(file: Path) -> str:
    """Changes with the file and with each one beside it that it imports, at its top or later, or through others."""
    digest = hashlib.sha256()
    folder = file.absolute().parent
    for each in (file, *sorted(_imported(file.absolute()))):
        if each != file:
            digest.update(each.relative_to(folder).as_posix().encode(errors="surrogatepass"))
        with Source(each) as source:
            for piece in source.pieces():
                digest.update(piece)
    return digest.hexdigest()


def _imported(file: Path) -> set[Path]:
    """Those in its folder and below."""
    seen = {file}
    left = [file]
    while left and len(seen) < _MOST_FILES:
        at = left.pop()
        found = {each for name in _names(at, file.parent) for each in _files(file.parent, name)} - seen
        seen |= found
        left += found
    return seen - {file}


def _names(file: Path, root: Path) -> Iterator[str]:
    """Of modules, from `root` on; whatever text could be one is taken for one, as `import_module` does."""
    for node in ast.walk(_parsed(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(part for part in (_package(file, root, node.level), node.module) if part)
            yield start
            yield from (f"{start}.{alias.name}".lstrip(".") for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= _MOST_NAME:
            yield node.value


def _parsed(file: Path) -> ast.AST:
    """Nothing of what is no Python: that is told when it is loaded."""
    try:
        with Source(file) as source:
            return ast.parse(source.read(0, min(source.size, _MOST_BYTES)))
    except (FileError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _package(file: Path, root: Path, level: int) -> str:
    """The one that a relative import begins at."""
    inside = file.parent.relative_to(root).parts
    return ".".join(inside[: len(inside) - level + 1]) if 0 < level <= len(inside) + 1 else ""


def _files(root: Path, name: str) -> Iterator[Path]:
    """The module, and the packages around it, as far as they are there."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return
    for count in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:count])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if is_file(file):
                yield file
