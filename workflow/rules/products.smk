"""Figures and tables of every measure, as its plan declares them: one rule per job that makes some."""


include: "products_common.smk"


rule write_page:
    input:
        lambda wildcards: shown(),
    output:
        LAYOUT.page,
    log:
        LAYOUT.log("page"),
    benchmark:
        LAYOUT.benchmark("page")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(lambda wildcards: PLAN.page_request()[0]),
        runtime=minutes(lambda wildcards: PLAN.page_request()[1]),
    params:
        fingerprint=lambda wildcards: PLAN.page(),
    script:
        "../../scripts/write_page.py"


for _made in own_products():

    rule:
        name:
            _made.name
        input:
            **_made.needs(PLAN),
        output:
            pictures(_made),
            tables(_made),
        log:
            LAYOUT.log(_made.name),
        benchmark:
            LAYOUT.benchmark(_made.name)
        conda:
            "../../envs/aiq.yaml"
        resources:
            mem_mb=megabytes(_made.megabytes(PLAN)),
            runtime=minutes(_made.minutes(PLAN)),
        params:
            fingerprint=lambda wildcards, made=_made: made.follows(PLAN),
        script:
            "../../scripts/make_products.py"
