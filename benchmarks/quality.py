"""How good scorecards of bounded size are, beside three standard learners on the same splits: `make quality`.

Twenty stratified 80/20 splits (random_state 0 to 19) of the paper's data sets; nothing looks at a test part.
Everything is at its defaults, but that the scorecard is told the metric and its size, and unknown categories
match nothing. Bankruptcy is read from the folder CLAUSAL_DATA, or ../shared/data. Every fit is added to
benchmarks/results/quality.jsonl as it ends, and not made again (delete the file to start anew); then a table
with standard errors and paired differences is printed from it. EBM takes most of the time and comes last.
"""

import json
import os
import platform
import time
from pathlib import Path

import numpy as np
from interpret.glassbox import ExplainableBoostingClassifier
from joblib import Parallel, delayed
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import clausal
from clausal import Booleanizer, RuleClassifier
from clausal.datasets import (
    load_balance_scale,
    load_bankruptcy,
    load_breast_cancer,
    load_heart_disease,
    load_liver_disorders,
)

ROOT = Path(__file__).resolve().parent
RECORD = ROOT / "results" / "quality.jsonl"
N_SPLITS = 20
LEARNERS = ("clausal", "logistic regression", "decision tree", "EBM")
METRICS = {"f1": f1_score, "accuracy": accuracy_score}
# name: loader, most literals, metric, goal
GOALS = {
    "Heart Disease": (load_heart_disease, 15, "f1", 0.80),
    "Bankruptcy": (load_bankruptcy, 12, "f1", 0.99),
    "Breast Cancer": (load_breast_cancer, 6, "f1", 0.52),
    "Balance Scale": (load_balance_scale, 35, "f1", 0.975),
    "Liver Disorders": (load_liver_disorders, 20, "accuracy", 0.61),
}


def read(name):
    X, y = GOALS[name][0](return_X_y=True, as_frame=True)
    complete = ~X.isna().any(axis=1).to_numpy()  # scikit-learn's learners take no missing values
    return X[complete].reset_index(drop=True), np.asarray(y)[complete]


def encoder():
    numbers = make_column_selector(dtype_include="number")
    others = make_column_selector(dtype_exclude="number")
    return make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), others), sparse_threshold=0
    )


def learner_named(learner, most, metric, seed):
    tolerant = Booleanizer(max_columns=12, handle_unknown="no_match", handle_missing="as_false")
    match learner:
        case "clausal":
            return RuleClassifier(max_literals=most, scoring=metric, booleanizer=tolerant, random_state=seed)
        case "logistic regression":
            return make_pipeline(encoder(), LogisticRegression(max_iter=2000))
        case "decision tree":
            tree = DecisionTreeClassifier(max_leaf_nodes=most + 1, random_state=seed)
            return make_pipeline(encoder(), tree)
        case "EBM":
            return ExplainableBoostingClassifier(random_state=seed, n_jobs=1)


def one_fit(learner, name, seed):
    X, y = read(name)
    _, most, metric, _ = GOALS[name]
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=seed, stratify=y)
    model = learner_named(learner, most, metric, seed)
    start = time.process_time()
    model.fit(X_train, y_train)
    found = {"learner": learner, "data": name, "split": seed, "seconds": time.process_time() - start}
    predicted = model.predict(X_test)
    found |= {key: float(score(y_test, predicted)) for key, score in METRICS.items()}
    if learner == "clausal":
        found |= {"n_literals": model.n_literals_, "n_rules": model.rules_.n_rules}
    return found


def mean_error(values):
    values = np.asarray(values, float)
    return values.mean(), values.std(ddof=1) / np.sqrt(len(values))


def show(results, name):
    _, most, metric, goal = GOALS[name]

    def scores(learner, key):
        return {r["split"]: r[key] for r in results if r["learner"] == learner and r["data"] == name}

    mine = scores("clausal", metric)
    mean, error = mean_error(list(mine.values()))
    reached = "reached" if mean + error >= goal else "MISSED"
    literals = np.mean(list(scores("clausal", "n_literals").values()))
    print(f"\n{name}: {metric}, at most {most} literals, goal {goal:.3f}: {reached}")
    print(f"  {'clausal':<20} {mean:.3f} ± {error:.3f}   {literals:.1f} literals")
    for learner in LEARNERS[1:]:
        theirs = scores(learner, metric)
        if len(theirs) < 2:
            continue
        mean, error = mean_error(list(theirs.values()))
        difference, spread = mean_error([mine[split] - theirs[split] for split in theirs])
        verdict = "we win" if difference > 2 * spread else "we lose" if difference < -2 * spread else "a tie"
        paired = f"ours - theirs {difference:+.3f} ± {spread:.3f}: {verdict}"
        splits = "" if len(theirs) == N_SPLITS else f" (first {len(theirs)} splits)"
        print(f"  {learner:<20} {mean:.3f} ± {error:.3f}   {paired}{splits}")


def main():
    os.environ.setdefault("CLAUSAL_DATA", str(ROOT.parent.parent / "shared" / "data"))
    results = [json.loads(line) for line in RECORD.read_text().splitlines()] if RECORD.exists() else []
    done = {(r["learner"], r["data"], r["split"]) for r in results}
    jobs = [(learner, name, seed) for learner in LEARNERS for seed in range(N_SPLITS) for name in GOALS]
    work = (delayed(one_fit)(*job) for job in jobs if job not in done)
    with RECORD.open("a", encoding="utf-8") as record:
        for result in Parallel(n_jobs=2, return_as="generator_unordered")(work):
            results.append(result | {"clausal": clausal.__version__, "python": platform.python_version()})
            print(json.dumps(results[-1]), file=record, flush=True)
    for name in GOALS:
        show(results, name)
    print(
        "\n(± one standard error over the splits; a tie: the paired difference is within two of its errors)"
    )


if __name__ == "__main__":
    main()
