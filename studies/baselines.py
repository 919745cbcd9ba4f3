"""The other classifiers that the studies compare clausal with. They are constructed only here.

`for_table` reads a table with categories, `for_matrix` a matrix of numbers. A study passes the parameters
that it fixes or searches; the others have their defaults. Every classifier uses one thread, because the
studies run several fits in parallel. Not here: which parameters a study tries.
"""

from typing import Any

from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

READ_CATEGORIES = ("EBM", "gradient boosting")  # these read a table without an encoder
NAMES = (
    "logistic regression",
    "decision tree",
    "random forest",
    "support vector machine",
    "nearest neighbors",
    "neural network",
    "XGBoost",
    "LightGBM",
    *READ_CATEGORIES,
)


def for_table(name: str, seed: int, **parameters: Any) -> Any:
    """An untrained classifier for a table: numbers are scaled, categories one-hot encoded."""
    classifier = _classifier(name, seed, parameters)
    return classifier if name in READ_CATEGORIES else make_pipeline(table_encoder(), classifier)


def for_matrix(name: str, seed: int, **parameters: Any) -> Any:
    """An untrained classifier for a matrix of numbers, which are scaled."""
    return make_pipeline(StandardScaler(), _classifier(name, seed, parameters))


def table_encoder() -> ColumnTransformer:
    """Scale numbers; one-hot encode categories and booleans, with zeros for a category not seen in `fit`."""
    numbers = make_column_selector(dtype_include="number")
    others = make_column_selector(dtype_exclude="number")
    return make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), others), sparse_threshold=0
    )


def _classifier(name: str, seed: int, parameters: dict[str, Any]) -> Any:
    match name:
        case "logistic regression":
            return LogisticRegression(**{"max_iter": 2000} | parameters)
        case "decision tree":
            return DecisionTreeClassifier(**parameters, random_state=seed)
        case "random forest":
            return RandomForestClassifier(**parameters, n_jobs=1, random_state=seed)
        case "support vector machine":
            return SVC(**parameters)
        case "nearest neighbors":
            return KNeighborsClassifier(**parameters)
        case "neural network":
            return MLPClassifier(**parameters, random_state=seed)
        case "gradient boosting":
            return HistGradientBoostingClassifier(**parameters, random_state=seed)
        case "XGBoost":  # like EBM, installed only for the studies
            from xgboost import XGBClassifier

            return XGBClassifier(**parameters, n_jobs=1, random_state=seed)
        case "LightGBM":
            from lightgbm import LGBMClassifier

            return LGBMClassifier(**{"verbose": -1} | parameters, n_jobs=1, random_state=seed)
        case "EBM":
            from interpret.glassbox import ExplainableBoostingClassifier

            return ExplainableBoostingClassifier(**parameters, n_jobs=1, random_state=seed)
    raise ValueError(f"The classifier must be one of {', '.join(NAMES)}. Got {name!r}.")
