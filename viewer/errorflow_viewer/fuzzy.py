"""Finds what someone means who types a few letters of it."""


def score(query: str, text: str) -> int | None:
    """How well the letters of `query` appear in `text` in their order, higher is better; None: they do not.

    Letters that start a word or follow each other count more; short texts win over long ones.
    """
    wanted, given = query.lower().replace(" ", ""), text.lower()
    if not wanted:
        return 0
    points, position, previous = 0, 0, -2
    for letter in wanted:
        found = _best(letter, given, position, previous)
        if found < 0:
            return None
        points += 8 if found == previous + 1 else 6 if _starts_word(text, found) else 1
        previous, position = found, found + 1
    return points * 100 - len(given)


def _best(letter: str, given: str, start: int, previous: int) -> int:
    """The next place of a letter; right after the one before, or at the start of a word, if there is one."""
    first = given.find(letter, start)
    if first < 0 or first == previous + 1 or _starts_word(given, first):
        return first
    place = first
    while place >= 0:
        if _starts_word(given, place):
            return place
        place = given.find(letter, place + 1)
    return first


def _starts_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()
