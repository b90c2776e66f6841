"""What verbs on tables print: one JSON object, or tables and sentences; help and its examples; streams; aiq init."""

import math
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from command_line import ALONE, CURVE, PARTED, QUICK, SPACE, TRIALS, Aiq, C, D, P, record, refused, verbs

from aiq.config.load import parse, read
from aiq.plans import workflow
from aiq.plans.run import Run

MANY = "size,performance\n" + "".join(f"{2 ** (4 + i % 7)},{0.2 + 0.01 * i}\n" for i in range(40))


def test_complexity_options_change_the_number_as_they_say(aiq: Aiq):
    def complexity(trial: str, *options: str) -> dict:
        return record(aiq("complexity", "t.csv", "--json", *QUICK, *options, t_csv=f"size,performance\n{trial}\n"))

    assert complexity("8,1", "--size", "log2")["mccp"] == pytest.approx(3.0)  # the policy of log2(8) reaches every bin
    assert complexity("8,1", "--size", "linear")["mccp"] == pytest.approx(8.0)
    assert complexity("4,0.4", "--bins", "2", "--extrapolate", "hold")["extrapolated_share"] == pytest.approx(0.5)


def test_complexity_at_sixteen_policies_with_base_and_excess(aiq: Aiq):
    def complexity(*options: str) -> dict:
        return record(aiq("complexity", "t.csv", "--json", *options, t_csv=MANY))

    usual, wide = complexity(), complexity("--largest", "1e6")
    assert usual["k"] == 16
    assert usual["mccp_k"] == pytest.approx(usual["base"] + usual["excess"])
    for name in ("", "excess_", "relative_excess_"):
        assert usual[f"{name}interval"][0] < usual[f"{name}interval"][1]
    assert usual["interval"] == usual["mccp_k_interval"]
    linear = complexity("--k", "40", "--fill", "linear")
    assert linear["mccp_k"] == pytest.approx(linear["mccp"])
    assert usual["mccp"] < usual["mccp_k"] < wide["mccp_k"]
    assert wide["largest"] == pytest.approx(math.log2(1e6))
    assert complexity("--chance", "0.2")["relative_excess"] > usual["relative_excess"]


def test_complexity_of_few_trials_says_its_k(aiq: Aiq):
    assert record(aiq("complexity", "t.csv", "--json", t_csv=TRIALS))["k"] == 2
    assert "k is 2 instead of 16" in aiq("complexity", "t.csv", t_csv=TRIALS)[1]
    assert "no interval (all in one of the trials)" in aiq("complexity", "t.csv", t_csv="size,performance\n8,1\n")[1]
    out = aiq("complexity", "t.csv", t_csv="size,performance\n" + "8,0.1\n" * 20)[1]
    assert "more than half of the complexity is filled with the largest policy" in out
    assert "changes nothing" in out
    assert "falls as trials are added" in aiq("complexity", "t.csv", "--estimator", "minimum", t_csv=MANY)[1]


def test_the_keys_of_a_complexity_stand_with_null_where_k_policies_cannot_be_had(aiq: Aiq):
    full = record(aiq("complexity", "t.csv", "--json", *QUICK, t_csv=TRIALS))
    assert {"mccp", "interval", "extrapolated_share", "bins", "n"} <= set(full)
    assert (full["n"], len(full["bins"])) == (3, 30)
    few = record(aiq("complexity", "t.csv", "--json", *QUICK, "--estimator", "minimum", "--k", "16"))
    assert list(few) == list(full)
    keys = ("base", "excess", "excess_interval", "relative_excess", "mccp_k", "k", "largest", "n_policies")
    assert [few[key] for key in keys] == [None] * len(keys)
    assert list(few["bins"][0]) == list(full["bins"][0])
    assert few["bins"][0]["missed"] is None
    assert few["mccp"] == full["mccp"]


@pytest.mark.parametrize("estimator", ["best_of_k", "minimum"])
def test_sizes_that_cannot_be_calculated_with_are_refused(aiq: Aiq, estimator: str):
    arguments = ("complexity", "-", "--json", *QUICK, "--estimator", estimator)
    for size in ("1e308", "1.1e50"):
        table = TRIALS.replace("2000", size)
        refused(aiq(*arguments, "--size", "linear", stdin=table), "line 3", f"size is {float(size):g}", "1e+50")
        assert record(aiq(*arguments, stdin=table))["n"] == 3
        refused(aiq(*arguments, "--size", "linear", "--largest", size, stdin=TRIALS), size.partition("e")[0], "1e+50")
    assert record(aiq(*arguments, "--size", "linear", "--largest", "1e50", stdin=TRIALS.replace("2000", "1e50")))


def test_complexity_of_several_domains_is_listed_by_domain(aiq: Aiq):
    text = "domain,chunk,size,performance\n" + "".join(
        f"{d},{c},{s},0.9\n" for d in "AB" for c in (0, 1) for s in (4, 8)
    )
    domains = record(aiq("complexity", "-", "--json", *QUICK, stdin=text))["domains"]
    assert {name: domain["mccp"] for name, domain in domains.items()} == pytest.approx({"A": 2.0, "B": 2.0})


def test_dissimilarity_of_pairs_is_a_list_and_repetitions_give_an_interval(aiq: Aiq):
    rows = "".join(f"{a},{b},{p},{r},{v}\n" for a, b in ("AA", "AB") for r in (1, 2, 3)
                   for p, v in ((0, 0.8), (0.5, 0.7 + 0.01 * r), (1, 0.8)))  # fmt: skip
    suite = record(aiq("dissimilarity", "c.csv", "--json", *QUICK, c_csv="a,b,p,repetition,performance\n" + rows))
    assert [(pair["a"], pair["b"], pair["n"]) for pair in suite["pairs"]] == [("A", "A", 3), ("A", "B", 3)]
    first = suite["pairs"][0]
    assert {"signed", "se", "interval", "interval_plain", "crosses"} <= set(first)
    assert first["interval"][0] < first["signed"] < first["interval"][1]
    assert first["signed"] == first["dissimilarity"] == pytest.approx(suite["noise_floor"]["largest"])


def test_controls_and_being_told_split_the_area_into_parts_that_add_up(aiq: Aiq):
    arguments = ("dissimilarity", "c.csv", "--alone", "a.csv")
    for pair in record(aiq(*arguments, "--json", *QUICK, c_csv=PARTED, a_csv=ALONE))["pairs"]:
        parts = [pair[name] for name in ("starvation", "confusion", "transfer")]
        assert sum(part["value"] for part in parts) == pytest.approx(pair["signed"])
        assert all(part["interval"][0] < part["value"] < part["interval"][1] for part in parts)
        assert pair["confusion"]["value"] > 0
    status, out, _ = aiq(*arguments, *QUICK, c_csv=PARTED, a_csv=ALONE)
    assert status == 0
    for word in ("starvation", "confusion", "transfer", "signed", "plain", "itself", "where mixtures do worse"):
        assert word in out
    refused(aiq(*arguments, c_csv=PARTED.replace(",told", ",se", 1), a_csv=ALONE), "repetitions and a column se")


def test_what_a_curve_cannot_tell_is_said_beside_it(aiq: Aiq):
    assert "one repetition: no interval" in aiq("dissimilarity", "-", *QUICK, stdin=CURVE)[1]
    alike = "a,b,repetition,p,performance\n" + "".join(f"A,B,{r},{p},1\n" for r in (1, 2) for p in (0, 0.5, 1))
    out = aiq("dissimilarity", "-", *QUICK, stdin=alike)[1]
    assert "repetitions all alike: no interval" in out
    assert "noise floor is unknown" in out
    wild = "repetition,p,performance\n" + "".join(
        f"{r},{p},{v}\n" for r in (1, 2) for p, v in ((0, 0.5), (0.25, 0.6 + r / 100), (0.75, 0.42 - r / 50), (1, 0.5))
    )
    out = aiq("dissimilarity", "-", *QUICK, stdin=wild)[1]
    assert "not told from 0" in out
    assert "crosses the line" in out


def test_given_standard_errors_make_the_interval(aiq: Aiq):
    text = "p,performance,se\n0,0.8,0.01\n0.5,0.7,0.02\n1,0.9,0.01\n"
    curve = record(aiq("dissimilarity", "-", "--json", *QUICK, stdin=text))
    assert curve["se"] == pytest.approx((2 * (0.25 * 0.01) ** 2 + (0.5 * 0.02) ** 2) ** 0.5)
    assert curve["interval"][0] < 0.075 < curve["interval"][1]


SIMILAR = "p,performance\n0,0.8099\n0.5,0.8750\n1,0.9932\n"


def test_similarity_of_a_curve(aiq: Aiq):
    curve = record(aiq("similarity", "-", "--json", stdin=SIMILAR))
    assert {"v_a", "v_b", "v_ab"} <= set(curve)
    assert curve["similarity"] == curve["absolute"] == pytest.approx(0.290, abs=5e-4)  # Table 2, MNIST and CIFAR10
    assert (curve["interval"], curve["sufficient"], curve["at"]) == (None, None, 0.5)
    below = record(aiq("similarity", "-", "--json", stdin=SIMILAR.replace("0.8750", "0.96")))
    assert below["similarity"] == -below["absolute"] < 0


def test_similarity_of_pairs_is_a_list_and_the_easier_test_is_a(aiq: Aiq):
    means = {("A", "B"): (0.9, 0.7, 0.5), ("B", "A"): (0.5, 0.7, 0.9), ("A", "A"): (0.9, 0.9, 0.9)}
    rows = "".join(f"{a},{b},{p},{r},{v + 0.01 * k * (r - 2)}\n" for (a, b), values in means.items() for r in (1, 2, 3)
                   for k, (p, v) in enumerate(zip((1, 0.5, 0), values, strict=True)))  # fmt: skip
    text = "a,b,p,repetition,performance\n" + rows
    pairs = record(aiq("similarity", "c.csv", "--json", c_csv=text))["pairs"]
    first, mirrored, itself = pairs
    assert [(pair["a"], pair["b"]) for pair in pairs] == list(means)
    assert (first["easier"], mirrored["easier"]) == ("first", "second")
    assert (itself["similarity"], itself["printed"]) == (None, 1.0)
    assert "undefined (the paper prints 1)" in aiq("similarity", "c.csv")[1]
    assert record(aiq("similarity", "c.csv", "--json", "--paired"))["pairs"][0]["interval"] != first["interval"]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (SIMILAR, ("--at", "0.3"), ("the proportion 0.3 is missing", "given are 0, 0.5, 1")),
        (SIMILAR, ("--at", "1"), ("--at", "1")),
        (SIMILAR.replace("1,0.9932\n", ""), (), ("the proportion 1 is missing",)),
        ("repetition,p,performance\n1,0,0.1\n,1,0.2\n", (), ("line 3", "repetition is empty")),
        ("a,b,p,performance\nx,y,0,0.1\nx,y,1,0.2\n", (), ("x and y: the proportion 0.5 is missing",)),
    ],
)
def test_similarity_refuses_in_one_sentence(aiq: Aiq, text: str, options: tuple[str, ...], words: tuple[str, ...]):
    refused(aiq("similarity", "-", *options, stdin=text), *words)


def test_a_space_and_the_scores_in_it(aiq: Aiq, tmp_path: Path):
    space = record(aiq(*SPACE, "-o", "s.h5", "--json", c_csv=C, d_csv=D))
    assert {"domains", "coordinates", "dimensions", "spectrum", "stress", "negative_share"} <= set(space)
    assert space["domains"] == ["A", "B", "C"]
    assert (tmp_path / "s.h5").exists()
    scores = record(aiq("score", "s.h5", "-", "--json", stdin=P))
    assert scores["dimensions"] == space["dimensions"]
    keys = {"agent", "volume", "relative", "per_dimension", "mean", "rank", "interval", "vertices"}
    assert all(keys <= set(agent) for agent in scores["agents"])
    ranks = [agent["rank"] for agent in scores["agents"]]
    assert ranks == sorted(ranks)
    perfect = "agent,domain,performance\nall,A,1\nall,B,1\nall,C,1\n"
    (best,) = record(aiq("score", "s.h5", "p.csv", "--json", p_csv=perfect))["agents"]
    assert best["relative"] == pytest.approx(1.0)
    assert best["mean"] == 1.0


def test_pairs_may_come_in_any_order_and_either_direction(aiq: Aiq):
    space = record(aiq(*SPACE, "--json", c_csv=C, d_csv=D))
    turned = "b,a,dissimilarity\n" + "".join(reversed(D.splitlines(keepends=True)[1:]))
    assert record(aiq("space", "--complexity", "c.csv", "--dissimilarity", "-", "--json", stdin=turned)) == space


def test_a_missing_pair_is_completed_from_landmarks(aiq: Aiq):
    d = "a,b,dissimilarity\nA,B,0.02\nA,C,0.3\n"
    refused(aiq(*SPACE, c_csv=C, d_csv=d), "d.csv lacks the pair B, C", "--landmarks")
    assert record(aiq(*SPACE, "--landmarks", "--json"))["domains"] == ["A", "B", "C"]


def test_domains_are_listed_and_shown(aiq: Aiq):
    listed = record(aiq("domains", "--json"))["domains"]
    assert {"sklearn", "torchvision", "npz", "image_folder", "recorded"} <= {d["source"] for d in listed}
    for domain in listed:
        described = record(aiq("domains", "show", domain["source"], "--json"))
        assert {"source", "parameters", "kind", "bounds", "description", "samples", "shapes"} <= set(described)
    assert record(aiq("domains", "--json", "show", domain["source"])) == described == domain


def test_the_same_seed_gives_the_same_interval_and_another_does_not(aiq: Aiq):
    words = ("complexity", "t.csv", "--json", *QUICK, "--estimator", "minimum", "--seed")
    first, again, other = (record(aiq(*words, seed, t_csv=MANY))["interval"] for seed in "112")
    assert first == again != other


# ---- Help and its examples; streams that are full, closed or interrupted -------------------------


def example(help_text: str) -> list[str]:
    """Commands of the worked example of a help text."""
    block = re.search(r"^ *Example.*\n((?: *\S.*\n)*)", help_text, re.MULTILINE)
    return [line.strip() for line in block[1].splitlines()]


NEED_A_RUN = (
    *("shards", "summary", "estimate", "landmarks", "page", "doctor", "run"),
    *("sensitivity", "claims", "experiment", "precision", "baselines", "verify"),
    *("store", "store show", "store audit", "store add", "store clear"),
)


def test_every_help_has_an_example_and_the_examples_run(aiq: Aiq, tmp_path: Path):
    """Every help has one; all run in one folder, in the order of the verbs (score reads what space wrote)."""
    seen: set[str] = set()
    for verb in [(), *verbs()]:
        status, out, err = aiq(*verb, "--help")
        lines = example(out)
        assert (status, err) == (0, "")
        assert any(re.search(rf"\baiq {' '.join(verb)}", line) for line in lines), verb
        if " ".join(verb) in NEED_A_RUN:
            continue  # these take a configuration or read the results of a run: tests/workflow
        for line in lines:
            if line in seen or "results/my-suite" in line:
                continue
            seen.add(line)
            if line.startswith("aiq "):
                status, out, err = aiq(*shlex.split(line)[1:])
            else:
                script = f'set -euo pipefail; aiq() {{ "{sys.executable}" -m aiq.cli "$@"; }}; {line}'
                done = subprocess.run(["bash", "-c", script], cwd=tmp_path, text=True, capture_output=True, check=False)
                status, out, err = done.returncode, done.stdout, done.stderr
            assert (status, err) == (0, ""), line
            assert len(out.splitlines()) > 2 or ">" in line or " -o " in line or line.startswith("aiq init"), line
    assert len(seen) > 20


def test_a_reader_that_closes_early_gets_no_traceback():
    command = ["bash", "-c", f'"{sys.executable}" -m aiq.cli domains --json | true']
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", ["complexity t.csv --json", "domains", "--help"])
def test_a_full_standard_output_is_one_sentence(tmp_path: Path, words: str):
    (tmp_path / "t.csv").write_text(TRIALS, encoding="utf-8")
    command = [sys.executable, "-m", "aiq.cli", *words.split()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "aiq: standard output cannot be written: No space left on device; free space, or send it elsewhere\n"
    )


@pytest.mark.parametrize("words", ["complexity -", "algorithmic run freq - -p epsilon=0.07", "anytime play"])
def test_a_closed_standard_input_is_one_sentence(tmp_path: Path, words: str):
    command = ["sh", "-c", f"{sys.executable} -m aiq.cli {words} <&-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    refused((done.returncode, done.stdout, done.stderr), "standard input is closed")


INTERRUPTED = """
import sys
class Finder:
    def find_spec(self, name, path, target=None):
        if name == "aiq.cli.measures":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from aiq.cli import main
sys.exit(main(["--help"]))
"""


def test_an_interruption_while_modules_load_is_one_line():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.lstrip()) == (130, "", "aiq: interrupted\n")


def test_no_verb_at_all_shows_the_verbs(aiq: Aiq):
    status, out, err = aiq()
    assert (status, out) == (2, "")
    assert "complexity" in err


# ---- aiq init: a commented configuration that is valid as it stands; nothing is overwritten --------


@pytest.mark.parametrize("kind", ["labelled", "control", "own"])
def test_each_kind_is_a_valid_configuration_with_comments(kind: str, aiq: Aiq):
    assert "aiq run my-suite.yaml" in aiq("init", "my-suite", "--kind", kind)[1]
    configuration = parse(read("my-suite.yaml"))
    assert (configuration.name, configuration.results) == ("my-suite", "results/my-suite")
    assert configuration.control == (kind == "control")
    assert configuration.agents.networks
    text = Path("my-suite.yaml").read_text("utf-8")
    assert text.count("#") > 10
    assert "NAME" not in text
    assert "OWN" not in text


def test_labelled_is_the_default_and_the_suffix_may_be_given(aiq: Aiq):
    assert record(aiq("init", "a.yaml", "--json")) == {"files": ["a.yaml"], "kind": "labelled"}
    assert [path.name for path in Path().iterdir()] == ["a.yaml"]


def test_data_of_ones_own_are_named_and_found(aiq: Aiq):
    np.savez("my set.npz", x_train=np.zeros((4, 2)), y_train=[0, 1, 0, 1], x_test=np.zeros((2, 2)), y_test=[0, 1])
    (Path("pictures") / "cat").mkdir(parents=True)
    made = record(aiq("init", "mine", "--data", "my set.npz", "--data", "pictures", "--json"))
    assert made == {"files": ["mine.yaml"], "kind": "own"}
    raw = yaml.safe_load(Path("mine.yaml").read_text("utf-8"))
    assert raw["domains"]["my-set"] == {"source": "npz", "path": "my set.npz"}
    assert raw["domains"]["pictures"] == {"source": "image_folder", "size": 32, "path": "pictures"}
    assert len(Run.of(raw).plan.shards()) > 5


def test_the_profile_of_a_site_is_written_and_is_the_one_that_is_found(aiq: Aiq):
    assert aiq("init", "a", "--slurm")[0] == 0
    shipped = (workflow.root() / "profiles" / "slurm" / "config.v9+.yaml").read_text("utf-8")
    assert Path("slurm/config.v9+.yaml").read_text("utf-8") == shipped
    assert workflow.profile("slurm") == "slurm"
    assert workflow.profile("local") == str(workflow.root() / "profiles" / "local")
    assert workflow.profile("mine") == "mine"


NO_CONFIGURATION = {
    "there": "there.yaml exists already",
    "../up": "name is '../up'",
    "n" * 300: "64 at most",
    "x --data nowhere.npz": "'nowhere.npz', which does not exist",
    "x --data there.yaml --kind control": "--kind is control; leave one of them out",
    "x --data there.yaml --data there.yaml": "two domains 'there'",
}


@pytest.mark.parametrize("words", NO_CONFIGURATION)
def test_refusals_are_one_sentence_and_write_nothing(words: str, aiq: Aiq):
    Path("there.yaml").write_text("kept\n", encoding="utf-8")
    refused(aiq("init", *words.split()), NO_CONFIGURATION[words])
    assert [path.name for path in Path().iterdir()] == ["there.yaml"]
    assert Path("there.yaml").read_text("utf-8") == "kept\n"
