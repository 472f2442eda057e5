"""The numbers of planes as CSV."""

import numpy as np

from errorflow.explain.inspect.figure import plane_csv
from errorflow.explain.inspect.planes import Planes, plane_view
from errorflow.explain.inspect.tensors import Tensors


def test_a_plane_has_a_row_per_value_with_its_place() -> None:
    reference = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensors = Tensors("x", reference, reference + 1, (2, 3), together=True)
    planes = Planes.of((2, 3), None)
    assert planes is not None
    lines = plane_csv(plane_view(tensors, planes, 0)).splitlines()
    assert lines[0] == "row,column,reference,candidate,difference"
    assert lines[6] == "1,2,5.0,6.0,1.0" and len(lines) == 7


def test_of_a_thinned_plane_the_places_are_true() -> None:
    side = np.zeros((4, 6), np.float32)
    tensors = Tensors("x", side, None, (4, 6))
    planes = Planes.of((4, 6), None)
    assert planes is not None and planes.steps(3) == (2, 2)
    view = plane_view(tensors, planes, 0, most=3)
    lines = plane_csv(view, *planes.steps(3)).splitlines()
    assert lines[0] == "row,column,reference" and lines[-1] == "2,4,0.0"
