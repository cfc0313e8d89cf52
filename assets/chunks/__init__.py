"""The line partition of a file: split-then-merge, scored cuts, windows."""
