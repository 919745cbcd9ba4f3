"""`clausal.report`: a fitted model on one self-contained HTML page that opens offline.

Here: the content of the page. Not here: its parts (page_tables.py, form.py, ...), its templates and script
(templates, page.js), how a page is written (rendering.py), and how a row is scored (export/score.js).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import Markup
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.columns import name_text
from clausal.encoding.patches import require_table
from clausal.encoding.remarks import order_remarks, warn_of_table
from clausal.encoding.stream import refuse_stream
from clausal.encoding.values import UnseenValueWarning
from clausal.evaluation.fairness import fairness_of
from clausal.evaluation.groups import read_groups
from clausal.evaluation.metrics import Metrics, calibrate, measure
from clausal.evaluation.predictions import Evaluation, evaluate, model_table
from clausal.export.document import rule_document
from clausal.html_report import charts
from clausal.html_report.examples import RowNames, make_examples
from clausal.html_report.fairness_section import fairness_section
from clausal.html_report.form import FormRows, make_fields
from clausal.html_report.number_page import NumberRows, number_content
from clausal.html_report.page_tables import (
    MAX_EFFECT_CLASSES,
    MAX_MEASURED_RULES,
    About,
    class_balance,
    make_cards,
    make_features,
    make_rule_table,
    read_about,
)
from clausal.html_report.pool import make_pool, plain_errors
from clausal.html_report.ranking import Ranking, make_risks
from clausal.html_report.rendering import resource, write_page
from clausal.machine.inputs import encode_labels, read_labels, row_count
from clausal.parameters import Whole, check_value
from clausal.rules.render import always_text, footnotes
from clausal.rules.rule_set import RuleSet
from clausal.rules.statistics import rule_statistics
from clausal.scorecard.card_prediction import CardVotes
from clausal.scorecard.points_table import points_table
from clausal.scorecard.refit import GivenRows
from clausal.scorecard.scorecard import Scorecard

_KEY_METRICS = ("Accuracy", "F1", "F1 (mean)", "ROC AUC", "ROC AUC (mean)", "Gini", "KS")
_MAX_VALUE_LENGTH = 300  # characters of a parameter value
_MAX_CONFUSION_CLASSES = 20


def report(
    clf: Any,
    X_test: Any,
    y_test: Any,
    path: str | os.PathLike[str],
    X_train: Any = None,
    y_train: Any = None,
    *,
    n_examples: int = 4,
    title: str | None = None,
    about: Mapping[str, str] | None = None,
    ids: Any = None,
    protected: Any = None,
) -> None:
    """Write one HTML page about a fitted model, which works offline: rules, performance, a what-if form.

    The same model and data give the same file, byte for byte. Every row counts once, without sample weights.

    Parameters
    ----------
    clf : TsetlinClassifier, RuleClassifier, Scorecard, RuleRegressor or TsetlinRegressor
        The fitted model. The page of a regressor has residuals in place of decisions, and no what-if form.
    X_test : table of shape (n, n_features)
        Rows for the evaluation, which the model was not trained on.
    y_test : array-like of shape (n,)
        Their classes, or numbers.
    path : str or path-like
        The file to write.
    X_train, y_train : table and array-like, default=None
        The training data, to show the statistics of the rules for both.
    n_examples : int, default=4
        Number of test rows to show with explanations. With 0, the file contains no single rows.
    title : str, default=None
        The heading of the page.
    about : dict of str, default=None
        What readers should know: "purpose", "owner", "data", "period" and other names; None: that of `clf`.
    ids : array-like of shape (n,), default=None
        Your own names of the test rows. Without them, rows are counted from 1.
    protected : array-like of shape (n,) or str, default=None
        A column such as sex, or its name in `X_test`, that no rule tests: `fairness` of its groups.

    Examples
    --------
    >>> clausal.report(clf, X_test, y_test, "report.html")  # doctest: +SKIP
    """
    _check(clf, n_examples, X_test, X_train)
    header = read_about(title, getattr(clf, "about_", None) if about is None else about)
    tables = _tables(clf, (X_test, X_train), (y_test, y_train), protected)
    described = _about(clf, clf.rules_, y_test, header)
    if clf.rules_.outcome.is_numeric:
        content = number_content(clf, NumberRows.of(clf, X_test, y_test, X_train, y_train), n_examples, ids)
        write_page(path, "numbers.html.j2", described | content)
        return
    evaluation = evaluate(clf, clf.rules_, tables[0], y_test, "y_test")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValueWarning)  # `evaluate` has warned of them
        content = _of_classes(clf, evaluation, tables, y_train, n_examples, ids)
        content |= _fairness(clf, X_test, evaluation, protected)
    script = resource("score.js", "clausal.export") + resource("page.js")
    write_page(path, "page.html.j2", described | content, script)


def _check(clf: Any, n_examples: int, X_test: Any, X_train: Any) -> None:
    """Raise an error for another model or one that is not fitted, tables not in memory, and no count."""
    if not hasattr(type(clf), "votes"):
        raise TypeError(
            "clf must be a TsetlinClassifier, RuleClassifier, Scorecard, RuleRegressor or TsetlinRegressor. "
            f"Got {type(clf).__name__}."
        )
    check_is_fitted(clf)
    if not clf.rules_.outcome.is_numeric:
        clf.rules_.outcome.require_classes("A report")
    require_table(clf.rules_.encoding, "a report")
    refuse_stream(X_test, "X_test")
    refuse_stream(X_train, "X_train")
    check_value("report", "n_examples", n_examples, (Whole(0),))


def _of_classes(
    clf: Any,
    evaluation: Evaluation,
    tables: tuple[Any, Any],
    y_train: Any,
    n_examples: int,
    ids: Any,
) -> dict[str, Any]:
    """The rows, the performance and the form of a model of classes."""
    X_test, X_train = tables
    names = RowNames.of(ids, len(evaluation.codes))
    return {
        **_rows(clf, X_test, evaluation, X_train, y_train),
        **_performance(clf, evaluation, X_train, y_train),
        **_what_if(clf, X_test, evaluation, n_examples, names),
    }


def _about(clf: Any, rules: RuleSet, y_test: Any, header: About) -> dict[str, Any]:
    """What the user says about the model, its rules and its parameters."""
    target = getattr(y_test, "name", None)
    named = f": {name_text(target)}" if isinstance(target, str) and target else ""
    return {
        "title": header.title or f"Model report{named}",
        "header": header,
        "estimator": type(clf).__name__,
        "rules": rules,
        "cards": make_cards(rules),
        "always": always_text(rules),
        "notes": footnotes(rules),
        "parameters": _settings(clf),
        "log": getattr(clf, "log_", ()),
        "n_features": clf.n_features_in_,
        "weighted": getattr(clf, "class_weight", None) is not None,
        "cut_off_by_hand": getattr(clf, "cut_off_by_hand_", False),
    }


def _settings(clf: Any) -> dict[str, str]:
    """The parameters of the fit; of a Scorecard, which has none, its constraints and the class weights.

    Constraints are in words, with bounds in points of the scorecard: others are in points of the fit.
    """
    if not isinstance(clf, Scorecard):
        return {name: _parameter_text(value) for name, value in clf.get_params(deep=False).items()}
    said: dict[str, list[str]] = {}
    for name, _, text in clf._constraints.texts(clf.encoding_):
        said.setdefault(name, []).append(text)
    weights = {} if clf.class_weight is None else {"class_weight": _parameter_text(clf.class_weight)}
    return {name: "; ".join(texts) for name, texts in said.items()} | weights


def _parameter_text(value: Any) -> str:
    """The value of a parameter; for a callable its name, because its repr differs from run to run."""
    text = getattr(value, "__name__", str(value))
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]} … (cut)"


def _tables(clf: Any, tables: tuple[Any, Any], labels: tuple[Any, Any], protected: Any) -> tuple[Any, Any]:
    """The tables as the model reads them, which may not know the protected column."""
    if (tables[1] is None) != (labels[1] is None):
        raise ValueError("X_train and y_train must be given together. Got only one of them.")
    if protected is not None and clf.rules_.outcome.is_numeric:
        raise ValueError("protected must be None for a model of numbers. Got a column.")
    said = order_remarks(tables[0], "X_test", y_test=labels[0], protected=protected)
    warn_of_table(said + order_remarks(tables[1], "X_train", y_train=labels[1]))
    test, train = (
        tables
        if protected is None and not isinstance(clf, Scorecard)
        else (each if each is None else model_table(clf, each) for each in tables)
    )
    return test, train


def _fairness(clf: Any, X: Any, evaluation: Evaluation, protected: Any) -> dict[str, Any]:
    """The section about the groups of a protected column, if one is given."""
    if protected is None:
        return fairness_section(None)
    groups = read_groups(clf, X, protected, len(evaluation.codes))
    return fairness_section(fairness_of(evaluation, evaluation.codes, groups))


def _performance(clf: Any, evaluation: Evaluation, X_train: Any, y_train: Any) -> dict[str, Any]:
    """Measures, decisions, risks, calibration and the compaction path."""
    train = None if X_train is None else evaluate(clf, clf.rules_, X_train, y_train, "y_train")
    metrics, bins = measure(evaluation), calibrate(evaluation)
    positive = evaluation.outcome.positive
    calibrated = "the decided class" if positive is None else evaluation.class_names[positive]
    path = getattr(clf, "path_", None)
    return {
        "n_test": len(evaluation.codes),
        "class_names": evaluation.class_names,
        "metrics": metrics,
        "key_metrics": [metric for metric in metrics.items if metric.name in _KEY_METRICS],
        "whiskers": _whiskers(metrics),
        "confusion": evaluation.confusion.tolist()
        if evaluation.n_classes <= _MAX_CONFUSION_CLASSES
        else None,
        "risks": make_risks(clf, evaluation, train),
        "bins": bins,
        "calibrated_for": calibrated,
        "calibration_chart": charts.calibration_chart(bins, calibrated),
        "vote_chart": charts.vote_chart(evaluation),
        **_ranking(evaluation),
        "path": path,
        "path_chart": None if path is None else charts.path_chart(path),
        "pool": make_pool(clf),
    }


def _ranking(evaluation: Evaluation) -> dict[str, Any]:
    """Curves, gains and cut-offs of two classes."""
    ranking = Ranking.of(evaluation)
    if ranking is None:
        return {"ranking": None}
    other, positive = evaluation.class_names
    return {
        "ranking": ranking,
        "roc_chart": charts.roc_chart(ranking.roc(), positive, other),
        "precision_recall_chart": charts.precision_recall_chart(ranking.precision_recall(), positive),
    }


def _whiskers(metrics: Metrics) -> dict[str, Markup]:
    """A small chart of each interval that is on a scale from 0 to 1; the log loss never is."""
    return {
        metric.name: charts.whisker(metric.value, metric.low, metric.high, 1.0)
        for metric in metrics.items
        if metric.defined and metric.name != "Log loss" and metric.low >= 0 and metric.high <= 1
    }


def _rows(clf: Any, X_test: Any, evaluation: Evaluation, X_train: Any, y_train: Any) -> dict[str, Any]:
    """The classes of the test rows and, if given, the training rows; the statistics of each rule on them."""
    rules = clf.rules_
    first, labels_test = rules[:MAX_MEASURED_RULES], rules.classes[evaluation.codes]
    table = _points_table(clf, X_test, labels_test, "test")
    if X_train is None:
        statistics = rule_statistics(first, X_test, labels_test)
        parts = {"Test": evaluation.codes}
    else:
        labels = read_labels(y_train, row_count(X_train), "y_train")
        table = _points_table(clf, X_train, labels, "training")
        statistics = rule_statistics(first, X_train, labels, X_test, labels_test)
        parts = {
            "Training": encode_labels(labels, rules.classes)[1].astype(np.intp),
            "Test": evaluation.codes,
        }
    return {
        "balance": class_balance(evaluation.class_names, parts),
        "rule_table": make_rule_table(statistics, rules, tuple(parts)),
        **table,
    }


def _points_table(clf: Any, X: Any, labels: Any, name: str) -> dict[str, Any]:
    """The classic table of a scorecard on rows of this name."""
    rows = GivenRows(X, labels, np.ones(len(labels)))
    table = points_table(clf.rules_, rows) if isinstance(clf, CardVotes) else None
    return {"points_table": table, "points_table_rows": name}


def _what_if(
    clf: Any, X_test: Any, evaluation: Evaluation, n_examples: int, names: RowNames
) -> dict[str, Any]:
    """The effects of features, examples, and the what-if form."""
    rules = clf.rules_
    fields = make_fields(rules)
    rows = FormRows(rules.encoding, fields, X_test)
    examples = make_examples(rules, fields, X_test, evaluation, n_examples, names)
    starts = [(f"test {example.name}: {example.title}", rows.row(example.row)) for example in examples]
    starts.insert(0, ("typical values of the test rows", rows.typical()))
    return {
        "features": make_features(rules, fields, X_test),
        "with_effects": rules.n_banks <= MAX_EFFECT_CLASSES,
        "effect_columns": max(rules.n_banks, 2),
        "examples": examples,
        "row_names": names.sentence,
        "fields": fields,
        "starts": [{"name": name, "values": values} for name, values in starts],
        "model": page_model(clf, rules),
    }


def page_model(clf: Any, rules: RuleSet) -> dict[str, Any]:
    """The document of a classifier, and the errors of its risks."""
    return {
        **rule_document(rules, clf._probability()).to_dict(),
        "risk_errors": plain_errors(getattr(clf, "risk_table_", None)),
    }
