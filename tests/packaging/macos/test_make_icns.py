"""The icons for macOS are those of the resources."""

import struct

import pytest
from PySide6.QtGui import QImage

from packaging_scripts import PACKAGING, script

make_icns = script("macos/make_icns.py")


def entries(name: str) -> dict[str, bytes]:
    data, found, at = (PACKAGING / f"macos/{name}.icns").read_bytes(), {}, 8
    assert data[:4] == b"icns" and struct.unpack_from(">I", data, 4) == (len(data),)
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at + 4)
        found[data[at : at + 4].decode()] = data[at + 8 : at + length]
        at += length
    return found


def unpacked(data: bytes) -> bytes:
    out, at = bytearray(), 0
    while at < len(data):
        if data[at] < 128:
            out += data[at + 1 : at + 2 + data[at]]
            at += data[at] + 2
        else:
            out += data[at + 1 : at + 2] * (data[at] - 125)
            at += 2
    return bytes(out)


@pytest.mark.parametrize("data", [b"", b"a", b"aaa", b"aaaab", b"ab" * 200, b"a" * 1000 + b"bc", bytes(range(256))])
def test_what_is_packed_is_unpacked_again(data: bytes) -> None:
    assert unpacked(make_icns.packed(data)) == data


@pytest.mark.parametrize("name", make_icns.MADE_OF)
def test_large_pictures_have_the_size_of_their_kind(name: str) -> None:
    found = entries(name)
    for kind, size in make_icns.LARGE:
        assert QImage.fromData(found[kind]).width() == size, kind


@pytest.mark.parametrize("name", make_icns.MADE_OF)
@pytest.mark.parametrize(("kind", "mask", "size"), make_icns.SMALL)
def test_small_pictures_are_those_of_the_resources(name: str, kind: str, mask: str, size: int) -> None:
    stem = make_icns.ICONS / make_icns.MADE_OF[name][0]
    image = QImage(str(stem.with_name(f"{stem.name}-{size}.png"))).convertToFormat(QImage.Format.Format_RGBA8888)
    pixels, found = bytes(image.constBits()), entries(name)
    colours = unpacked(found[kind])
    assert colours == pixels[0::4] + pixels[1::4] + pixels[2::4], "run packaging/macos/make_icns.py"
    assert found[mask] == pixels[3::4]


@pytest.mark.parametrize("name", make_icns.MADE_OF)
def test_the_drawing_is_that_of_the_resources(name: str) -> None:
    stem, share = make_icns.MADE_OF[name]
    svg = (make_icns.ICONS / stem).with_suffix(".svg")
    drawn = make_icns.drawn(svg, 256, make_icns.on_grid(svg, share))
    stored = QImage.fromData(entries(name)["ic08"])
    points = [(x, y) for x in range(0, 256, 5) for y in range(0, 256, 5)]
    # Another version of Qt smooths edges a little otherwise.
    apart = [abs(drawn.pixelColor(x, y).red() - stored.pixelColor(x, y).red()) for x, y in points]
    assert sum(apart) / len(apart) < 1, "run packaging/macos/make_icns.py"
