"""Writing the server into the configuration of coding agents, and taking it out again."""
