"""The command `quarry`."""
