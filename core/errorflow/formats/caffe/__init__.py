"""Caffe network definitions."""
