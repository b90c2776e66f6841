"""The workflow of aiq, for calls in a checkout; workflow/Snakefile has the rules."""


include: "workflow/Snakefile"


workflow.default_target = "all"  # an included file cannot name it
