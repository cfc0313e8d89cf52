"""The HTTP API: one repository, asked over loopback."""
