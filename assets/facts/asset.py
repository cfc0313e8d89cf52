"""The Dagster assets `chunks`, `symbols`, `references` and `skeletons`: all from one parse."""

from collections.abc import Iterator

import dagster as dg

from codequarry.assets.census.asset import BUCKET_PARTITIONS
from codequarry.assets.checkout import Checkout
from codequarry.assets.chunks.check import partition_problems
from codequarry.assets.facts.extract import EMBEDDED_VERSION
from codequarry.assets.languages.versions import of_all_languages
from codequarry.schemas import FACTS_VERSION

FACT_ASSETS = {
    "chunks": "The line partition of every blob: each line in exactly one chunk.",
    "symbols": "Every definition at any depth, with scope, signature and doc comment.",
    "references": "What every blob refers to and what its names are bound to, unresolved.",
    "skeletons": "One short text a blob: its signatures and the first lines of their docs.",
}
# The rules that each artefact depends on; see `codequarry.assets.languages.spec.Versions`.
DEPENDS_ON = {
    "chunks": ("chunker",),
    "symbols": ("extractor",),
    "references": ("extractor",),
    "skeletons": ("extractor", "skeleton"),
}
PARTITION_CHECK = "line_partition"
MAX_PROBLEMS_SHOWN = 20


def _code_version(name: str) -> str:
    rules = of_all_languages(*DEPENDS_ON[name])
    return f"{FACTS_VERSION}.{EMBEDDED_VERSION}.{rules}"


def facts_assets(checkout_key: str, group: str, prefix: list[str]) -> dg.AssetsDefinition:
    """The facts of one repository, by bucket; see `census_asset` for the arguments."""
    source, census = dg.AssetKey([*prefix, "source_blobs"]), dg.AssetKey([*prefix, "census"])
    chunks = dg.AssetKey([*prefix, "chunks"])

    @dg.multi_asset(
        name="_".join([*prefix, "facts"]),
        specs=[
            dg.AssetSpec(
                [*prefix, name],
                deps=[source, census],
                description=text,
                group_name=group,
                kinds={"parquet", "treesitter"},
                code_version=_code_version(name),
            )
            for name, text in FACT_ASSETS.items()
        ],
        check_specs=[
            dg.AssetCheckSpec(
                PARTITION_CHECK,
                asset=chunks,
                blocking=True,
                description="Chunks of every blob cover its lines: no gap, no overlap.",
            )
        ],
        partitions_def=BUCKET_PARTITIONS,
        backfill_policy=dg.BackfillPolicy.single_run(),
        required_resource_keys={checkout_key},
    )
    def facts(
        context: dg.AssetExecutionContext,
    ) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
        checkout: Checkout = getattr(context.resources, checkout_key)
        buckets = list(context.partition_keys)
        with checkout.writing():
            report = checkout.build_facts(buckets)
        checkout.facts_report = report
        for bucket, rows in report.rows.items():
            for name in FACT_ASSETS:
                context.add_asset_metadata(
                    {"rows_added": rows[name], "blobs_parsed": rows["parses"]},
                    asset_key=dg.AssetKey([*prefix, name]),
                    partition_key=bucket,
                )
        problems = partition_problems(checkout.layout, list(report.rows))
        for name in FACT_ASSETS:
            yield dg.MaterializeResult(asset_key=[*prefix, name])
        yield dg.AssetCheckResult(
            check_name=PARTITION_CHECK,
            asset_key=chunks,
            passed=not problems,
            metadata={
                "blobs_checked": report.parsed,
                "problems": dg.MetadataValue.md(
                    "\n".join(f"- {problem}" for problem in problems[:MAX_PROBLEMS_SHOWN]) or "none"
                ),
            },
        )

    return facts
