"""One parse a blob: chunks, symbols and skeleton together, in killable workers."""
