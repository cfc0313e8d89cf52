"""The errors of an evaluation: a golden file, a corpus or a record that cannot be used."""

from __future__ import annotations

from codequarry.errors import QuarryError, UsageError


class GoldenError(UsageError):
    """A golden file holds a row that cannot be asked or scored."""

    code = "golden"


class CorpusError(QuarryError):
    """A repository cannot be had at the commit the questions are about."""

    code = "corpus"


class RecordError(QuarryError):
    """A run record or a baseline is missing, damaged, or about other questions."""

    code = "run_record"
