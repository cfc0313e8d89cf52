"""Definitions of a file with scope, signature and doc comment."""
