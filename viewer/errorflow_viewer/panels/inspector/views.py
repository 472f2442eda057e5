"""The views of the inspector, in the order of their buttons.

To add one: a file with its row, the row below, an icon `view-<key>`, and how well it suits in
`errorflow.explain.inspect.suits`.
"""

from errorflow_viewer.panels.inspector.channels_view import CHANNELS
from errorflow_viewer.panels.inspector.distributions_view import DISTRIBUTIONS
from errorflow_viewer.panels.inspector.facts_view import FACTS
from errorflow_viewer.panels.inspector.planes_view import PLANES
from errorflow_viewer.panels.inspector.plots import ERRORS, HISTOGRAM, SCATTER
from errorflow_viewer.panels.inspector.ranges_view import RANGES
from errorflow_viewer.panels.inspector.values_view import VALUES
from errorflow_viewer.panels.inspector.view import View

VIEWS: tuple[View, ...] = (HISTOGRAM, ERRORS, SCATTER, CHANNELS, DISTRIBUTIONS, PLANES, VALUES, RANGES, FACTS)
