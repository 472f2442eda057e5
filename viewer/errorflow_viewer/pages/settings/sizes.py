"""Bytes in words."""

_UNITS = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))


def size_text(size: int) -> str:
    """Writes a size with two digits where it is small."""
    for unit, name in _UNITS:
        if size >= unit:
            number = size / unit
            return f"{number:.1f} {name}" if number < 10 and number != int(number) else f"{number:.0f} {name}"
    return f"{size} B"
