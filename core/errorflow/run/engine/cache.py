"""Values by what they depend on, within a budget of memory; what is worth it goes to disk instead of away."""

from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np

from errorflow.run.sessions import WIDENED, element, value_of

# Of the memory, for values of candidates, which come and go; all else is for the reference.
CANDIDATE_SHARE = 0.3
# Of that for the reference, for what is asked for the first time and can be made again: to keep it takes about as long
# as to make it, so that it pays from the second time on.
FIRST_SHARE = 0.05
_STRANGE = {*WIDENED, "string"}


class Cache:
    """Two stores, so that a thousand candidates never drive out the one reference that all are compared with."""

    def __init__(self, memory: int, disk: int, folder: Path, candidates: int) -> None:
        """`candidates`: bytes that are worth keeping of these. Fewer are faster: memory that was just used is near."""
        own = min(int(memory * CANDIDATE_SHARE), candidates)
        self._disk = _Disk(disk, folder)
        self._stores = _Store(memory - own, self._disk), _Store(own, None)

    def get(self, key: object) -> Any | None:
        for store in self._stores:
            found = store.get(key)
            if found is not None:
                return found
        return self._disk.get(key)

    def put(self, key: object, value: Any, *, reference: bool, border: bool, again: bool = True) -> None:
        """Keeps a value. What is no border can be made again from what is, and takes only room that is free: a part of
        it at first, all of it when it is made `again`.
        """
        store = self._stores[0 if reference else 1]
        if border:
            store.put(key, value)
        elif reference:
            store.put_if_free(key, value, 1.0 if again else FIRST_SHARE)

    @property
    def nbytes(self) -> int:
        return sum(store.nbytes for store in self._stores)


class _Store:
    def __init__(self, limit: int, disk: "_Disk | None") -> None:
        self._limit, self._disk = limit, disk
        self._values: OrderedDict[object, tuple[Any, int, bool]] = OrderedDict()
        self.nbytes = 0

    def get(self, key: object) -> Any | None:
        if key not in self._values:
            return None
        value, _, border = self._values[key]
        if border:
            self._values.move_to_end(key)
        return value

    def put_if_free(self, key: object, value: Any, share: float) -> None:
        size = size_of(value)
        if key not in self._values and self.nbytes + size <= share * self._limit:
            self._values[key] = (own_memory(value), size, False)
            # It goes before all that is a border.
            self._values.move_to_end(key, last=False)
            self.nbytes += size

    def put(self, key: object, value: Any) -> None:
        size = size_of(value)
        if key in self._values:
            self._values.move_to_end(key)
            return
        if size > self._limit:
            if self._disk is not None:
                self._disk.put(key, value, size)
            return
        while self.nbytes + size > self._limit:
            old, (gone, freed, border) = self._values.popitem(last=False)
            self.nbytes -= freed
            if border and self._disk is not None:
                self._disk.put(old, gone, freed)
        self._values[key] = (own_memory(value), size, True)
        self.nbytes += size


class _Disk:
    """Files of arrays in a folder that another process removes."""

    def __init__(self, limit: int, folder: Path) -> None:
        self._left, self._folder = limit, folder
        self._files: dict[object, Path] = {}

    def get(self, key: object) -> Any | None:
        if key not in self._files:
            return None
        return value_of(np.load(self._files[key], allow_pickle=False))

    def put(self, key: object, value: Any, size: int) -> None:
        if key in self._files or size > self._left or not size:
            return
        path = self._folder / f"{len(self._files)}.npy"
        np.save(path, value.numpy(), allow_pickle=False)
        self._files[key] = path
        self._left -= size


def own_memory(value: Any) -> Any:
    """Gives a value memory of its own if it stays for long: in the store that sessions share it would stand between
    what comes and goes, which then needs several times the room.
    """
    return value_of(value.numpy().copy()) if size_of(value) else value


def size_of(value: Any) -> int:
    """Bytes of a value; 0 of what is no tensor of a type that numpy has."""
    if not value.is_tensor() or element(value.data_type()) in _STRANGE:
        return 0
    return int(value.tensor_size_in_bytes())
