"""Four ways to tune a model for Heart Disease: clausal.tune, two searches of scikit-learn, and Optuna.

Usage: python examples/tuning.py [number of settings to try, 20 by default]
"""

import sys

import optuna
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  needed for the next import
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
    """The machine to tune; with an explicit Booleanizer, `booleanizer__max_columns` can be tuned."""
    return TsetlinClassifier(booleanizer=Booleanizer(), random_state=0)


def by_clausal(X, y, n):
    """Clausal chooses settings, rows and rounds."""
    return clausal.tune(X, y, n_candidates=n, random_state=0).best_estimator_


def by_halving(X, y, n):
    """Random settings; the number of epochs increases from round to round."""
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
    """All values of a list: here the maximum number of literals of a scorecard."""
    limits = {"max_literals": [4, 8, 12, 16][: max(1, n // 5)]}
    card = RuleClassifier(machine().set_params(threshold=60, specificity=2.0), random_state=0)
    return GridSearchCV(card, limits, cv=3, scoring="f1").fit(X, y).best_estimator_


def by_optuna(X, y, n):
    """Optuna proposes settings, cross-validation evaluates them."""

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
    """Tune in each way on the same rows and evaluate on test rows."""
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
        print(f"{name:22} F1 {f1_score(y_test, clf.predict(X_test)):.3f} on {len(y_test)} test rows")
        print(f"{'':22} {clf!r}")


if __name__ == "__main__":
    main()
