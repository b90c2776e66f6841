"""The anytime intelligence test (Hernández-Orallo and Dowe 2010)."""

from aiq.wing import Environment, Headline, Measure

MEASURE = Measure(
    name="anytime",
    title="Anytime intelligence test",
    package="aiq.wings.anytime",
    settings="aiq.wings.anytime.settings:Anytime",
    plan="aiq.wings.anytime.plan:AnytimePlan",
    show="aiq.wings.anytime.shown:show",
    main_table="aiq.wings.anytime.shown:main_table",
    heading="anytime test, at the largest budget",
    opening="aiq.wings.anytime.shown:opening",
    checks="aiq.wings.anytime.examinees:looks",
    samples="aiq.wings.anytime.work:samples",
    verbs="aiq.wings.anytime.verbs:COMMANDS",
    families=(
        "aiq.wings.anytime.domains.cups",
        "aiq.wings.anytime.domains.automaton",
        "aiq.wings.anytime.domains.grid",
    ),
    environments=(
        Environment("aiq/AnytimeCups-v0", "aiq.wings.anytime.environments.cups:CupsEnv", None),
        Environment("aiq/AnytimeAutomaton-v0", "aiq.wings.anytime.environments.automaton:AutomatonEnv", None),
        Environment("aiq/AnytimeGrid-v0", "aiq.wings.anytime.environments.grid:GridEnv", None),
    ),
    agents="aiq.wings.anytime.scoring:addition",
    figures="aiq.wings.anytime.figures:FIGURES",
    headline=Headline(
        "anytime",
        ("class", "agent", "budget"),
        *("upsilon", "upsilon_low", "upsilon_high", "tests"),
        "anytime-budget",
    ),
)
