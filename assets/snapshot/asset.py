"""The Dagster asset `snapshot`."""

from collections.abc import Iterator

import dagster as dg

from codequarry.assets.checkout import Checkout
from codequarry.assets.snapshot.build import SNAPSHOT_VERSION

COUNTS_CHECK = "counts_equal_census"


def snapshot_asset(checkout_key: str, group: str, prefix: list[str]) -> dg.AssetsDefinition:
    """The published generation of one repository; see `census_asset` for the arguments."""
    key = dg.AssetKey([*prefix, "snapshot"])
    every = dg.AllPartitionMapping()

    @dg.multi_asset(
        name="_".join([*prefix, "snapshot"]),
        specs=[
            dg.AssetSpec(
                key,
                deps=[
                    dg.AssetDep([*prefix, "census"]),
                    dg.AssetDep([*prefix, "edges"]),
                    dg.AssetDep([*prefix, "graph"]),
                    *(
                        dg.AssetDep([*prefix, name], partition_mapping=every)
                        for name in ("chunks", "symbols", "skeletons", "embeddings")
                    ),
                ],
                description=(
                    "One immutable generation: tables, vectors and postings that a query maps "
                    "into memory, made live by one atomic replace."
                ),
                group_name=group,
                kinds={"arrow", "numpy"},
                code_version=SNAPSHOT_VERSION,
            )
        ],
        check_specs=[dg.AssetCheckSpec(COUNTS_CHECK, asset=key)],
        backfill_policy=dg.BackfillPolicy.single_run(),
        required_resource_keys={checkout_key},
    )
    def snapshot(
        context: dg.AssetExecutionContext,
    ) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
        checkout: Checkout = getattr(context.resources, checkout_key)
        with checkout.writing():
            made = checkout.publish()
        census = len(checkout.census.indexed)
        yield dg.MaterializeResult(
            asset_key=key,
            metadata={
                "generation": made.generation,
                "files": made.files,
                "chunks": made.chunks,
                "symbols": made.symbols,
                "missing_vectors": made.missing_vectors,
                "search": dg.MetadataValue.text('quarry search "how does it work"'),
            },
        )
        yield dg.AssetCheckResult(
            check_name=COUNTS_CHECK,
            asset_key=key,
            passed=made.files + len(made.without_facts) == census,
            metadata={"census": census, "files": made.files, "lacking": len(made.without_facts)},
        )

    return snapshot
