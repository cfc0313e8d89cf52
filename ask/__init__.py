"""Answers in prose whose every line of code is a read of a file."""
