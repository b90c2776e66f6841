"""Figures and tables of every measure, as its plan declares them: one rule per job that makes some."""

MANY = 300  # Snakemake holds every target against every output of a rule


def placed(path, product, words, kind, name, subcategory=None):
    """A file with its place and caption in the report."""
    return report(
        path,
        caption=caption(words),
        category=product.category,
        subcategory=subcategory,
        labels={kind: name},
    )


def picture(figure, name):
    """A figure's PNG in the report."""
    where = (figure.caption_file, "figure", name, figure.subcategory)
    return placed(LAYOUT.figure(name, "png"), figure, *where)


def pictures(made):
    """Pictures of a job's figures, and what lies beside each."""
    suffixes = ("svg", "pdf", "csv", "txt")
    names = made.figure_names(PLAN)
    found = [
        picture(figure, name) for figure in made.figures for name in figure.names(PLAN)
    ]
    return found + [LAYOUT.figure(name, end) for name in names for end in suffixes]


def tables(made):
    """A job's tables, and what beside each tells what made it."""
    found = [table for table in made.tables if table.when(PLAN)]
    files = [placed(LAYOUT.table(t.name), t, t.caption, "table", t.name) for t in found]
    return files + [LAYOUT.provenance(t.name) for t in found]


def all_products():
    """Every figure and table of the run; of a pattern the first many, the others come with them, made by one job."""
    figures = [
        name
        for made in PLAN.products()
        for figure in made.figures
        for name in figure.names(PLAN)[:MANY]
    ]
    tables = [name for made in PLAN.products() for name in made.table_names(PLAN)]
    return [LAYOUT.figure(name, "png") for name in figures] + [
        LAYOUT.table(name) for name in tables
    ]


def shown():
    """What the page is made of: its figures with numbers and captions, all tables."""
    names = [
        name
        for made in PLAN.products()
        for figure in made.figures
        if figure.paged
        for name in figure.names(PLAN)
    ]
    tables = [name for made in PLAN.products() for name in made.table_names(PLAN)]
    found = [
        LAYOUT.figure(name, end)
        for name in names
        for end in ("png", "pdf", "csv", "txt")
    ]
    found += [LAYOUT.table(name) for name in tables]
    return found + [LAYOUT.provenance(name) for name in tables]


def own_products():
    """Jobs that draw and tabulate; in a job only its own."""
    made = PLAN.products()
    return [one for one in made if one.name in OWN_RULES] if OWN_RULES else made


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
