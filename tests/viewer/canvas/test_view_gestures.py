"""Wheel, trackpad and pinch."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QInputDevice, QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtWidgets import QApplication

from errorflow_viewer.canvas.view import Canvas
from viewer.canvas.made_up import grid

NONE, CTRL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
AT = QPointF(300, 200)


def device(kind: QInputDevice.DeviceType) -> QPointingDevice:
    return QPointingDevice(
        "test",
        1,
        kind,
        QPointingDevice.PointerType.Finger,
        QInputDevice.Capability.Position | QInputDevice.Capability.Scroll,
        1,
        3,
    )


MOUSE, TOUCHPAD = QInputDevice.DeviceType.Mouse, QInputDevice.DeviceType.TouchPad


def wheel(
    canvas: Canvas,
    angle: QPoint,
    pixels: QPoint = QPoint(),  # noqa: B008 - a null point, never changed
    modifiers: Qt.KeyboardModifier = NONE,
    kind: QInputDevice.DeviceType = MOUSE,
) -> None:
    source = device(kind)
    event = QWheelEvent(
        AT,
        canvas.mapToGlobal(AT),
        pixels,
        angle,
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
        Qt.MouseEventSource.MouseEventNotSynthesized,
        source,
    )
    QApplication.sendEvent(canvas, event)


def spot(canvas: Canvas) -> tuple[float, float]:
    """Which part of box 10 is under the pointer, in boxes."""
    place = canvas.place_of(10)
    return (AT.x() - place.x()) / place.width(), (AT.y() - place.y()) / place.height()


def test_a_wheel_zooms_at_the_pointer(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(300, columns=10))
    canvas.centre_on(150, 2.0)
    before = spot(canvas)
    wheel(canvas, QPoint(0, 120))
    assert canvas.zoom == pytest.approx(2.4)
    assert spot(canvas) == pytest.approx(before, abs=0.02)


def test_half_a_notch_zooms_half_as_far(chain: Canvas) -> None:
    chain.centre_on(10, 2.0)
    wheel(chain, QPoint(0, 60))
    wheel(chain, QPoint(0, 60))
    assert chain.zoom == pytest.approx(2.4)


def test_a_wheel_never_zooms_out_beyond_everything(chain: Canvas) -> None:
    fit = chain.zoom
    wheel(chain, QPoint(0, -1200))
    assert chain.zoom == fit


def test_two_fingers_on_a_trackpad_pan(chain: Canvas) -> None:
    chain.centre_on(10, 4.0)
    before = chain.place_of(10)
    wheel(chain, QPoint(0, 40), QPoint(0, -30), kind=TOUCHPAD)
    assert chain.zoom == 4.0
    assert chain.place_of(10).topLeft() - before.topLeft() == QPointF(0, -30)


def test_ctrl_and_two_fingers_zoom(chain: Canvas) -> None:
    chain.centre_on(10, 2.0)
    wheel(chain, QPoint(0, 120), QPoint(0, 30), CTRL, TOUCHPAD)
    assert chain.zoom > 2.0


def test_shift_and_wheel_move_sideways(chain: Canvas) -> None:
    chain.resize(150, 600)
    chain.centre_on(10, 4.0)
    before = chain.place_of(10)
    wheel(chain, QPoint(0, 120), modifiers=SHIFT)
    assert chain.place_of(10).topLeft() - before.topLeft() == QPointF(60, 0)


def test_a_pinch_zooms(chain: Canvas) -> None:
    chain.centre_on(10, 2.0)
    event = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture, device(TOUCHPAD), 2, AT, AT, chain.mapToGlobal(AT), 0.1, QPointF()
    )
    assert event.type() == QEvent.Type.NativeGesture
    QApplication.sendEvent(chain, event)
    assert chain.zoom == pytest.approx(2.2)


@pytest.mark.parametrize("angle", [QPoint(0, 120), QPoint(0, -120)])
def test_a_wheel_over_an_empty_canvas_does_nothing(canvas: Canvas, angle: QPoint) -> None:
    wheel(canvas, angle)
    canvas.repaint()
    assert canvas.counts.shapes == 0
