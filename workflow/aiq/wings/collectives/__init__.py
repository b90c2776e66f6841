"""Intelligence of groups of agents in Lambda* (Chmait and others 2015)."""

from aiq.wing import Environment, Headline, Measure

MEASURE = Measure(
    name="collectives",
    title="Intelligence of collectives",
    package="aiq.wings.collectives",
    settings="aiq.wings.collectives.settings:Collectives",
    plan="aiq.wings.collectives.plan:CollectivesPlan",
    tasks="aiq.wings.collectives.work",
    verbs="aiq.wings.collectives.verbs:COMMANDS",
    families=("aiq.wings.collectives.domains.lambda_star",),
    environments=(
        Environment("aiq/LambdaStar-v0", "aiq.wings.collectives.environments.lambda_star:LambdaStarEnv", None),
    ),
    agents="aiq.wings.collectives.table:addition",
    figures="aiq.wings.collectives.figures:FIGURES",
    headline=Headline(
        "intelligence",
        ("kind", "side"),
        *("upsilon", "upsilon_low", "upsilon_high", "episodes"),
        "collectives-uncertainty",
    ),
)
