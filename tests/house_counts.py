"""Counts of the house: rooms, floors, names of classes, importers, lines; `test_ratchets.py` holds them to limits."""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

# Where each package lies.
PACKAGES = {"errorflow": "core/errorflow", "errorflow_viewer": "viewer/errorflow_viewer"}
Modules = Mapping[str, Path]


def modules(root: Path) -> dict[str, Path]:
    """The modules of both packages; a package goes by its own name, without `__init__`."""
    found = {}
    for package, folder in PACKAGES.items():
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root / folder).with_suffix("").parts
            found[".".join((package, *parts)).removesuffix(".__init__")] = path
    return found


def rooms(root: Path, package: str) -> set[str]:
    """What lies right in a package; the door of `python -m` is no room."""
    folder = root / PACKAGES[package]
    names = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    return names - {"__init__", "__main__"}


def contracts(root: Path) -> dict[str, dict[str, Any]]:
    """The import contracts by their names."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return {contract["name"]: contract for contract in project["tool"]["importlinter"]["contracts"]}


def floors(root: Path, package: str) -> list[str]:
    """From the top, as the contract has them that speaks of the whole package."""
    [layers] = [each["layers"] for each in contracts(root).values() if each.get("containers") == [package]]
    return [layer for layer in layers if layer != "__main__"]


def double_classes(found: Modules) -> dict[str, list[str]]:
    """Public classes that stand at the top of several modules of one package, with these."""
    homes: dict[str, list[str]] = defaultdict(list)
    for module, path in found.items():
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[f"{module.split('.')[0]}: {node.name}"].append(module)
    return {name: modules for name, modules in homes.items() if len(modules) > 1}


def importers(found: Modules) -> dict[str, set[str]]:
    """By module, who imports it: at the top, within a function, or for types only."""
    by: dict[str, set[str]] = {module: set() for module in found}
    for module, path in found.items():
        for other in imported(path, found):
            if other != module:
                by[other].add(module)
    return by


def imported(path: Path, found: Modules) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in found)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in found or node.module in found:
                    yield full if full in found else node.module


def with_one_importer(found: Modules) -> list[str]:
    """Modules that exactly one other imports; the door of a folder is none."""
    by = importers(found)
    return [module for module, path in found.items() if len(by[module]) == 1 and path.name != "__init__.py"]


def breaches(found: Modules, contract: Mapping[str, Any]) -> list[str]:
    """What imports a forbidden module although it belongs to the sources of a contract; `ignore_imports` may."""
    allowed = set(contract.get("ignore_imports", ()))
    return [
        f"{module} -> {other}"
        for module, path in found.items()
        if _is_within(module, contract["source_modules"])
        for other in imported(path, found)
        if _is_within(other, contract["forbidden_modules"]) and f"{module} -> {other}" not in allowed
    ]


def _is_within(module: str, names: list[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in names)


def lines(found: Modules) -> int:
    return sum(path.read_bytes().count(b"\n") for path in found.values())


# Names of vendors, of their tools and chips; not "ascending", "horizontal" and "batch".
_VENDOR = re.compile(
    r"msaccucmp|amct|\batc\b|ascend(?!ing)|msprobe|axera|pulsar|horizon(?!tal)|hmct|rknn|rockchip|sophgo|tpu[-_]mlir"
    r"|espdl|espressif|\bppq\b|visq|samsung",
    re.IGNORECASE,
)


def vendor_words(found: Modules) -> dict[str, int]:
    """By module outside the vendors' rooms, how often it names one of them."""
    counts = {
        module: len(_VENDOR.findall(path.read_text(encoding="utf-8")))
        for module, path in found.items()
        if not module.startswith("errorflow.vendors")
    }
    return {module: count for module, count in counts.items() if count}


def walked(page: str, title: str) -> list[str]:
    """The files and folders that one section of a page names, in its order."""
    section = page.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"`(\w+(?:/\w+)+(?:\.py)?)`", section)


def lies_at(root: Path, name: str) -> list[Path]:
    """Where a path lies that a page gives without the package that it begins in."""
    starts = [root, *(root / folder for folder in PACKAGES.values())]
    return [start / name for start in starts if (start / name).exists()]


# First words of docstrings that are neither a verb nor the thing's name, and persons in the place of things.
_NO_BEGINNING = re.compile(
    r"(what|of|how|where|as|for|by|in|with|none|from|which|those|without|why|who|that|on|so|when|unless|whose|whoever"
    r"|nobody|somebody|anybody|everybody|something|nothing|only|behind|below|before|after|along|over|through|about"
    r"|until|there|these|it|its|at|to|per|round|beside|between)",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(nobody|somebody|whoever|anybody|everybody)\b", re.IGNORECASE)


def odd_docstrings(found: Modules) -> list[str]:
    """The docstrings that begin otherwise, or speak of persons, with where they stand."""
    odd = []
    for module, path in found.items():
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node) or "A"
                first = text.split()[0].strip("`,.:;“”*")
                if _NO_BEGINNING.fullmatch(first) or _PERSON.search(text):
                    odd.append(f"{module}: {text.splitlines()[0]}")
    return odd
