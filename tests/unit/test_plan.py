"""Every unit has one job; growing adds, never redoes."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planned import COMMON, NINE, QUICK, contains, jobs, name, names, plan, raw, results, shards, units

from aiq.config import parse
from aiq.errors import AiqError
from aiq.plans.layout import SuiteLayout
from aiq.plans.suite import SuitePlan
from aiq.run.reducing.partial import PartialPlan

# ---- completeness -------------------------------------------------------------------------------


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


@pytest.mark.parametrize("ends", ["pair", "domain"])
@QUICK
@given(domains=st.lists(name, min_size=2, max_size=6, unique_by=str.lower), place=st.integers(0, 5), jobs=jobs)
def test_a_domain_added_anywhere_adds_units_and_keeps_the_shards_before_it(ends, domains, place, jobs):
    """Where the interface is found from all domains, shards are written anew from the units of those before."""
    new, *old = domains
    grown = [*old[:place], new, *old[place:]]
    small, large = plan(old, jobs=jobs, ends=ends), plan(grown, jobs=jobs, ends=ends)
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


@pytest.mark.parametrize("ends", ["pair", "domain"])
def test_the_pool_may_be_trained_under_the_interface_of_the_suite(ends):
    """By default nothing knows of it; with it trials, and only they, hang on inputs and outputs of the suite."""
    own, suite, grown = (
        plan(["a", "b"], ends=ends),
        plan(["a", "b"], pool="suite", ends=ends),
        plan(["a", "b", "c"], pool="suite", ends=ends),
    )
    assert own.trials("a") == plan(["a", "b", "c"], ends=ends).trials("a") == own.trials_unit("a", None)
    assert {key[0] for key in units(own) if units(suite)[key] != units(own)[key]} == {"trials"}
    assert contains(units(grown), units(suite))
    assert units(suite, [[64], None, 10, 99])["trials", "a", 0] == units(suite)["trials", "a", 0]  # samples are its own
    assert units(suite, [[65], None, 10, 10])["trials", "a", 0] != units(suite)["trials", "a", 0]
    of_trials = [{p for p, v in shards(made).items() if v[0] == "trials"} for made in (own, suite, grown)]
    assert not of_trials[0] & of_trials[1]  # neither way overwrites the other
    assert not of_trials[1] & of_trials[2]  # no shard is overwritten before it is taken over
    kinds = [kind for kind, _ in shards(suite).values()]
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
    seven, grown, kept = (
        plan(domains, repetitions=5, repetitions_per_chunk=5, **more)
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


def test_every_path_lies_in_the_results_folder():
    made = plan(["a", "b"])
    layout = SuiteLayout(made.configuration.results)
    paths = [*shards(made), layout.domain("a"), layout.complexity("a"), layout.entropy("a"), layout.dissimilarity]
    paths += [layout.space, layout.scores, layout.report, layout.table("t"), layout.figure("f", "png")]
    paths += [layout.log("x", "y"), layout.benchmark("x", "y")]
    assert all(path.startswith("results/quickstart/") for path in paths)
    assert len(set(paths)) == len(paths) - 1  # the domain "a" is among the shards


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
