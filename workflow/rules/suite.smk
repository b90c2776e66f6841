"""What the rules of a suite share: its plan, its paths, input functions, and lists of products."""

from aiq.config.layout import pair_name

try:
    PLAN = aiq_config.Plan(CONFIGURATION)
except AiqError as error:
    raise WorkflowError(str(error)) from None

LAYOUT = aiq_config.Layout(CONFIGURATION)


wildcard_constraints:
    domain=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    agent=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    group=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    block=r"(pairs|agents)-[0-9a-f]{8}",
    first=r"\d+",
    last=r"\d+",


def domain_files(wildcards):
    """Files that a domain is read from, so that a change in them is noticed."""
    settings = CONFIGURATION.domains[wildcards.domain]
    return [
        found
        for name in getattr(settings, "files", ())
        if (found := locate(name)) is not None
    ]


def locate(name):
    """A named file from here, else below data_root, else nothing (the job then says what is missing)."""
    for folder in ("", CONFIGURATION.data_root):
        if folder is not None and (path := Path(folder) / name).exists():
            return str(path)
    return None


def trial_shards(domain):
    """Shards of the pool on a domain."""
    return [LAYOUT.trial_job(job) for job in PLAN.trial_jobs(domain)]


def mixture_shards():
    """Shards of all mixtures."""
    return [LAYOUT.mixture_job(job) for job in PLAN.mixture_jobs]


def agent_shards():
    """Shards of all agents."""
    return [LAYOUT.agent_job(job) for job in PLAN.agent_jobs]


def each_domain(path):
    """One path for every domain."""
    return [path(domain) for domain in CONFIGURATION.domains]


def mixture_job(wildcards):
    """The job behind a shard of mixtures."""
    return PLAN.mixture_job(wildcards.group, wildcards.block)


def agent_job(wildcards):
    """The job behind a shard of agents."""
    return PLAN.agent_job(wildcards.domain, wildcards.block)


def trials_work(wildcards):
    """What a shard of trials costs, by the cost model."""
    chunks = range(int(wildcards.first), int(wildcards.last) + 1)
    return PLAN.sizing.chunks(wildcards.domain, chunks)


def mixtures_work(wildcards):
    """What a shard of mixtures costs."""
    return PLAN.sizing.mixtures(mixture_job(wildcards).pairs)


def agents_work(wildcards):
    """What a shard of agents costs."""
    return PLAN.sizing.agents(wildcards.domain, agent_job(wildcards).agents)


def domain_work(wildcards):
    """What a domain costs before anything is trained on it."""
    return PLAN.sizing.prepared(wildcards.domain)


def agents_table():
    """The CSV of performances made elsewhere, if one is configured."""
    return [CONFIGURATION.agents.table] if CONFIGURATION.agents.table else []


def outside_shards():
    """Shards of the agents from outside, agent by agent."""
    return [
        LAYOUT.outside(domain, agent.name)
        for agent in CONFIGURATION.agents.outside
        for domain in CONFIGURATION.domains
    ]


def scored():
    """Whether there is anybody to score."""
    agents = CONFIGURATION.agents
    return bool(agents.networks or agents.outside or agents.table)


def entropies():
    """Entropies of the domains; control domains have them from the trained baseline's episodes."""
    measured = CONFIGURATION.baseline is not None or not CONFIGURATION.control
    return each_domain(LAYOUT.entropy) if measured else []


def gpus():
    """GPUs that a training job asks for."""
    return 1 if CONFIGURATION.device == "cuda" else 0


REDUCED = PLAN.sizing.reduced()
ALL_REDUCED = PLAN.sizing.reduced(len(CONFIGURATION.domains))
COMPARED = PLAN.sizing.compared(len(PLAN.pairs))

COMPLEXITY_FIGURES = ["complexity-values", "complexity-panel", "complexity-by-k"]
COMPLEXITY_FIGURES += ["complexity-entropy"] if entropies() else []
CURVE_FIGURES = [f"complexity-{domain}" for domain in CONFIGURATION.domains]
MIXTURE_FIGURES = ["dissimilarity-matrix", "mixture-overview"]
PAIR_FIGURES = [f"mixture-{pair_name(a, b)}" for a, b in PLAN.pairs if a <= b]
SPACE_FIGURES = ["space-plane", "space-solid", "contributions", "spectrum"]
AGENT_FIGURES = ["agents"] if scored() else []
AGENT_FIGURES += ["handicap"] if CONFIGURATION.agents.networks else []
BASELINE_FIGURES = ["baseline"] if CONFIGURATION.baseline else []
BASELINE_FIGURES += ["agents-apti"] if CONFIGURATION.baseline and scored() else []
BASELINE_TABLES = ["baseline"] if CONFIGURATION.baseline else []
BASELINE_TABLES += ["apti"] if CONFIGURATION.baseline and scored() else []
TABLES = ["complexity", "dissimilarity", "space", "cost"]
TABLES += ["agents", "performance", "worth", "order"] if scored() else []


MANY = 300  # Snakemake holds every target against every output of a rule


def all_products():
    """Every figure and table of the run; figures of pairs beyond the first many come with them, drawn by one job."""
    names = (
        COMPLEXITY_FIGURES
        + CURVE_FIGURES
        + MIXTURE_FIGURES
        + PAIR_FIGURES[:MANY]
        + SPACE_FIGURES
        + AGENT_FIGURES
        + BASELINE_FIGURES
    )
    return [LAYOUT.figure(name, "png") for name in names] + [
        LAYOUT.table(name) for name in TABLES + BASELINE_TABLES
    ]


def run_targets():
    """What a run is for."""
    return [LAYOUT.scores if scored() else LAYOUT.space, *all_products()]
