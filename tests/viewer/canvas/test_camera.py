"""What a camera sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow_viewer.canvas.camera import Camera, Port

PORT = Port(800, 600, 1.0, 5000.0, 20000.0)


def test_fit_shows_everything_in_the_middle() -> None:
    camera = PORT.fit()
    left, top = camera.to_device(0, 0)
    right, bottom = camera.to_device(5000, 20000)
    assert left >= 0 and top >= 0 and right <= 800 and bottom <= 600
    assert abs((left + right) / 2 - 400) <= 1
    assert abs((top + bottom) / 2 - 300) <= 1


def test_fit_does_not_blow_up_a_small_drawing() -> None:
    assert Port(800, 600, 2.0, 50.0, 50.0).fit_scale == 2.0


@given(
    st.floats(0.05, 4.0),
    st.integers(-5000, 5000),
    st.integers(-5000, 5000),
    st.floats(0.05, 4.0),
    st.floats(0, 800),
    st.floats(0, 600),
)
def test_zooming_keeps_what_is_under_the_pointer(
    scale: float, left: int, top: int, other: float, x: float, y: float
) -> None:
    before = Camera(scale, left, top)
    after = before.scaled(other, x, y)
    seen_x, seen_y = after.to_device(*before.to_scene(x, y))
    assert abs(seen_x - x) <= 0.51 and abs(seen_y - y) <= 0.51


@given(st.floats(1e-4, 100.0), st.integers(-(10**7), 10**7), st.integers(-(10**7), 10**7))
def test_no_camera_loses_the_drawing(scale: float, left: int, top: int) -> None:
    camera = PORT.allowed(Camera(scale, left, top))
    assert PORT.fit_scale <= camera.scale <= PORT.max_scale
    near, far = camera.to_device(0, 0), camera.to_device(5000, 20000)
    assert near[1] <= 301 and far[1] >= 299
    assert (near[0] <= 401 and far[0] >= 399) or (near[0] >= -1 and far[0] <= 801)  # or it fits altogether


def test_what_fits_is_put_in_the_middle_when_one_goes_somewhere() -> None:
    camera = PORT.framed(Camera(0.1, -3, 400))
    assert camera.to_device(2500, 0)[0] == pytest.approx(400, abs=1)
    assert camera.top == 400


def test_what_fits_may_lie_anywhere_in_the_window() -> None:
    assert PORT.allowed(Camera(0.1, -3, 400)) == Camera(0.1, -3, 400)
    assert PORT.allowed(Camera(0.1, 50, 400)).left == 0


@given(st.floats(1e-4, 100.0), st.integers(-(10**5), 10**5), st.integers(-(10**5), 10**5))
def test_what_is_allowed_stays(scale: float, left: int, top: int) -> None:
    camera = PORT.allowed(Camera(scale, left, top))
    assert PORT.allowed(camera) == camera


def test_a_finer_screen_shows_the_same() -> None:
    camera = Camera(0.7, 101, -33)
    assert camera.magnified(2.0).to_scene(300, 200) == pytest.approx(camera.to_scene(150, 100), abs=0.8)


@pytest.mark.parametrize(("dx", "dy"), [(10, 0), (-3, 7), (0.4, -0.4)])
def test_moving_shifts_by_whole_pixels(dx: float, dy: float) -> None:
    camera = Camera(0.7, 10, 20).moved(dx, dy)
    assert (camera.left, camera.top) == (10 - round(dx), 20 - round(dy))
