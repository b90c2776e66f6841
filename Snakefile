"""aiq: domains and policies meet in trials; trials reduce to complexities and dissimilarities; those
reduce to a space; the space and an agent's performances reduce to an AIQ."""

from snakemake.utils import min_version

min_version("9.16")


if not {"measure", "domains"} & set(config):

    configfile: "config/quickstart.yaml"


include: "workflow/rules/common.smk"


if MEASURE == "aiq":

    include: "workflow/rules/suite.smk"
    include: "workflow/rules/domains.smk"
    include: "workflow/rules/trials.smk"
    include: "workflow/rules/complexity.smk"
    include: "workflow/rules/dissimilarity.smk"
    include: "workflow/rules/space.smk"
    include: "workflow/rules/quotient.smk"

    if PLAN.with_known_baselines:

        include: "workflow/rules/known_baselines.smk"

    if CONFIGURATION.control:

        include: "workflow/rules/control.smk"

    elif CONFIGURATION.agents.outside:

        include: "workflow/rules/learners.smk"

else:

    include: "workflow/rules/measure.smk"


include: "workflow/rules/products.smk"


report: caption(f"measure-{MEASURE}")


rule all:
    default_target: True
    input:
        lambda wildcards: [list(RESULTS)[-1], *all_products(), LAYOUT.page],
