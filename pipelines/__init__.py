"""The Dagster definitions, and the in-process run the CLI uses."""
