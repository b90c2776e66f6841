"""Growing adds, never redoes; what is changed redoes what depends on it and nothing else."""

import copy
import itertools
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.config import parse
from aiq.errors import AiqError
from aiq.plans import suite_ends
from aiq.plans.layout import SuiteLayout
from aiq.plans.suite import SPACE, SuitePlan
from aiq.plans.suite_partial import PartialPlan

QUICK = settings(max_examples=25, deadline=None)
BASE = yaml.safe_load((Path(__file__).parents[2] / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
AGENTS = [{"name": f"net-{k}", "layers": 1 + k % 3, "width": 2 + k} for k in range(9)]

name = st.text("abcXYZ019_.-", min_size=1, max_size=5).filter(lambda text: text[0].isalnum())
names = st.lists(name, min_size=1, max_size=6, unique_by=str.lower)


def raw(
    domains, *, chunks=6, repetitions=4, agents=3, agent_repetitions=2, jobs=(1, 1, 10), pool="domain", **dissimilarity
) -> dict:
    """A configuration of some domains, each with parameters of its own."""
    made = copy.deepcopy(BASE)
    made["domains"] = {d: {"source": "sklearn", "name": "digits", "limit": 10 + len(d) + ord(d[0])} for d in domains}
    made["pool"] |= {"size": 4 * chunks, "policies_per_chunk": 4, "interface": pool}
    made["dissimilarity"] |= {"repetitions": repetitions, "repetitions_per_chunk": 2, **dissimilarity}
    made["agents"] = {"networks": AGENTS[:agents], "repetitions": agent_repetitions}
    made["jobs"] = dict(zip(("chunks_per_job", "mixtures_per_job", "agents_per_job"), jobs, strict=True))
    return made


def plan(*args, **how) -> SuitePlan:
    return SuitePlan(parse(raw(*args, **how)))


COMMON = [[64], None, 10, 10]  # an interface in plain form
NINE = tuple(k / 10 for k in range(1, 10))


def units(made: SuitePlan, common: object = COMMON) -> dict[tuple, str]:
    """Every unit with its fingerprint; where ends are domains', under one interface."""
    found: dict[tuple, str] = {}
    for domain in made.configuration.domains:
        found["domain", domain] = made.domain(domain)
        for job in made.trial_jobs(domain):
            for chunk in job.chunks:
                assert ("trials", domain, chunk) not in found
                found["trials", domain, chunk] = made.trials_unit(domain, common[:3] if made.ends.pooled else None)
    for job in made.mixture_jobs:
        for (a, b), chunk in itertools.product(job.pairs, range(job.chunks)):
            assert ("mixtures", a, b, chunk) not in found
            found["mixtures", a, b, chunk] = made.mixture_unit(a, b, common if made.ends.shared else None)
    for job in made.ends.jobs:
        for part, chunk in job.units:
            assert ("alone", job.domain, part, chunk) not in found
            found["alone", job.domain, part, chunk] = made.ends.unit(job.domain, part, common)
    for job in made.agent_jobs:
        for agent, repetition in itertools.product(job.agents, range(made.configuration.agents.repetitions)):
            assert ("agents", job.domain, agent, repetition) not in found
            found["agents", job.domain, agent, repetition] = made.agent(job.domain, agent)
    return found


def shards(made: SuitePlan) -> dict[str, tuple[str, str]]:
    return made.shards()


def contains(larger: Mapping, smaller: Mapping) -> bool:
    return smaller.items() <= larger.items()


# ---- completeness -------------------------------------------------------------------------------

jobs = st.tuples(st.integers(1, 8), st.integers(1, 8), st.integers(1, 4))


@QUICK
@given(domains=names, both=st.booleans(), jobs=jobs)
def test_every_unit_is_in_exactly_one_job_and_paths_are_unique(domains, both, jobs):
    made = plan(domains, jobs=jobs, both_orders=both)
    found = units(made)  # asserts that none occurs twice
    pairs = {key[1:3] for key in found if key[0] == "mixtures"}
    wanted = {tuple(sorted(p)) for p in itertools.combinations_with_replacement(domains, 2)}
    assert pairs == (wanted | {(b, a) for a, b in wanted} if both else wanted)
    assert {key[1:] for key in found if key[0] == "trials"} == set(itertools.product(domains, range(6)))
    wanted_agents = set(itertools.product(domains, ["net-0", "net-1", "net-2"], range(2)))
    assert {key[1:] for key in found if key[0] == "agents"} == wanted_agents
    wanted_alone = {(d, part, k) for d in domains for part in ("ends", "controls") for k in range(2)}
    assert {key[1:] for key in found if key[0] == "alone"} == wanted_alone
    jobs_count = sum(len(made.trial_jobs(d)) for d in domains) + len(made.mixture_jobs) + len(made.agent_jobs)
    assert len(shards(made)) == len(domains) + 1 + len(made.ends.jobs) + jobs_count
    assert len({path.lower() for path in shards(made)}) == len(shards(made))


@QUICK
@given(domains=names, jobs=jobs)
def test_jobs_keep_to_their_size_and_read_what_they_need(domains, jobs):
    made = plan(domains, jobs=jobs)
    for job in made.mixture_jobs:
        assert 1 <= len(job.pairs) <= jobs[1]
        assert all(job.group == max(pair) for pair in job.pairs)
        assert set(job.domains) == {d for pair in job.pairs for d in pair}
        assert made.mixture_job(job.group, job.block) is job
    for job in made.ends.jobs:
        assert made.ends.job(job.domain, job.block) is job
    for job in made.agent_jobs:
        assert 1 <= len(job.agents) <= jobs[2]
        assert made.agent_job(job.domain, job.block) is job
    for job in made.trial_jobs(domains[0]):
        assert 1 <= len(job.chunks) <= jobs[0]


@QUICK
@given(domains=names, one=jobs, other=jobs)
def test_cutting_into_jobs_changes_no_unit_and_no_result(domains, one, other):
    a, b = plan(domains, jobs=one), plan(domains, jobs=other)
    assert units(a) == units(b)
    assert results(a) == results(b)


@QUICK
@given(domains=names, data=st.data())
def test_the_order_of_domains_and_agents_changes_no_unit(domains, data):
    shuffled = data.draw(st.permutations(domains))
    one, other = raw(domains), raw(shuffled)
    other["agents"]["networks"] = data.draw(st.permutations(other["agents"]["networks"]))
    a, b = SuitePlan(parse(one)), SuitePlan(parse(other))
    assert units(a) == units(b)
    assert shards(a) == shards(b)


# ---- growing ------------------------------------------------------------------------------------


@QUICK
@given(domains=names, extra=st.integers(1, 9), jobs=jobs)
def test_a_larger_pool_adds_chunks(domains, extra, jobs):
    small, large = plan(domains, chunks=6, jobs=jobs), plan(domains, chunks=6 + extra, jobs=jobs)
    assert contains(units(large), units(small))
    whole = {p: v for p, v in shards(small).items() if v[0] == "trials"}
    if 6 % jobs[0]:  # only the last, partly filled job of each domain gets another name
        whole = {p: v for p, v in whole.items() if not p.endswith("-0005.h5")}
    assert contains(shards(large), whole)
    assert contains(shards(large), {p: v for p, v in shards(small).items() if v[0] != "trials"})


@QUICK
@given(domains=names, more=st.integers(1, 4))
def test_more_repetitions_add_units(domains, more):
    small = plan(domains, repetitions=4, agent_repetitions=2)
    large = plan(domains, repetitions=4 + 2 * more, agent_repetitions=2 + more)
    assert contains(units(large), units(small))
    assert contains(shards(large), {p: v for p, v in shards(small).items() if v[0] in ("domain", "trials")})
    folders = {(p.rsplit("/", 1)[0]) for p in shards(small)}
    assert folders == {p.rsplit("/", 1)[0] for p in shards(large)}  # so that finished units are found


@QUICK
@given(domains=names, more=st.integers(1, 6), jobs=jobs)
def test_more_agents_add_units(domains, more, jobs):
    small, large = plan(domains, agents=3, jobs=jobs), plan(domains, agents=3 + more, jobs=jobs)
    assert contains(units(large), units(small))
    assert contains(shards(large), {p: v for p, v in shards(small).items() if v[0] != "agents"})


STATED = {"interface": {"shape": [1, 9, 9], "outputs": 40}, "samples": 50}


@pytest.mark.parametrize("how", [{"ends": "pair"}, {"ends": "domain"}, STATED], ids=["pair", "domain", "stated"])
@QUICK
@given(domains=st.lists(name, min_size=2, max_size=6, unique_by=str.lower), place=st.integers(0, 5), jobs=jobs)
def test_a_domain_added_anywhere_adds_units_and_keeps_the_shards_before_it(how, domains, place, jobs):
    """Where the interface is found from all domains, shards are written anew from the units of those before."""
    new, *old = domains
    grown = [*old[:place], new, *old[place:]]
    small, large = plan(old, jobs=jobs, **how), plan(grown, jobs=jobs, **how)
    assert contains(units(large), units(small))
    moved = {"mixtures", "alone", "interface"} if small.ends.measured else {"mixtures"}
    kept = {p: v for p, v in shards(small).items() if v[0] not in moved}
    assert contains(shards(large), kept)
    layout = small.layout
    mixtures = {job.group: layout.mixture_job(job) for job in small.mixture_jobs}
    if small.ends.measured:  # no shard is where it was, so that none is overwritten before its units are taken over
        names = {p for p, v in shards(small).items() if v[0] in ("mixtures", "alone")}
        assert not names & set(shards(large))
        return
    assert {path for group, path in mixtures.items() if group < new} <= set(shards(large))
    if jobs[1] == 1:  # a block that names its pair alone moves at most in its number
        assert {j.block[-8:] for j in small.mixture_jobs} <= {j.block[-8:] for j in large.mixture_jobs}


def test_units_hang_on_the_interface_and_on_nothing_else_of_the_suite():
    one, two = plan(["a", "b"]), plan(["a", "b", "c"])
    assert contains(units(two), units(one))
    other = units(one, [[64], None, 11, 10])
    changed = {key for key in other if other[key] != units(one)[key]}
    assert {key[0] for key in changed} == {"mixtures", "alone"}
    assert len(changed) == sum(key[0] in ("mixtures", "alone") for key in other)
    stated = plan(["a", "b"], **STATED)
    assert units(stated) == units(one)  # whether found or stated: it is the interface that counts
    assert not stated.ends.measured
    assert "interface" not in {kind for kind, _ in stated.shards().values()}


@pytest.mark.parametrize("how", [{"ends": "pair"}, {}, STATED], ids=["pair", "domain", "stated"])
def test_the_pool_may_be_trained_under_the_interface_of_the_suite(how):
    """By default nothing knows of it; with it trials, and only they, hang on inputs and outputs of the suite."""
    own, suite, grown = (
        plan(["a", "b"], **how),
        plan(["a", "b"], pool="suite", **how),
        plan(["a", "b", "c"], pool="suite", **how),
    )
    assert own.trials("a") == plan(["a", "b", "c"], **how).trials("a") == own.trials_unit("a", None)
    assert {key[0] for key in units(own) if units(suite)[key] != units(own)[key]} == {"trials"}
    assert contains(units(grown), units(suite))
    assert units(suite, [[64], None, 10, 99])["trials", "a", 0] == units(suite)["trials", "a", 0]  # samples are its own
    assert units(suite, [[65], None, 10, 10])["trials", "a", 0] != units(suite)["trials", "a", 0]
    of_trials = [{p for p, v in shards(made).items() if v[0] == "trials"} for made in (own, suite, grown)]
    assert not of_trials[0] & of_trials[1]  # neither way overwrites the other
    assert bool(of_trials[1] & of_trials[2]) == (how == STATED)  # no shard is overwritten before it is taken over
    kinds = [kind for kind, _ in shards(suite).values()]
    assert ("interface" in kinds) == (how != STATED)
    if how != STATED:
        assert kinds.index("interface") < kinds.index("trials")


def test_ends_of_domains_and_controls_may_grow_alone():
    base = plan(["a", "b"])
    for more in ({"end_repetitions": 18}, {"controls": False}):
        large, small = (plan(["a", "b"], **more), base) if "controls" not in more else (base, plan(["a", "b"], **more))
        assert contains(units(large), units(small))
        assert len(units(large)) > len(units(small))
    assert {key[:3] for key in units(plan(["a"], controls=False)) if key[0] == "alone"} == {("alone", "a", "ends")}
    assert not [key for key in units(plan(["a"], ends="pair")) if key[0] == "alone"]


def test_the_eighth_domain_leaves_the_shards_of_controls_where_they_are():
    """From 8 domains on chunks of controls are smaller; no shard of a larger one is overwritten before it is read."""
    eight = list("abcdefgh")
    for how in ({**STATED}, {}):
        seven, grown, kept = (
            plan(domains, repetitions=5, repetitions_per_chunk=5, **how, **more)
            for domains, more in ((eight[:7], {}), (eight, {}), (eight, {"control_repetitions": 5}))
        )
        alone = [{p for p, v in shards(made).items() if v[0] == "alone"} for made in (seven, grown)]
        assert not alone[0] & alone[1]
        before, after = units(seven), units(grown)
        changed = {key[:3:2] for key in before if after.get(key) != before[key]}
        assert changed == {("alone", "controls")}
        assert contains(units(kept), before)
        assert grown.ends.places("controls", 0) == [(share, r) for share in NINE for r in range(3)]
        assert after["alone", "a", "controls", 0] == grown.ends.unit("a", "controls", COMMON, 3)
        assert before["alone", "a", "controls", 0] == grown.ends.unit("a", "controls", COMMON, 5)
        assert kept.dissimilarity() != grown.dissimilarity()
    assert plan(eight[:7], repetitions=5, repetitions_per_chunk=5, control_repetitions=5).dissimilarity() == (
        plan(eight[:7], repetitions=5, repetitions_per_chunk=5).dissimilarity()
    )


def test_a_part_of_a_suite_has_as_many_controls_as_the_whole():
    whole = plan(list("abcdefgh"), repetitions=5, repetitions_per_chunk=5)
    part = PartialPlan(whole, ["a", "b"], whole.mixture_jobs)
    assert part.configuration.control_repetitions == whole.configuration.control_repetitions == 3
    assert set(part.ends.jobs) == {job for job in whole.ends.jobs if job.domain in "ab"}


@QUICK
@given(domains=names)
def test_measuring_both_orders_adds_the_other_order(domains):
    assert contains(units(plan(domains, both_orders=True)), units(plan(domains)))


# ---- dependence ---------------------------------------------------------------------------------


def results(made: SuitePlan) -> dict[tuple, str]:
    found = {
        (kind, d): getattr(made, kind)(d) for kind in ("complexity", "entropy") for d in made.configuration.domains
    }
    return {
        **found,
        **{(kind,): getattr(made, kind)() for kind in ("dissimilarity", "space", "scores", "known_baselines")},
    }


def redone(one: SuitePlan, other: SuitePlan) -> set[tuple]:
    """Units and results of which the fingerprint differs."""
    before, after = units(one) | results(one), units(other) | results(other)
    assert set(before) == set(after)
    return {key for key in before if before[key] != after[key]}


def every(made: SuitePlan, *kinds: str) -> set[tuple]:
    return {key for key in units(made) | results(made) if key[0] in kinds}


@QUICK
@given(domains=names, data=st.data())
def test_a_changed_domain_redoes_what_depends_on_it(domains, data):
    made = raw(domains)
    one = SuitePlan(parse(made))
    victim = data.draw(st.sampled_from(domains))
    made["domains"][victim]["noise"] = 0.25
    wanted = {key for key in units(one) | results(one) if victim in (key[1:2] if key[0] == "alone" else key[1:3])}
    wanted |= every(one, "dissimilarity", "space", "scores", "known_baselines")
    assert redone(one, SuitePlan(parse(made))) == wanted


ALL = ("domain", "trials", "mixtures", "alone", "agents", "complexity", "entropy", "dissimilarity", "space", "scores")
ALL += ("known_baselines",)
TRAINED = ("mixtures", "alone", "dissimilarity", "space", "scores")
CHANGES = [
    ("seed", 1, ALL),
    ("pool/outputs", "label_space", (*TRAINED, "agents", "trials", "complexity")),
    ("pool/width", [1, 64], ("trials", "complexity", "space", "scores")),
    ("training/epochs", 3, ("trials", "agents", "complexity", "space", "scores")),
    ("complexity/bins", 10, ("complexity", "space", "scores")),
    ("entropy/method", "histogram", ("entropy",)),
    ("known_baselines/samples", 99, ("known_baselines",)),
    ("known_baselines/when", "always", ()),  # what is installed on a node changes no plan
    ("known_baselines/confidence", 0.9, ()),  # of correlations, which are computed when they are shown
    ("dissimilarity/proportions", 5, TRAINED),
    ("dissimilarity/network/width", 9, TRAINED),
    ("dissimilarity/training/epochs", 9, TRAINED),
    ("dissimilarity/samples", 99, ("dissimilarity", "space", "scores")),  # units have them from the interface
    ("dissimilarity/labels", "told", ("dissimilarity", "space", "scores")),
    ("dissimilarity/labels", "shared", ("mixtures", "dissimilarity", "space", "scores")),  # ends have their own first
    ("dissimilarity/estimator", "per_repetition", ("dissimilarity", "space", "scores")),
    ("dissimilarity/value", "corrected", ("dissimilarity", "space", "scores")),
    ("space/refine", True, ("space", "scores")),
    ("quotient/confidence", 0.9, ("scores",)),
    ("agents/training", BASE["training"] | {"epochs": 2}, ("agents", "scores")),
    ("agents/table", "results.csv", ("scores",)),
    ("name", "other", ()),
    ("results", "elsewhere", ()),
    ("threads", 2, ()),
    ("device", "cuda", ("trials", "agents", "complexity", *TRAINED)),  # never mixed with what a CPU trained
    ("device", "cuda:1", ("trials", "agents", "complexity", *TRAINED)),
    ("jobs/gpu_memory", 0.5, ()),
    ("data_root", "/data", ()),
    ("download", False, ()),
]


@pytest.mark.parametrize(("place", "value", "kinds"), CHANGES, ids=[change[0] for change in CHANGES])
def test_a_changed_setting_redoes_what_depends_on_it(place, value, kinds):
    made = raw(["a", "b", "c"])
    one = SuitePlan(parse(made))
    *path, last = place.split("/")
    node = made
    for part in path:
        node = node.setdefault(part, {})
    node[last] = value
    found = redone(one, SuitePlan(parse(made)))
    if place == "dissimilarity/proportions":  # ends have no proportions but 1
        found |= {key for key in units(one) if key[0] == "alone" and key[2] == "ends"}
    assert found == every(one, *kinds)


def test_which_of_several_gpus_trained_does_not_matter():
    made = raw(["a", "b"])
    one, other = (SuitePlan(parse({**made, "device": device})) for device in ("cuda", "cuda:3"))
    assert units(one) == units(other)


def test_results_of_gpus_before_their_orders_changed_are_not_taken_over(monkeypatch):
    """The fingerprints of GPUs hold a version of their own; those of a CPU hold nothing about the device."""
    made = raw(["a", "b"])
    plans = [SuitePlan(parse({**made, "device": device})) for device in ("cuda", "cpu")]
    now, cpu = (units(plan) | results(plan) for plan in plans)
    monkeypatch.setattr(suite_ends, "GPU_ORDERS", 1)
    plans = [SuitePlan(parse({**made, "device": device})) for device in ("cuda", "cpu")]
    before, still = (units(plan) | results(plan) for plan in plans)
    assert {key for key in now if now[key] != before[key]} == every(
        plans[0], "trials", "agents", "complexity", *TRAINED
    )
    assert cpu == still


def test_domains_of_equal_parameters_are_one_content_but_two_trainings():
    made = raw(["a", "b"])
    made["domains"]["b"] = made["domains"]["a"]
    found = SuitePlan(parse(made))
    assert found.domain("a") == found.domain("b")
    assert found.trials("a") != found.trials("b")


# ---- landmarks ----------------------------------------------------------------------------------


@QUICK
@given(domains=names, data=st.data())
def test_with_landmarks_every_domain_meets_itself_and_every_landmark(domains, data):
    chosen = data.draw(st.lists(st.sampled_from(domains), min_size=1, unique=True))
    made = plan(domains, landmarks={"names": chosen})
    wanted = {(d, d) for d in domains} | {tuple(sorted((d, mark))) for d in domains for mark in chosen}
    assert set(made.pairs) == wanted
    assert len(made.pairs) == len(wanted)
    everything = units(plan(domains))
    assert contains(everything, units(made))


@QUICK
@given(domains=names, count=st.integers(1, 9))
def test_a_count_of_landmarks_is_kept(domains, count):
    marks = plan(domains, landmarks={"count": count}).landmarks
    assert len(marks) == len(set(marks)) == min(count, len(domains))
    assert set(marks) <= set(domains)


# ---- paths --------------------------------------------------------------------------------------


def test_paths_of_rules_and_of_code_are_the_same():
    made = plan(["a", "b"])
    layout = SuiteLayout(made.configuration)
    assert layout.trials("{domain}") == "results/quickstart/trials/{domain}/chunks-{first}-{last}.h5"
    job = made.trial_jobs("a")[1]
    assert layout.trial_job(job) == layout.trials("a", "0001", "0001")
    assert layout.mixture_job(made.mixture_jobs[0]).startswith("results/quickstart/mixtures/a/pairs-")
    assert layout.agent_job(made.agent_jobs[0]).startswith("results/quickstart/agents/a/agents-")


def test_every_path_lies_in_the_results_folder():
    made = plan(["a", "b"])
    layout = SuiteLayout(made.configuration)
    paths = [*shards(made), layout.domain("a"), layout.complexity("a"), layout.entropy("a"), layout.dissimilarity]
    paths += [layout.space, layout.scores, layout.report, layout.table("t"), layout.figure("f", "png")]
    paths += [layout.log("x", "y"), layout.benchmark("x", "y")]
    assert all(path.startswith("results/quickstart/") for path in paths)
    assert len(set(paths)) == len(paths) - 1  # the domain "a" is among the shards


def test_every_key_of_the_space_counts():
    """None is younger than the stage's version, which was raised when the headline came."""
    usual = plan(["a", "b"])
    written = usual.configuration.space.model_dump(mode="json")
    parts = [usual.complexity("a"), usual.complexity("b")]
    assert usual.space() == SPACE.fingerprint(parts, usual.dissimilarity(), written)
    made = raw(["a", "b"])
    made["space"] = {"distance": "transfer"}
    other = SuitePlan(parse(made))
    assert other.space() != usual.space()
    assert other.dissimilarity() == usual.dissimilarity()


def test_pairing_counts_only_where_it_is_asked_for():
    """The key is younger than the stage: where nothing is paired no stored dissimilarity is made anew."""
    usual, auto, no, yes = (
        plan(["a", "b"], ends="pair", **paired).dissimilarity()
        for paired in ({}, {"paired": "auto"}, {"paired": "no"}, {"paired": "yes"})
    )
    assert usual == auto == no != yes


def test_trials_of_learners_made_elsewhere_know_the_stage_that_trains_them():
    """A raised version of it trains them again, and no pool of networks."""
    made = raw(["a", "b"])
    networks = SuitePlan(parse(made)).trials("a")
    made["pool"] = {"size": 4, "policies_per_chunk": 2, "learners": {"generator": "aiq.policies.trees:drawn"}}
    trees = SuitePlan(parse(made)).trials("a")
    assert "learners" in trees.versions
    assert "learners" not in networks.versions


# ---- twins --------------------------------------------------------------------------------------


@QUICK
@given(domains=names, jobs=jobs)
def test_twins_add_mixtures_and_further_twins_leave_the_shards_of_the_first(domains, jobs):
    without, one, two = (plan(domains, jobs=jobs, labels="shared", twins=k) for k in (0, 1, 2))
    assert contains(units(one), units(without))  # under one interface: twins are no part of what others hang on
    assert contains(units(two), units(one))
    assert contains(shards(two), {p: v for p, v in shards(one).items() if v[0] == "mixtures"})
    count = len(domains)
    assert len(two.mixed) - len(two.pairs) == 2 * (count + count * (count - 1))
    assert {name for pair in two.mixed for name in pair} >= {f"{d}~{k}" for d in domains for k in (1, 2)}
    for job in two.mixture_jobs:
        assert set(job.domains) <= set(domains)


def test_twins_of_tests_are_as_many_mixtures_as_tests():
    of_pairs, of_tests = (plan(["a", "b", "c"], labels="shared", twins=2, twins_of=of) for of in ("pairs", "tests"))
    assert len(of_pairs.mixed) - len(of_pairs.pairs) == 2 * 9
    assert set(of_tests.mixed) - set(of_tests.pairs) == {(a, f"{a}~{k}") for a in "abc" for k in (1, 2)}
    assert contains(units(of_pairs), units(of_tests))


def test_a_suite_with_twins_has_an_interface_of_its_own():
    without, one = plan(["a", "b"], labels="shared"), plan(["a", "b"], labels="shared", twins=1)
    assert without.ends.common != one.ends.common
    assert without.dissimilarity() != one.dissimilarity()


def test_twins_of_convolutional_networks_stay_where_pictures_are():
    convolutional = {"family": "convolutional", "layers": 1, "width": 4}
    without, one = (plan(["a", "b"], labels="shared", twins=k, network=convolutional) for k in (0, 1))
    assert without.ends.common == one.ends.common  # places of their own would take their geometry from them
    assert contains(units(one), units(without))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"labels": "apart"}, "set dissimilarity.labels to shared"),
        ({"ends": "pair"}, "goes with ends: domain"),
        ({"both_orders": True}, "goes with both_orders: false"),
        ({"repetitions": 1, "repetitions_per_chunk": 1}, "2 repetitions or more"),
    ],
)
def test_what_twins_cannot_be_had_with_is_refused_in_one_sentence(wrong, words):
    with pytest.raises(AiqError, match=words):
        plan(["a", "b"], **{"labels": "shared", "twins": 2, **wrong})
