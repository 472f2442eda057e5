"""Stands in for AMCT's packages where they are not installed, so that a file with an evaluator for them loads as it is.

Only what such a file derives from is there; all else of AMCT says that it is not installed when it is called.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

PREFIX = "amct_"


class _Base:
    """What evaluators, strategies and sensitivities derive from."""

    def __init__(self, *_: object, **__: object) -> None:
        self.result: dict[str, object] = {}
        self.set_flag = True
        self.last_acc_result: dict[str, object] = {}


_BASES = (
    "AutoCalibrationEvaluatorBase",
    "AutoCalibrationStrategyBase",
    "BinarySearchStrategy",
    "SensitivityBase",
    "CosineSimilaritySensitivity",
)


class _Module(ModuleType):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name in _BASES:
            return type(name, (_Base,), {"__module__": self.__name__})
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{self.__name__}.{name}")


class _Missing:
    """Something of AMCT that is named and not there."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> "_Missing":
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{self._name}.{name}")

    def __call__(self, *_: object, **__: object) -> None:
        raise ImportError(f"{self._name} was called, and AMCT is not installed")


class _Finder(MetaPathFinder, Loader):
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - as finders are called
        target: ModuleType | None = None,  # noqa: ARG002 - as finders are called
    ) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        if not top.startswith(PREFIX):
            return None
        if "." not in fullname and PathFinder.find_spec(fullname) is not None:
            return None
        is_ours = "." not in fullname or isinstance(sys.modules.get(top), _Module)
        return ModuleSpec(fullname, self, is_package=True) if is_ours else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing in it."""


def stand_in() -> None:
    """From now on packages of AMCT can be imported in this process, installed or not."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
