"""Vectors of chunks and skeletons, content-addressed."""
