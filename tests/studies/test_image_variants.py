"""The page's table of families, from a table of dissimilarities."""

from __future__ import annotations

import csv
from itertools import combinations_with_replacement

from studies import image_variants


def test_parts_that_families_share_are_told_from_those_of_single_tests(tmp_path):
    names = [f"{family}-{k}" for family in ("one", "two", "three") for k in range(4)]
    cost = {name: 0.01 * k for k, name in enumerate(names)}
    (tmp_path / "tables").mkdir()
    with (tmp_path / "tables" / "dissimilarity.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["a", "b", *image_variants.PARTS])
        for a, b in combinations_with_replacement(names, 2):
            transfer = -0.01 if a.split("-")[0] == b.split("-")[0] else 0.02
            starvation = (cost[a] + cost[b]) / 2
            table.writerow([a, b, transfer + starvation, starvation, 0.0, transfer])
    told = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ") for line in image_variants.report(tmp_path)}
    assert told["transfer"][1:3] == ["-0.0100", "0.0200"]
    assert float(told["transfer"][3]) < 0.001
    assert told["transfer"][4] == "1.00"
    assert told["starvation"][1:4] == ["0.0550", "0.0550", "1.0000"]
    assert told["one"][1:] == ["-0.010", "0.020", "0.020"]
