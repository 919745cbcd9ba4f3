"""Four ways to find settings for Heart Disease: clausal's own, scikit-learn's searches, and Optuna.

Usage: python examples/tuning.py [number of settings to try, 20 unless said]
"""

import sys

import optuna
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  makes the next import possible
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, HalvingRandomSearchCV, cross_val_score, train_test_split

import clausal
from clausal import Booleanizer, RuleClassifier, TsetlinClassifier
from clausal.datasets import load_heart_disease

SETTINGS = {
    "n_clauses": [20, 50, 100, 200],
    "specificity": [1.5, 2.0, 3.0, 5.0],
    "booleanizer__max_columns": [4, 8, 16],
}


def machine() -> TsetlinClassifier:
    """What the searches vary; a Booleanizer of its own lets them reach `booleanizer__max_columns`."""
    return TsetlinClassifier(booleanizer=Booleanizer(), random_state=0)


def by_clausal(X, y, n):
    """Settings, rows and rounds are clausal's choice."""
    return clausal.tune(X, y, n_candidates=n, random_state=0).best_estimator_


def by_halving(X, y, n):
    """Random settings; the resource that grows from round to round is the number of epochs."""
    search = HalvingRandomSearchCV(
        machine(),
        SETTINGS,
        n_candidates=n,
        resource="n_epochs",
        min_resources=10,
        max_resources=75,
        cv=3,
        scoring="f1",
        random_state=0,
    )
    return search.fit(X, y).best_estimator_


def by_grid(X, y, n):
    """Every value of one list: here how many literals a scorecard may have."""
    limits = {"max_literals": [4, 8, 12, 16][: max(1, n // 5)]}
    card = RuleClassifier(machine().set_params(threshold=60, specificity=2.0), random_state=0)
    return GridSearchCV(card, limits, cv=3, scoring="f1").fit(X, y).best_estimator_


def by_optuna(X, y, n):
    """Optuna proposes, cross-validation judges."""

    def objective(trial):
        n_clauses = 2 * trial.suggest_int("pairs_of_clauses", 10, 100, log=True)
        clf = machine().set_params(
            n_clauses=n_clauses,
            threshold=max(1, round(n_clauses * trial.suggest_float("threshold_per_clause", 1, 64, log=True))),
            specificity=trial.suggest_float("specificity", 1.5, 8.0, log=True),
            n_epochs=trial.suggest_int("n_epochs", 15, 100),
            booleanizer__max_columns=trial.suggest_int("max_columns", 4, 24),
        )
        trial.set_user_attr("params", clf.get_params(deep=False))
        return cross_val_score(clf, X, y, cv=3, scoring="f1").mean()

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=n)
    return TsetlinClassifier(**study.best_trial.user_attrs["params"]).fit(X, y)


def main():
    """Tune in each way on the same rows and judge on others."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    X, y = load_heart_disease(as_frame=True, return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=1, stratify=y)
    ways = {
        "clausal.tune": by_clausal,
        "HalvingRandomSearchCV": by_halving,
        "GridSearchCV": by_grid,
        "Optuna": by_optuna,
    }
    for name, way in ways.items():
        clf = way(X_train, y_train, n)
        print(f"{name:22} F1 {f1_score(y_test, clf.predict(X_test)):.3f} on {len(y_test)} rows not tuned on")
        print(f"{'':22} {clf!r}")


if __name__ == "__main__":
    main()
