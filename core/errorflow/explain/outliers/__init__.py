"""Outliers: channels that drown in a tensor's scale because others are loud, of activations and weights."""
