"""The query runtime: opens a generation and answers from arrays; no Dagster, no LLM."""
