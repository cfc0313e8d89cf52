"""Which buckets a run must cover, and the tags that make one run of them."""

from __future__ import annotations

from collections.abc import Sequence

from codequarry.store.layout import BUCKETS

RANGE_START = "dagster/asset_partition_range_start"
RANGE_END = "dagster/asset_partition_range_end"


def range_tags(buckets: Sequence[str]) -> dict[str, str]:
    """Tags of one run over the smallest range that holds all of ``buckets``.

    Dagster knows ranges only; clean buckets in between are no-ops. Without buckets the range
    is the first bucket, so that a run always has one.
    """
    wanted = sorted(buckets, key=BUCKETS.index) or [BUCKETS[0]]
    return {RANGE_START: wanted[0], RANGE_END: wanted[-1]}
