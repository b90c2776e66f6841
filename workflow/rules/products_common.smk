"""What the rule of the page and the rules that draw and tabulate share."""

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
