"""The algorithmic quotient (Legg and Veness 2013): agents on programs that are drawn at random."""

from aiq.wing import Environment, Headline, Measure

MEASURE = Measure(
    name="algorithmic",
    title="Algorithmic intelligence quotient",
    package="aiq.wings.algorithmic",
    settings="aiq.wings.algorithmic.settings:Algorithmic",
    plan="aiq.wings.algorithmic.plan:AlgorithmicPlan",
    show="aiq.wings.algorithmic.shown:show",
    main_table="aiq.wings.algorithmic.shown:main_table",
    heading="algorithmic quotients",
    opening="aiq.wings.algorithmic.shown:opening",
    checks="aiq.wings.algorithmic.work:looks",
    estimate="aiq.wings.algorithmic.work:estimate",
    verbs="aiq.wings.algorithmic.verbs:COMMANDS",
    families=("aiq.wings.algorithmic.domain",),
    environments=(Environment("aiq/BF-v0", "aiq.wings.algorithmic.environment:BFEnv", None),),
    agents="aiq.wings.algorithmic.players:addition",
    figures="aiq.wings.algorithmic.shown:FIGURES",
    headline=Headline(
        "quotients", ("agent", "length"), *("quotient", "quotient_low", "quotient_high", "runs"), "algorithmic-lengths"
    ),
)
