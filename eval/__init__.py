"""Golden sets, metrics and run records that prove the defaults."""
