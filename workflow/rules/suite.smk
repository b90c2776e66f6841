"""What the rules of a suite share: input functions, and what jobs cost."""

from aiq.config.training import module_file


wildcard_constraints:
    domain=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    agent=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    group=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    block=r"(pairs|alone|agents)-[0-9a-f]{8}",
    first=r"\d+",
    last=r"\d+",


def trial_shards(domain):
    """Shards of the pool on a domain."""
    return [LAYOUT.trial_job(job) for job in PLAN.trial_jobs(domain)]


def mixture_shards():
    """Shards of all mixtures."""
    return [LAYOUT.mixture_job(job) for job in PLAN.mixture_jobs]


def interface_file():
    """What all mixtures have in common, where it is found from all domains."""
    return [LAYOUT.interface] if PLAN.ends.shared and PLAN.ends.measured else []


def pool_interface_file():
    """What the networks of the pool have in common, where it is found from all domains."""
    return [LAYOUT.interface] if PLAN.ends.pooled and PLAN.ends.measured else []


def alone_shards():
    """Shards of all domains alone."""
    return [LAYOUT.alone_job(job) for job in PLAN.ends.jobs]


def agent_shards():
    """Shards of all agents."""
    return [LAYOUT.agent_job(job) for job in PLAN.agent_jobs]


def each_domain(path):
    """One path for every domain."""
    return [path(domain) for domain in CONFIGURATION.domains]


def mixture_job(wildcards):
    """The job behind a shard of mixtures."""
    return PLAN.mixture_job(wildcards.group, wildcards.block)


def alone_job(wildcards):
    """The job behind a shard of a domain alone."""
    return PLAN.ends.job(wildcards.domain, wildcards.block)


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


def alone_work(wildcards):
    """What a shard of a domain alone costs."""
    return PLAN.sizing.alone(wildcards.domain, alone_job(wildcards).units)


def agents_work(wildcards):
    """What a shard of agents costs."""
    return PLAN.sizing.agents(wildcards.domain, agent_job(wildcards).agents)


def domain_work(wildcards):
    """What a domain costs before anything is trained on it."""
    return PLAN.sizing.prepared(wildcards.domain)


def agents_table():
    """The CSV of performances made elsewhere, if one is configured."""
    table = CONFIGURATION.agents.table
    return from_here([table] if table else [])


def outside_shards():
    """Shards of the agents from outside, agent by agent."""
    return [
        LAYOUT.outside(domain, agent.name)
        for agent in CONFIGURATION.agents.outside
        for domain in CONFIGURATION.domains
    ]


def outside_work(wildcards):
    """What an agent from outside costs on a domain: its episodes, or its trainings."""
    return PLAN.sizing.agents(wildcards.domain, [wildcards.agent])


def factory_module(wildcards):
    """The Python file of an agent from outside, if it lies here."""
    agents = CONFIGURATION.agents.outside
    return module_file(next(a for a in agents if a.name == wildcards.agent).factory)


def factory_file(wildcards):
    """The Python file of an agent from outside, if it lies here, so that a change in it is noticed."""
    return code_from_here(factory_module(wildcards))


def outside_fingerprint(wildcards):
    """Fingerprint of an agent from outside on a domain."""
    known = PLAN.of_outside(wildcards.domain, wildcards.agent)
    return with_code(known, factory_module(wildcards))


def trials_fingerprint(wildcards):
    """Fingerprint of the pool on a domain."""
    return with_code(PLAN.trials(wildcards.domain), learner_modules())


def learner_modules():
    """The Python files of the pool's learners that lie here."""
    learners = CONFIGURATION.pool.learners
    if learners is None:
        return []
    one = getattr(learners, "generator", None)
    named = [one] if one else [learner.factory for learner in learners]
    return sorted({path for name in named for path in module_file(name)})


def gpus():
    """GPUs that a training job asks for; none is no wish at all, since some engines read 0 as one for a GPU node."""
    return None if CONFIGURATION.device == "cpu" else 1


def compared_work():
    """What the reduction of all mixtures costs."""
    return PLAN.sizing.compared(len(PLAN.pairs))


REDUCED = PLAN.sizing.reduced()
