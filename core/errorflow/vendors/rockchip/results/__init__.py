"""Tables of RKNN-Toolkit."""
