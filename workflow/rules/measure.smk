"""The rules of a measure, as its plan declares them: one rule per stage."""


def of_job(step, what):
    """A function of the wildcards: what a step tells of the job that has them."""

    def told(wildcards):
        return what(step, PLAN.job(step.rule, dict(wildcards.items())))

    return told


def inputs(step, job):
    """What a job reads, what has to be there before, and a person's own files."""
    apart = without_shared_files()
    own = from_here(step.given(PLAN, job, apart))
    code = code_from_here(step.code(PLAN, job))
    further = [*step.after(PLAN, job, apart), *own, *code]
    return {**step.reads(PLAN, job), "further": further}


def gpu_of(step):
    """GPUs that a job of a step asks for; none is no wish at all."""
    return 1 if step.trains and CONFIGURATION.device != "cpu" else None


for _step in PLAN.steps:

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
            fingerprint=of_job(_step, lambda step, job: step.follows(PLAN, job)),
        script:
            "../../scripts/do_job.py"
