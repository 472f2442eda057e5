"""Fusion: what the compiler recorded about fused operators, read and followed as msaccucmp does."""
