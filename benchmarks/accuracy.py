"""Accuracy and F1 with the defaults, beside gradient boosting and logistic regression, by cross-validation.

Five folds, four repeats, the same splits for all; nothing is tuned. The data took no part in choosing the
defaults. Bankruptcy needs its file (CLAUSAL_DATA). Prints a Markdown table with 95 % intervals.

    python benchmarks/accuracy.py
"""

import warnings

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from clausal import Booleanizer, TsetlinClassifier, datasets

N_REPEATS = 4


def tables():
    yield "Balance Scale", datasets.load_balance_scale(return_X_y=True, as_frame=True)
    yield "Breast Cancer", datasets.load_breast_cancer(return_X_y=True, as_frame=True, drop_missing=True)
    yield "Heart Disease", datasets.load_heart_disease(return_X_y=True, as_frame=True)
    yield "Liver (drinks)", datasets.load_liver_disorders(return_X_y=True, as_frame=True)
    try:
        yield "Bankruptcy", datasets.load_bankruptcy(return_X_y=True, as_frame=True)
    except OSError as error:
        print(f"Bankruptcy left out: {str(error).splitlines()[0]}")


def learners():
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include=["category", "bool"])),
        remainder=StandardScaler(),
    )
    unknown = Booleanizer(handle_unknown="no_match")
    yield "clausal, defaults", TsetlinClassifier(booleanizer=unknown, random_state=0)
    short = {"n_clauses": 20, "threshold": 20, "specificity": 2.0}
    yield "clausal, 20 short clauses", TsetlinClassifier(booleanizer=unknown, random_state=0, **short)
    yield "gradient boosting", HistGradientBoostingClassifier(random_state=0)
    yield "logistic regression", make_pipeline(encoder, LogisticRegression(max_iter=1000))


def cell(scores):
    """Mean and the 95 % half-width, corrected for overlapping training sets (Nadeau and Bengio)."""
    spread = scores.std(ddof=1) * np.sqrt(1 / len(scores) + 1 / 4)
    return f"{scores.mean():.3f} ± {1.96 * spread:.3f}"


def main():
    warnings.simplefilter("ignore")
    print("| data | learner | accuracy | F1 | literals |\n| --- | --- | --- | --- | --- |")
    for name, (X, y) in tables():
        for label, learner in learners():
            folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=N_REPEATS, random_state=0)
            result = cross_validate(
                learner, X, y, cv=folds, scoring=["accuracy", "f1"], return_estimator=True
            )
            literals = [getattr(e, "n_literals_", None) for e in result["estimator"]]
            size = "-" if literals[0] is None else f"{np.mean(literals):.0f}"
            print(
                f"| {name} | {label} | {cell(result['test_accuracy'])} | {cell(result['test_f1'])} | {size} |"
            )


if __name__ == "__main__":
    main()
