"""Similarity of tests by training agents on both of them merged (the 2020 paper)."""

from aiq.wing import Environment, Headline, Measure

_PLAYED = "aiq.wings.similarity2020.environments"

MEASURE = Measure(
    name="similarity",
    package="aiq.wings.similarity2020",
    settings="aiq.wings.similarity2020.settings:Similarities",
    plan="aiq.wings.similarity2020.plan:SimilarityPlan",
    show="aiq.wings.similarity2020.shown:show",
    main_table="aiq.wings.similarity2020.shown:main_table",
    heading="similarity of tests",
    estimate="aiq.wings.similarity2020.work:estimate",
    families=("aiq.wings.similarity2020.domains",),
    environments=(
        Environment("aiq/Roulette-v0", f"{_PLAYED}:RouletteEnv", 100),
        Environment("aiq/NChain-v0", f"{_PLAYED}:NChainEnv", 1000),
    ),
    agents=f"{_PLAYED}:addition",
    figures="aiq.wings.similarity2020.figures:FIGURES",
    headline=Headline(
        "similarity", ("a", "b", "merge", "halvings"), *("similarity", "low", "high", "repetitions"), "similarity-map"
    ),
    expected="aiq.wings.similarity2020.work:expected",
)
