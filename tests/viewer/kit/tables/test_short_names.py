"""Long names of nodes in little room."""

import pytest

from errorflow_viewer.kit.tables.short_names import fitting, shortened, titles

NAME = "/model/layers.3/self_attn/q_proj/MatMul"


@pytest.mark.parametrize(
    ("name", "room", "text"),
    [
        (NAME, 39, NAME),
        (NAME, 38, "…/layers.3/self_attn/q_proj/MatMul"),
        (NAME, 33, "…/layers.3/…/q_proj/MatMul"),
        (NAME, 20, "…/q_proj/MatMul"),
        (NAME, 3, "…/q_proj/MatMul"),  # the rest is the list's to cut
        ("/block1/conv2/act/Relu", 18, "…/conv2/act/Relu"),
        ("/block1/expand/conv/Conv", 23, "/block1/expand/…/Conv"),
        ("/block1/expand/conv/Conv", 20, "/block1/…/Conv"),
        ("block1/expand/act/Relu", 21, "block1/…/act/Relu"),
        ("→ /model/layers.3/Mul_output_0", 29, "→ …/layers.3/Mul_output_0"),
        ("conv_with_a_long_name", 5, "conv_with_a_long_name"),
        ("a/b", 1, "a/b"),
        ("", 0, ""),
    ],
)
def test_scopes_with_numbers_and_the_end_stay_longest(name: str, room: int, text: str) -> None:
    assert shortened(name, lambda form: len(form) <= room) == text


@pytest.mark.parametrize(("room", "text"), [(20, "/block3/Conv"), (9, "…/Conv"), (3, "…/Conv")])
def test_the_longest_form_that_fits_is_taken(room: int, text: str) -> None:
    assert fitting(("/block3/Conv", "…/Conv"), lambda form: len(form) <= room) == text


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("Relative error", ["Relative error", "Rel. err."]),
        ("Introduced", ["Introduced", "Intro."]),
        ("SQNR", ["SQNR"]),
        ("", [""]),
    ],
)
def test_titles_of_columns_lose_the_ends_of_their_words(text: str, forms: list[str]) -> None:
    assert list(titles(text)) == forms
