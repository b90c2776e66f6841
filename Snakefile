"""aiq: domains and policies meet in trials; trials reduce to complexities and dissimilarities; those
reduce to a space; the space and an agent's performances reduce to an AIQ."""

from snakemake.utils import min_version

min_version("9.16")


if "domains" not in config:

    configfile: "config/quickstart.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/domains.smk"
include: "workflow/rules/trials.smk"
include: "workflow/rules/complexity.smk"
include: "workflow/rules/dissimilarity.smk"
include: "workflow/rules/space.smk"
include: "workflow/rules/quotient.smk"
include: "workflow/rules/report.smk"


report: "workflow/report/workflow.rst"


rule all:
    default_target: True
    input:
        run_targets(),
