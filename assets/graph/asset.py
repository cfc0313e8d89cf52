"""The Dagster asset `graph`."""

from collections.abc import Iterator

import dagster as dg

from codequarry.assets.checkout import Checkout
from codequarry.assets.graph.build import GRAPH_VERSION

ENDS_CHECK = "files_and_ends"


def graph_asset(checkout_key: str, group: str, prefix: list[str]) -> dg.AssetsDefinition:
    """The graph of one repository; see `census_asset` for the arguments."""
    key = dg.AssetKey([*prefix, "graph"])
    every = dg.AllPartitionMapping()

    @dg.multi_asset(
        name="_".join([*prefix, "graph"]),
        specs=[
            dg.AssetSpec(
                key,
                deps=[
                    dg.AssetDep([*prefix, "census"]),
                    dg.AssetDep([*prefix, "edges"]),
                    *(
                        dg.AssetDep([*prefix, name], partition_mapping=every)
                        for name in ("symbols", "skeletons", "embeddings")
                    ),
                ],
                description=(
                    "How the files hang together: nearest files by meaning, communities with"
                    " names, and pairs that say alike without referring to each other."
                ),
                group_name=group,
                kinds={"arrow"},
                code_version=GRAPH_VERSION,
            )
        ],
        check_specs=[dg.AssetCheckSpec(ENDS_CHECK, asset=key)],
        backfill_policy=dg.BackfillPolicy.single_run(),
        required_resource_keys={checkout_key},
    )
    def graph(
        context: dg.AssetExecutionContext,
    ) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
        checkout: Checkout = getattr(context.resources, checkout_key)
        with checkout.writing():
            made, problems = checkout.graph()
        yield dg.MaterializeResult(
            asset_key=key,
            metadata={
                **{name: value for name, value in sorted(made.facts.items()) if name != "version"},
                "surprises": made.tables["surprises"].num_rows,
                "map": dg.MetadataValue.text("quarry graph map"),
            },
        )
        yield dg.AssetCheckResult(
            check_name=ENDS_CHECK,
            asset_key=key,
            passed=not problems,
            metadata={"problems": problems},
        )

    return graph
