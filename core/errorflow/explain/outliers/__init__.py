"""Which channels drown in a tensor's scale because others are loud: levels per channel, of activations and weights."""
