"""
Tune a model
============

``TsetlinClassifier()`` chooses its settings by itself, and a scorecard chooses its size. To search further,
there are ``clausal.tune``, the searches of scikit-learn, and Optuna. This page uses budgets that are much
too small for a real search.
"""

# %%

from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

import clausal
from clausal import Booleanizer, RuleClassifier, TsetlinClassifier
from clausal.datasets import load_heart_disease

X, y = load_heart_disease(as_frame=True, return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=1, stratify=y)


def show(name, clf):
    """Print the F1 of a fitted classifier on the test rows."""
    print(f"{name:14} F1 {f1_score(y_test, clf.predict(X_test)):.3f}, {clf.n_literals_} literals")


# %%
# Without a search
# ----------------

machine = TsetlinClassifier(random_state=0).fit(X_train, y_train)
print(machine.chosen_)
show("machine", machine)

# %%
# clausal.tune
# ------------
# Successive halving: many settings on few rows, the best third on three times as many, and so on.
# ``time_budget`` limits the seconds.

result = clausal.tune(X_train, y_train, n_candidates=3, cv=3, random_state=0, verbose=0)
print(result)
show("clausal.tune", result.best_estimator_)

# %%
# GridSearchCV
# ------------
# Both estimators are scikit-learn estimators. With an explicit :class:`~clausal.Booleanizer`, its
# parameters can be tuned, too: ``booleanizer__max_columns``.

own = TsetlinClassifier(n_clauses=20, threshold=60, specificity=2.0, n_epochs=10, booleanizer=Booleanizer())
search = GridSearchCV(RuleClassifier(own, random_state=0), {"max_literals": [4, 8]}, cv=3, scoring="f1")
search.fit(X_train, y_train)
print(search.best_params_)
show("GridSearchCV", search.best_estimator_)
clausal.CompactionDisplay.from_estimator(search.best_estimator_)

# %%
# Optuna
# ------
# Optuna proposes settings, cross-validation evaluates them (``pip install optuna``).

import optuna


def objective(trial):
    """The mean F1 of three folds."""
    n_clauses = 2 * trial.suggest_int("pairs_of_clauses", 10, 50, log=True)
    clf = TsetlinClassifier(
        n_clauses=n_clauses,
        threshold=max(1, round(n_clauses * trial.suggest_float("threshold_per_clause", 1, 64, log=True))),
        specificity=trial.suggest_float("specificity", 1.5, 8.0, log=True),
        n_epochs=trial.suggest_int("n_epochs", 15, 50),
        random_state=0,
    )
    trial.set_user_attr("params", clf.get_params(deep=False))
    return cross_val_score(clf, X_train, y_train, cv=3, scoring="f1").mean()


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
study.optimize(objective, n_trials=5)
show("Optuna", TsetlinClassifier(**study.best_trial.user_attrs["params"]).fit(X_train, y_train))
