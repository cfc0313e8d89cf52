"""The Model Context Protocol server: one repository, asked by agents."""
