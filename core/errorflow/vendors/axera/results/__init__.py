"""Tables that Pulsar2 prints."""
