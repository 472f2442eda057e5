"""The setting that Pulsar2 takes."""
