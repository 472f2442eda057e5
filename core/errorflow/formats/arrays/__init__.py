"""Tensors as NumPy writes them: one array in an .npy file, many in an .npz archive."""
