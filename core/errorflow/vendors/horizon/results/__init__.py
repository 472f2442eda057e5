"""Tables that Horizon's and D-Robotics' tools print."""
