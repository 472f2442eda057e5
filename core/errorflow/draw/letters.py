"""Letters: how much room texts of one size take, reckoned, or by a window's own font."""

from errorflow.draw.text import fitted, shortened, width

# Of the size: how high a line is, and the part of it above the base.
_HEIGHT, _ASCENT = 1.21, 0.969


class Letters:
    """Letters of a size in px."""

    def __init__(self, size: float) -> None:
        self.size = size

    @property
    def height(self) -> float:
        return _HEIGHT * self.size

    @property
    def ascent(self) -> float:
        return _ASCENT * self.size

    def width(self, text: str) -> float:
        return width(text, self.size)

    def fitted(self, text: str, room: float) -> str:
        """The text, or as much of it as there is room for."""
        return fitted(text, self.size, room)

    def shortened(self, text: str, room: float) -> str:
        """The same without its middle."""
        return shortened(text, self.size, room)


LETTERS = Letters(11)
