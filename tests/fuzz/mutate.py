"""Spoils good files in the ways that files get spoiled: the same seed gives the same damage.

A fuzz test feeds `mutants(samples, seed)` to its reader while `time_left` says so, and allows nothing but success and
`ErrorflowError`. A failing input is found again by its seed, which belongs into the assertion's text.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from random import Random

SECONDS = "ERRORFLOW_FUZZ_SECONDS"
SEED = "ERRORFLOW_FUZZ_SEED"
LENGTHS = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**64 - 1)
TEXT_LENGTHS = (b"-1", b"0", b"99999999999", b"1e309", b"NaN", b"null", b'""', b"[]", b"{}")
MAX_BYTES = 4 * 1024 * 1024

Mutation = Callable[[bytes, Random], bytes]


def truncated(sample: bytes, random: Random) -> bytes:
    """Cut off anywhere, as a download or a full disk does."""
    return sample[: random.randrange(len(sample) + 1)]


def flipped(sample: bytes, random: Random) -> bytes:
    """A few bits turned over."""
    data = bytearray(sample)
    for _ in range(random.choice((1, 1, 2, 8, 64))):
        if data:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(data)


def overwritten(sample: bytes, random: Random) -> bytes:
    """A stretch replaced by zeros, ones or noise."""
    start, end = _stretch(sample, random)
    size = end - start
    filling = random.choice((bytes(size), b"\xff" * size, random.randbytes(size)))
    return sample[:start] + filling + sample[end:]


def spliced(sample: bytes, random: Random) -> bytes:
    """A stretch moved to another place."""
    start, end = _stretch(sample, random)
    rest = sample[:start] + sample[end:]
    at = random.randrange(len(rest) + 1)
    return rest[:at] + sample[start:end] + rest[at:]


def duplicated(sample: bytes, random: Random) -> bytes:
    """A stretch repeated, up to some hundred times."""
    start, end = _stretch(sample, random)
    times = random.choice((1, 2, 3, 30, 300))
    return (sample[:end] + sample[start:end] * times + sample[end:])[:MAX_BYTES]


def deleted(sample: bytes, random: Random) -> bytes:
    """A stretch left out."""
    start, end = _stretch(sample, random)
    return sample[:start] + sample[end:]


def inflated(sample: bytes, random: Random) -> bytes:
    """A number somewhere made huge, tiny or negative: fixed width in both byte orders, a varint, or decimal text."""
    at = random.randrange(len(sample) + 1)
    number = random.choice(LENGTHS)
    width = random.choice((1, 2, 4, 8))
    kind = random.randrange(4)
    new: bytes
    if kind == 0:
        new = (number % 256**width).to_bytes(width, "little")
    elif kind == 1:
        new = (number % 256**width).to_bytes(width, "big")
    elif kind == 2:
        new = varint(number)
    else:
        new = random.choice(TEXT_LENGTHS)
    replaced = random.choice((0, len(new), width))
    return sample[:at] + new + sample[at + replaced :]


def noise(sample: bytes, random: Random) -> bytes:
    """Random bytes, with or without the beginning of the sample."""
    kept = random.choice((0, 0, 4, 16, 64))
    return sample[:kept] + random.randbytes(random.choice((0, 1, 7, 64, 1000)))


MUTATIONS: tuple[Mutation, ...] = (truncated, flipped, overwritten, spliced, duplicated, deleted, inflated, noise)


def mutant(samples: Sequence[bytes], seed: int) -> bytes:
    """One spoiled file: a sample, damaged one to four times."""
    random = Random(seed)
    data = random.choice(samples)
    for _ in range(random.choice((1, 1, 2, 4))):
        data = random.choice(MUTATIONS)(data, random)
    return data


def mutants(samples: Sequence[bytes], seed: int = 0) -> Iterator[tuple[int, bytes]]:
    """Spoiled files without end, each with the seed that makes it again."""
    for number in count(first_seed(seed)):
        yield number, mutant(samples, number)


def first_seed(default: int) -> int:
    """Where to begin: `ERRORFLOW_FUZZ_SEED` repeats what an earlier run has found."""
    return int(os.environ.get(SEED, str(default)))


def time_left(seconds: float) -> Callable[[], bool]:
    """Asks whether to go on: for `seconds`, or as long as `ERRORFLOW_FUZZ_SECONDS` says."""
    end = time.monotonic() + float(os.environ.get(SECONDS, str(seconds)))
    return lambda: time.monotonic() < end


def varint(number: int) -> bytes:
    """A number as protobuf writes it."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _stretch(sample: bytes, random: Random) -> tuple[int, int]:
    start = random.randrange(len(sample) + 1)
    size = min(random.choice((1, 2, 4, 16, 64, 1024)), len(sample) - start)
    return start, start + size
