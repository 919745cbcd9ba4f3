"""Models in MLflow: logged as the package's own model file, which holds no pickle, and served as a pyfunc.

`save_model` and `log_model` write the file with a signature; `load_model` gives the estimator back, and
`mlflow.pyfunc.load_model` a model that returns a data frame with the columns of `clausal predict`. Not here:
the model file (clausal.files).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.encoding import Encoding
from clausal.evaluation.predictions import model_table, prediction_columns
from clausal.files import load
from clausal.frames import make_frame

try:
    import mlflow
    from mlflow.models import Model, ModelSignature
    from mlflow.pyfunc import FLAVOR_NAME
    from mlflow.types import ColSpec, Schema, TensorSpec
    from mlflow.types.schema import AnyType
except ImportError as error:
    raise ImportError(
        "Logging models to MLflow needs mlflow, which is not installed; install it with: "
        "pip install clausal[mlflow]"
    ) from error

__all__ = ["load_model", "log_model", "save_model", "signature_of"]

_FILE = "model.json"


def save_model(model: Any, path: str | os.PathLike[str], **options: Any) -> None:
    """Save a fitted model as an MLflow model.

    Parameters
    ----------
    model : fitted TsetlinClassifier, RuleClassifier or Scorecard
        The model.
    path : str or path-like
        The folder to write, which must not exist.
    **options
        Those of `mlflow.pyfunc.save_model`, such as `input_example` and `metadata`. The signature is that of
        `signature_of` unless it is given.
    """
    with tempfile.TemporaryDirectory() as folder:
        mlflow.pyfunc.save_model(os.fspath(path), **_described(model, folder, options))


def log_model(model: Any, name: str = "model", **options: Any) -> Any:
    """Log a fitted model to the active run of MLflow, or to a new one.

    Parameters
    ----------
    model : fitted TsetlinClassifier, RuleClassifier or Scorecard
        The model.
    name : str, default="model"
        The name of the model in the run.
    **options
        Those of `mlflow.pyfunc.log_model`, such as `input_example` and `registered_model_name`.

    Returns
    -------
    mlflow.models.model.ModelInfo
        Its `model_uri` is what `load_model` and `mlflow.pyfunc.load_model` take.
    """
    with tempfile.TemporaryDirectory() as folder:
        return mlflow.pyfunc.log_model(name=name, **_described(model, folder, options))


def _described(model: Any, folder: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options of MLflow for a model, which is saved in a folder."""
    from clausal import __version__

    if not hasattr(type(model), "votes") or not hasattr(type(model), "save"):
        raise TypeError(
            "A model for MLflow must be a TsetlinClassifier, RuleClassifier or Scorecard. "
            f"Got {type(model).__name__}."
        )
    check_is_fitted(model)
    path = Path(folder, _FILE)
    model.save(path)
    own = {
        "signature": signature_of(model),
        "pip_requirements": [f"clausal=={__version__}", "pandas"],
        "loader_module": __name__,
        "data_path": os.fspath(path),
    }
    for name in ("loader_module", "data_path", "python_model", "artifacts"):
        if name in options:
            raise TypeError(f"{name!r} must be left to clausal.mlflow. Got {options[name]!r}.")
    return {**own, **options}


def load_model(model_uri: str) -> Any:
    """The estimator that was saved or logged, from a folder or a URI of MLflow."""
    folder = mlflow.artifacts.download_artifacts(model_uri)
    flavor = Model.load(folder).flavors.get(FLAVOR_NAME, {})
    if flavor.get("loader_module") != __name__:
        raise ValueError(
            f"An MLflow model to be loaded must be one that clausal.mlflow has saved. Got {model_uri!r}."
        )
    return load(Path(folder, flavor["data"]))


def _load_pyfunc(path: str) -> _Served:
    """What MLflow calls to load the file of a model."""
    return _Served(path)


class _Served:
    """The model that `mlflow.pyfunc.load_model` calls."""

    def __init__(self, path: str) -> None:
        self._model = load(path)

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Prediction, votes and probabilities of each row, as a data frame."""
        X = model_table(self._model, model_input, "model_input")
        return make_frame(prediction_columns(self._model, X), "pandas")


# --- the signature ---


def signature_of(model: Any) -> ModelSignature:
    """The inputs of a fitted model, which are the features that its rules test, and its outputs.

    Texts are string. Numbers and booleans are of any type, because MLflow refuses whole numbers where it
    expects a double and missing values where it expects others; the model itself checks what they hold.
    """
    encoding, used = model.encoding_, sorted(model.rules_.used_features)
    if encoding.names is None:
        inputs = Schema([TensorSpec(np.dtype(np.float64), (-1, encoding.n_features))])
    else:
        inputs = Schema([_column(encoding, index) for index in used])
    return ModelSignature(inputs, _outputs(model))


def _column(encoding: Encoding, index: int) -> ColSpec:
    categories = getattr(encoding.features[index], "categories", ())
    texts = any(isinstance(category, str) for category in categories)
    return ColSpec("string" if texts else AnyType(), encoding.feature_names[index])


def _outputs(model: Any) -> Schema:
    """The columns of a prediction."""
    outcome = model.rules_.outcome
    votes = "long" if all(isinstance(points, int) for points in model.rules_.constants) else "double"
    if outcome.is_numeric:
        return Schema([ColSpec("double", "prediction"), ColSpec(votes, *outcome.vote_names())])
    label = {str: "string", bool: "boolean", int: "long"}.get(type(outcome.classes.tolist()[0]), "double")
    names = [*outcome.vote_names(), *outcome.probability_names()]
    kinds = [votes] * outcome.n_banks + ["double"] * outcome.n_banks
    predictions = [ColSpec(label, name) for name in outcome.prediction_names()]
    return Schema([*predictions, *map(ColSpec, kinds, names)])
