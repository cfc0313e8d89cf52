"""The Dagster asset `edges`."""

from collections.abc import Iterator

import dagster as dg

from codequarry.assets.checkout import Checkout
from codequarry.assets.edges.build import EDGES_VERSION

ENDS_CHECK = "ends_exist"


def edges_asset(checkout_key: str, group: str, prefix: list[str]) -> dg.AssetsDefinition:
    """The links of one repository; see `census_asset` for the arguments."""
    key = dg.AssetKey([*prefix, "edges"])
    every = dg.AllPartitionMapping()

    @dg.multi_asset(
        name="_".join([*prefix, "edges"]),
        specs=[
            dg.AssetSpec(
                key,
                deps=[
                    dg.AssetDep([*prefix, "census"]),
                    *(
                        dg.AssetDep([*prefix, name], partition_mapping=every)
                        for name in ("symbols", "references")
                    ),
                ],
                description=(
                    "Every reference with the definition it means: calls, imports, inheritance,"
                    " mixins and types, each with the rule that found it."
                ),
                group_name=group,
                kinds={"arrow"},
                code_version=EDGES_VERSION,
            )
        ],
        check_specs=[dg.AssetCheckSpec(ENDS_CHECK, asset=key)],
        backfill_policy=dg.BackfillPolicy.single_run(),
        required_resource_keys={checkout_key},
    )
    def edges(
        context: dg.AssetExecutionContext,
    ) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
        checkout: Checkout = getattr(context.resources, checkout_key)
        with checkout.writing():
            made, dangling = checkout.link()
        total = sum(made.references.values())
        yield dg.MaterializeResult(
            asset_key=key,
            metadata={
                "references": total,
                "resolved": sum(made.resolved.values()),
                **{f"resolved_{name}": made.resolved[name] for name in sorted(made.references)},
            },
        )
        yield dg.AssetCheckResult(
            check_name=ENDS_CHECK,
            asset_key=key,
            passed=not dangling,
            metadata={"links": total, "dangling": dangling},
        )

    return edges
