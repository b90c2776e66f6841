"""The anytime intelligence test (Hernández-Orallo and Dowe 2010)."""

from aiq.wing import Environment, Headline, Measure

MEASURE = Measure(
    name="anytime",
    title="Anytime intelligence test",
    package="aiq.wings.anytime",
    settings="aiq.wings.anytime.settings:Anytime",
    plan="aiq.wings.anytime.plan:AnytimePlan",
    tasks="aiq.wings.anytime.work",
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
    agents="aiq.wings.anytime.table:addition",
    figures="aiq.wings.anytime.figures:FIGURES",
    headline=Headline(
        "anytime",
        ("class", "agent", "budget"),
        *("upsilon", "upsilon_low", "upsilon_high", "tests"),
        "anytime-budget",
    ),
)
