"""The anytime intelligence test (Hernández-Orallo and Dowe 2010)."""

from aiq.wing import Environment, Headline, Measure

MEASURE = Measure(
    name="anytime",
    title="Anytime intelligence test",
    package="aiq.wings.anytime",
    settings="aiq.wings.anytime.plan:Anytime",
    plan="aiq.wings.anytime.plan:AnytimePlan",
    show="aiq.wings.anytime.shown:show",
    main_table="aiq.wings.anytime.shown:main_table",
    heading="anytime test, at the largest budget",
    opening="aiq.wings.anytime.shown:opening",
    checks="aiq.wings.anytime.work:looks",
    samples="aiq.wings.anytime.work:samples",
    verbs="aiq.wings.anytime.verbs:COMMANDS",
    families=tuple(f"aiq.wings.anytime.domains:{name}" for name in ("CUPS", "AUTOMATON", "GRID")),
    environments=tuple(
        Environment(f"aiq/Anytime{name}-v0", f"aiq.wings.anytime.environments:{name}Env", None)
        for name in ("Cups", "Automaton", "Grid")
    ),
    agents="aiq.wings.anytime.environments:addition",
    figures="aiq.wings.anytime.shown:FIGURES",
    headline=Headline(
        "anytime", ("class", "agent", "budget"), *("upsilon", "upsilon_low", "upsilon_high", "tests"), "anytime-budget"
    ),
)
