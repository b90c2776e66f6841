"""Intelligence of groups of agents in Lambda* (Chmait and others 2015)."""

from aiq.wing import Environment, Headline, Measure

MEASURE = Measure(
    name="collectives",
    title="Intelligence of collectives",
    package="aiq.wings.collectives",
    settings="aiq.wings.collectives.plan:Collectives",
    plan="aiq.wings.collectives.plan:CollectivesPlan",
    show="aiq.wings.collectives.shown:show",
    main_table="aiq.wings.collectives.shown:main_table",
    heading="intelligence of groups",
    opening="aiq.wings.collectives.shown:opening",
    samples="aiq.wings.collectives.work:samples",
    verbs="aiq.wings.collectives.verbs:COMMANDS",
    families=("aiq.wings.collectives.domain",),
    environments=(Environment("aiq/LambdaStar-v0", "aiq.wings.collectives.environment:LambdaStarEnv", None),),
    agents="aiq.wings.collectives.environment:addition",
    figures="aiq.wings.collectives.shown:FIGURES",
    headline=Headline(
        "intelligence",
        ("kind", "side"),
        *("upsilon", "upsilon_low", "upsilon_high", "episodes"),
        "collectives-uncertainty",
    ),
)
