"""The records that kernels are given have the fields of core/cuda/arguments.cuh, in their order."""

import re

import pytest

from clausal.engine.cuda.arguments import TEAM, TURN_BYTES, VISITS, Kind, kind_of, team_of, turns_per_visit
from clausal.engine.feedback import NumericLoss
from clausal.engine.native import cuda_sources
from tests.support.toy_machines import keyed_bits, make_config

SOURCES = cuda_sources()


def fields(struct):
    """Names of a C++ structure, with whether each is a signed number."""
    body = re.search(rf"struct {struct} {{(.*?)\n}};", SOURCES["core/cuda/arguments.cuh"], re.DOTALL)[1]
    found = {}
    for line in body.splitlines():
        declared = line.split("//")[0].strip().removesuffix(";")
        if declared:
            kind, names = re.fullmatch(r"((?:const )?(?:std::)?\w+)(.*)", declared).groups()
            for name in names.split(","):
                found[name.strip(" *")] = kind == "std::int64_t" and "*" not in name
    return found


@pytest.mark.parametrize(("struct", "record"), [("Team", TEAM), ("Visits", VISITS)])
def test_a_record_is_the_structure(struct, record):
    expected = fields(struct)
    assert list(record.names) == list(expected)
    assert {name: record[name].kind == "i" for name in record.names} == expected
    assert record.itemsize == 8 * len(expected)


def test_a_turn_is_four_words_of_32_bits():
    assert len(fields("Turn")) * 4 == TURN_BYTES


def test_kinds_are_those_of_the_kernel():
    body = re.search(r"enum class Kind.*?{(.*?)};", SOURCES["core/cuda/list_turns.cu"], re.DOTALL)[1]
    pairs = re.findall(r"k(\w+) = (\d)", body)
    there = {re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper(): int(value) for name, value in pairs}
    assert there == {kind.name: kind.value for kind in Kind}


LABELS = keyed_bits(5, 4, 4)


@pytest.mark.parametrize(
    ("options", "kind", "turns"),
    [
        ({}, Kind.ONE, 1),
        ({"loss": NumericLoss(2**32, 2**32, proportional=True)}, Kind.ONE, 1),
        ({"n_banks": 4}, Kind.ONE_OF_MANY, 1),
        ({"n_banks": 4, "focused_negatives": True}, Kind.FOCUSED, 1),
        ({"n_banks": 4, "shared": True}, Kind.CLASS_THEN_OTHER, 2),
        ({"n_banks": 4, "label_sets": LABELS}, Kind.LABEL, 1),
        ({"n_banks": 4, "shared": True, "label_sets": LABELS}, Kind.LABELS, 4),
    ],
)
def test_how_turns_come_about(options, kind, turns):
    config = make_config(n_clauses=4, n_columns=3, **options)
    assert kind_of(config) == kind
    assert turns_per_visit(config) == turns


def test_a_limit_that_no_clause_can_exceed_is_all_literals():
    assert team_of(make_config(n_clauses=4, n_columns=3))["max_clause_literals"] == 6
    assert team_of(make_config(n_clauses=4, n_columns=3, max_clause_literals=2))["max_clause_literals"] == 2
