"""Prediction is compiled and kept, and only the clock can tell: copies, pickles and further learning."""

import copy
import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from clausal import RuleClassifier, TsetlinClassifier, UnseenValueWarning
from clausal.encoding.booleanizer import Booleanizer
from clausal.machine import prediction as compiled
from clausal.machine.encode import backend_of
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet


def table(n_rows=600, n_columns=12, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, n_columns)) < 0.4).astype(np.uint8)
    y = X[:, 0] + (X[:, 1] & X[:, 2]) if n_classes > 2 else X[:, 0] ^ X[:, 1]
    return X, y


def fitted(X, y, **options):
    options = {"n_clauses": 20, "n_epochs": 3, "booleanizer": None, "random_state": 1} | options
    return TsetlinClassifier(**options).fit(X, y)


def reference_votes(machine, X):
    return copy.copy(machine).set_params(backend="reference").votes(X)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighting", ["none", "integer", "real"])
def test_every_form_of_a_boolean_table_gives_the_votes_of_the_reference(n_classes, weighting):
    X, y = table(n_classes=n_classes)
    machine = fitted(X, y, weighting=weighting)
    expected = reference_votes(machine, X)
    assert len(np.unique(expected)) > 2
    forms = [X, X.astype(bool), X.astype(float), np.asfortranarray(X), X.tolist(), X[:, ::-1].copy()[:, ::-1]]
    forms += [sparse.csr_matrix(X), sparse.csr_array(X.astype(bool)), sparse.csc_matrix(X.astype(float))]
    for form in forms:
        assert np.array_equal(machine.votes(form), expected)


@pytest.mark.parametrize(
    "other", [lambda a: a.astype(np.int64), lambda a: np.repeat(a, 2)[::2], lambda a: a.astype(">i4")]
)
def test_a_sparse_table_with_indices_of_any_kind_is_read(other):
    X, y = table()
    machine, odd = fitted(X, y), sparse.csr_matrix(X)
    odd.indices = other(odd.indices)
    assert np.array_equal(machine.votes(odd), reference_votes(machine, X))


def test_a_sparse_table_with_stored_zeros_or_unsorted_columns_is_read_as_it_is():
    X, y = table()
    machine = fitted(X, y)
    stored = sparse.csr_matrix(np.ones_like(X))
    stored.data[:] = X.ravel()
    assert np.array_equal(machine.votes(stored), machine.votes(X))
    rows = sparse.csr_matrix(X)
    backwards = np.concatenate([rows.indices[a:b][::-1] for a, b in pairwise(rows.indptr)])
    unsorted = sparse.csr_matrix((rows.data, backwards, rows.indptr), rows.shape)
    assert np.array_equal(machine.votes(unsorted), machine.votes(X))


def test_values_that_are_not_boolean_are_refused_in_the_same_words_as_ever():
    X, y = table()
    machine = fitted(X, y)
    wrong = X.copy()
    wrong[5, 3] = 2
    with pytest.raises(ValueError, match="x3"):
        machine.predict(wrong)
    assert np.array_equal(machine.votes(sparse.csr_matrix(wrong)), machine.votes(np.minimum(wrong, 1)))
    with pytest.raises(ValueError, match=r"must hold 0 and 1, or whole counts\. Got the value -1"):
        machine.predict(sparse.csr_matrix(-wrong.astype(int)))
    with pytest.raises(ValueError, match="X has 11 features, but .* is expecting 12"):
        machine.predict(X[:, 1:].copy())
    with pytest.raises(ValueError, match="X has 11 features, but .* is expecting 12"):
        machine.predict(sparse.csr_matrix(X[:, 1:]))
    assert machine.predict(X[:0]).shape == (0,)


def test_no_vote_is_stale_after_learning_goes_on():
    X, y = table()
    warm = fitted(X, y, warm_start=True)
    first = warm.votes(X)
    warm.fit(X, y)
    assert not np.array_equal(warm.votes(X), first)
    assert np.array_equal(warm.votes(X), reference_votes(warm, X))
    chunks = TsetlinClassifier(n_clauses=20, booleanizer=None, random_state=1)
    for start in (0, 200, 400):
        chunks.partial_fit(X[start : start + 200], y[start : start + 200], classes=[0, 1])
        assert np.array_equal(chunks.votes(X), reference_votes(chunks, X))
    chunks.fit(X, 1 - y)
    assert np.array_equal(chunks.votes(X), reference_votes(chunks, X))


def test_scores_between_epochs_are_those_of_the_model_at_that_epoch():
    X, y = table()
    machine = TsetlinClassifier(n_clauses=20, n_epochs=4, booleanizer=None, random_state=1)
    machine.fit(X, y, eval_set=(X, y))
    for n_epochs, score in enumerate(machine.history_["eval"], start=1):
        assert fitted(X, y, n_epochs=n_epochs).score(X, y) == pytest.approx(score)


def test_copies_and_pickles_predict_alike_and_carry_nothing_compiled():
    X, y = table()
    machine = fitted(X, y)
    before = pickle.dumps(machine)
    votes = machine.votes(X)
    assert "compiled" not in " ".join(vars(machine))
    assert pickle.dumps(machine) == before
    for other in (copy.copy(machine), copy.deepcopy(machine), pickle.loads(before)):
        assert np.array_equal(other.votes(X), votes)
    assert np.array_equal(clone(machine).fit(X, y).votes(X), votes)


def test_what_was_compiled_goes_with_its_model():
    X, y = table()
    machine = fitted(X, y)
    machine.predict(X)
    key = id(machine.model_)
    assert key in compiled._KEPT
    made = compiled._KEPT[key].value
    machine.predict(X)
    assert compiled._KEPT[key].value is made
    del machine
    assert key not in compiled._KEPT


def test_a_reference_machine_predicts_through_the_reference(monkeypatch):
    X, y = table(60)
    machine = fitted(X, y, backend="reference", n_epochs=1)
    monkeypatch.delattr("clausal.engine.native.NativeClauses.votes_of_bits")
    machine.predict(X)
    with pytest.raises(AttributeError):
        machine.set_params(backend="cpu").predict(X)


def random_rules(booleanizer, n_classes, rng, points):
    n_banks = 1 if n_classes == 2 else n_classes
    columns = booleanizer.columns_
    rules = []
    for value in points:
        picked = rng.integers(len(columns), size=rng.integers(0, 4))
        literals = tuple(Literal(columns[p], int(p), bool(rng.integers(2))) for p in picked)
        rules.append(Rule(literals, value, "", int(rng.integers(n_banks))))
    constants = [int(c) for c in rng.integers(-5, 5, n_banks)]
    return RuleSet(rules, booleanizer, np.arange(n_classes), constants)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_compiled_rules_vote_as_the_rules_do(n_classes, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(700, 5)).round(1)
    booleanizer = Booleanizer().fit(X)
    for points in ([int(p) for p in rng.integers(-9, 9, 12)], [2**60, -(2**59), 3], [], [1, 0.5]):
        rules = random_rules(booleanizer, n_classes, rng, points)
        expected = rules.votes(X)
        votes = rules.outcome.flat(compiled.rule_votes(rules, X))
        assert votes.dtype == expected.dtype
        assert np.array_equal(votes, expected)
    bits = booleanizer.transform(X)
    on_bits = random_rules(Booleanizer("boolean").fit(bits), n_classes, rng, [4, -3, 2, 1, 1])
    for form in (bits, sparse.csr_matrix(bits), sparse.csc_matrix(bits), bits.astype(float)):
        assert np.array_equal(on_bits.outcome.flat(compiled.rule_votes(on_bits, form)), on_bits.votes(bits))


def test_a_scorecard_votes_as_its_rules_do():
    X, y = table()
    card = RuleClassifier(fitted(X, y), max_literals=4, cv=2, random_state=0).fit(X, y)
    assert np.array_equal(card.votes(X), card.rules_.votes(X))
    assert np.array_equal(pickle.loads(pickle.dumps(card)).votes(X), card.votes(X))
    vars(card)["rules_"] = card.rules_[:1]
    assert np.array_equal(card.votes(X), card.rules_.votes(X)), "other rules, other votes"


def boolean_table(n_rows):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (n_rows, 70), dtype=np.uint8)
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.integers(0, 2, n_rows)) % 3


@pytest.mark.parametrize("backend", ["auto", "reference"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_the_first_rows_of_a_large_machine_are_voted_on_without_compiling(monkeypatch, form, backend):
    X, y = boolean_table(120)
    machine = TsetlinClassifier(40, n_epochs=2, booleanizer=None, random_state=1, backend=backend)
    machine.fit(form(X), y)
    expected = machine.rules_.votes(form(X))
    monkeypatch.setattr(compiled, "_LARGE", 0)
    few = compiled._FEW_ROWS
    kept = compiled._kept(machine.model_, backend_of(machine), compiled._MachineClauses)
    assert kept.compiled is None
    assert np.array_equal(machine.votes(form(X[:1])), expected[:1])
    assert np.array_equal(machine.votes(form(X[1:few])), expected[1:few])
    assert kept.compiled is None
    assert np.array_equal(machine.votes(form(X[few : few + 1])), expected[few : few + 1])
    assert kept.compiled is not None
    assert np.array_equal(machine.votes(form(X)), expected)


def test_the_first_rows_of_a_large_machine_may_have_unseen_values(monkeypatch):
    X, y = table(60)
    frame = pd.DataFrame(X).add_prefix("f")
    machine = TsetlinClassifier(20, n_epochs=3, random_state=1).fit(frame, y)
    gap = frame.iloc[:9].astype(float)
    gap.iloc[3, 0] = np.nan
    with pytest.warns(UnseenValueWarning):
        expected = machine.votes(gap)
    monkeypatch.setattr(compiled, "_LARGE", 0)
    copied = pickle.loads(pickle.dumps(machine))
    with pytest.warns(UnseenValueWarning):
        assert np.array_equal(copied.votes(gap), expected)


def test_a_machine_that_is_not_large_is_compiled_at_once():
    X, y = boolean_table(60)
    machine = TsetlinClassifier(40, n_epochs=1, booleanizer=None, random_state=1).fit(X, y)
    machine.predict(X[:1])
    assert compiled._KEPT[id(machine.model_)].value.compiled is not None
