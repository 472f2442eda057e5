"""Makes the sample: trains its small nets, plants the faults, builds the models and runs them. Not shipped."""
