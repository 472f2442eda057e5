"""Tables that Horizon's and D-Robotics' tools print."""

from errorflow.vendors.horizon.results.build import HORIZON_BUILD
from errorflow.vendors.horizon.results.qat import HORIZON_QAT
from errorflow.vendors.horizon.results.sensitivity import HORIZON_SENSITIVITY

ROWS = (HORIZON_QAT, HORIZON_BUILD, HORIZON_SENSITIVITY)
