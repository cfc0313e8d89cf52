"""The Dagster asset `flow_warmup`: answers to a repository's main questions, made on request."""

import dagster as dg

from codequarry.ask.flows.warm import questions, warm
from codequarry.ask.narrators.choose import AUTO, choose_narrator
from codequarry.assets.checkout import Checkout
from codequarry.retrieval.index import open_index

QUESTIONS = 8


def flow_warmup_asset(checkout_key: str, group: str, prefix: list[str]) -> dg.AssetsDefinition:
    """The warm-up of one repository; the arguments are those of every asset of it."""

    @dg.multi_asset(
        name="_".join([*prefix, "ask_main_questions"]),  # the job has the asset's own name
        specs=[
            dg.AssetSpec(
                dg.AssetKey([*prefix, "flow_warmup"]),
                deps=[dg.AssetKey([*prefix, "snapshot"])],
                description=(
                    "Kept answers to the questions of .quarryqueries, then about the central "
                    "files; a chat model narrates where one is set up, else the index alone."
                ),
                group_name=group,
                kinds={"sqlite"},
            )
        ],
        required_resource_keys={checkout_key},
    )
    def flow_warmup(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        checkout: Checkout = getattr(context.resources, checkout_key)
        index = open_index(checkout.root, model=checkout.settings.model)
        narrator = choose_narrator(AUTO, checkout.settings, index)
        asked = questions(index.generation)[:QUESTIONS]
        rows = list(warm(index, asked, narrator, checkout.settings))
        return dg.MaterializeResult(
            metadata={
                "narrator": narrator.name,
                "asked": len(rows),
                "there_before": sum(row.cached for row in rows),
                "kept": sum(row.kept and not row.cached for row in rows),
                "questions": dg.MetadataValue.md("\n".join(f"- {row.question}" for row in rows)),
                "see": dg.MetadataValue.text("quarry flows list"),
            }
        )

    return flow_warmup
