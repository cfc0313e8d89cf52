"""The published generation: arrays a query maps into memory."""
