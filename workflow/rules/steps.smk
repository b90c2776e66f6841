"""The rules of a measure, as its plan declares them: one rule per step that has jobs; in a job only its own."""


def of_job(step, what):
    """A function of the wildcards: what a step tells of the job that has them."""

    def asked(wildcards):
        words = dict(wildcards.items())
        try:
            job = PLAN.job(step.rule, words)
        except KeyError:
            path = LAYOUT.path(step.pattern.format(**words))
            raise WorkflowError(f"{path} is no file of this configuration") from None
        return what(step, job)

    return asked


def inputs(step, job):
    """What a job reads, what has to be there before, and a person's own files."""
    apart = without_shared_files()
    own = from_here(step.given(PLAN, job, apart))
    code = code_from_here(step.code(PLAN, job))
    further = [*step.after(PLAN, job, apart), *own, *code]
    return {**step.reads(PLAN, job), "further": further}


def fingerprint(step, job):
    """What the configuration says about a job; and the content of code that is no input of it."""
    return with_code(step.follows(PLAN, job), step.code(PLAN, job))


def gpu_of(step):
    """GPUs that a job asks for; none is no wish at all, since some engines read 0 as one for a GPU node."""
    return 1 if step.trains and CONFIGURATION.device != "cpu" else None


def own_steps():
    """Steps that have jobs; in a job only its own."""
    if OWN_RULES:
        return [step for step in PLAN.steps if step.rule in OWN_RULES]
    return [step for step in PLAN.steps if PLAN.jobs_of(step.rule)]


for _step in own_steps():

    rule:
        name:
            _step.rule
        input:
            unpack(of_job(_step, inputs)),
        output:
            [LAYOUT.path(place) for place in _step.makes],
        log:
            LAYOUT.log(*_step.logs),
        benchmark:
            LAYOUT.benchmark(*_step.logs)
        wildcard_constraints:
            **_step.words,
        conda:
            "../../envs/aiq.yaml"
        threads: CONFIGURATION.threads if _step.trains else 1
        resources:
            mem_mb=megabytes(of_job(_step, lambda step, job: step.asks(PLAN, job)[0])),
            runtime=minutes(of_job(_step, lambda step, job: step.asks(PLAN, job)[1])),
            gpu=gpu_of(_step),
        params:
            fingerprint=of_job(_step, fingerprint),
        script:
            "../../scripts/do_job.py"
