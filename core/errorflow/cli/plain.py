"""Text of others on a terminal."""


def plain(text: str) -> str:
    """The lines without what would steer the terminal: names come from files, and files from anywhere."""
    return "".join(letter if letter.isprintable() or letter == "\n" else ascii(letter)[1:-1] for letter in text)
