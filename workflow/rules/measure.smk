"""The rules of a measure, as its plan declares them: one rule per stage."""


def inputs_of(rule):
    """An input function of a rule: what its jobs read, what has to be there before, and a person's own files."""

    def inputs(wildcards):
        words, apart = dict(wildcards.items()), without_shared_files()
        own = from_here(rule.given(PLAN, words, apart))
        code = code_from_here(rule.code(PLAN, words))
        further = [*rule.after(PLAN, words, apart), *own, *code]
        return {**rule.needs(PLAN, words), "further": further}

    return inputs


def asked_of(rule, place):
    """What a job of a rule asks for: of megabytes (0) and minutes (1)."""

    def asked(wildcards):
        return rule.asks(PLAN, dict(wildcards.items()))[place]

    return asked


def print_of(rule):
    """The fingerprint of what a job of a rule makes."""

    def follows(wildcards):
        return rule.follows(PLAN, dict(wildcards.items()))

    return follows


def gpu_of(rule):
    """GPUs that a job of a rule asks for; none is no wish at all."""
    return 1 if rule.trains and CONFIGURATION.device != "cpu" else None


for _rule in PLAN.rules:

    rule:
        name:
            _rule.name
        input:
            unpack(inputs_of(_rule)),
        output:
            _rule.makes(PLAN),
        log:
            LAYOUT.log(*_rule.log),
        benchmark:
            LAYOUT.benchmark(*_rule.log)
        wildcard_constraints:
            **_rule.words,
        conda:
            "../../envs/aiq.yaml"
        threads: CONFIGURATION.threads if _rule.trains else 1
        resources:
            mem_mb=megabytes(asked_of(_rule, 0)),
            runtime=minutes(asked_of(_rule, 1)),
            gpu=gpu_of(_rule),
        params:
            fingerprint=print_of(_rule),
        script:
            "../../scripts/do_job.py"
