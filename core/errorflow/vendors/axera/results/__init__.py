"""Tables that Pulsar2 prints."""

from errorflow.vendors.axera.results.chart import PULSAR2_CHART
from errorflow.vendors.axera.results.tables import PULSAR2

ROWS = (PULSAR2_CHART, PULSAR2)
