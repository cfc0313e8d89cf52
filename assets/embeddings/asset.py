"""The Dagster asset `embeddings`."""

from collections.abc import Iterator

import dagster as dg

from codequarry.assets.census.asset import BUCKET_PARTITIONS
from codequarry.assets.checkout import Checkout
from codequarry.assets.embeddings.build import VectorReport
from codequarry.assets.languages.versions import of_all_languages

VECTORS_CHECK = "unit_vectors"


def embeddings_asset(checkout_key: str, group: str, prefix: list[str]) -> dg.AssetsDefinition:
    """The vectors of one repository, by bucket; see `census_asset` for the arguments."""
    key = dg.AssetKey([*prefix, "embeddings"])

    @dg.multi_asset(
        name="_".join([*prefix, "embeddings"]),
        specs=[
            dg.AssetSpec(
                key,
                deps=[dg.AssetKey([*prefix, name]) for name in ("chunks", "skeletons")],
                description=(
                    "A vector for every chunk and every skeleton, keyed by the model and the text."
                ),
                group_name=group,
                kinds={"parquet", "numpy"},
                code_version=of_all_languages("text"),
            )
        ],
        check_specs=[
            dg.AssetCheckSpec(
                VECTORS_CHECK,
                asset=key,
                blocking=True,
                description="Stored vectors are finite, of the right width, of length 1 or 0.",
            )
        ],
        partitions_def=BUCKET_PARTITIONS,
        backfill_policy=dg.BackfillPolicy.single_run(),
        required_resource_keys={checkout_key},
    )
    def embeddings(
        context: dg.AssetExecutionContext,
    ) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
        checkout: Checkout = getattr(context.resources, checkout_key)
        total = VectorReport()
        buckets = list(context.partition_keys)
        with checkout.writing():
            for bucket, report in checkout.embed(buckets).items():
                total += report
                context.add_asset_metadata(
                    {"computed": report.computed, "from_cache": report.cached},
                    asset_key=key,
                    partition_key=bucket,
                )
        checkout.vector_report = total
        problems = checkout.vector_problems(buckets)
        yield dg.MaterializeResult(asset_key=key)
        yield dg.AssetCheckResult(
            check_name=VECTORS_CHECK,
            asset_key=key,
            passed=not problems,
            metadata={"problems": "; ".join(problems) or "none"},
        )

    return embeddings
