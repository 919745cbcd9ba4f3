"""One adapter per package, all with the same three methods. It runs in the environment of the package.

`fit(X, y, settings, seed)` trains and returns the CPU seconds of each epoch if the package reports them at no
cost, else nothing; the caller measures the whole call. `predict(X)` returns labels and includes packing.
`prepared` converts 0 and 1 (rows, columns) to the type that the package needs, without measurement. All train
integer weights, with 128 states per action and without boosting true positives. Only NumPy and the package
are imported.
"""

from __future__ import annotations

import importlib.util
import logging
import sys
import time
from importlib.metadata import requires
from typing import Any

import numpy as np


class Adapter:
    """The interface of an adapter, with defaults for most of them."""

    package = ""
    dtype: Any = np.uint32
    workaround = ""

    def __init__(self, variant: str) -> None:
        self.variant = variant
        self.machine: Any = None
        if not any(line.lower().startswith("numpy") for line in requires(self.package) or ()):
            self.workaround = "does not declare NumPy, without which its import fails; installed beside it"

    def prepared(self, X: Any) -> Any:
        return np.ascontiguousarray(X, dtype=self.dtype)

    def fit(self, X: Any, y: Any, settings: dict[str, Any], seed: int) -> list[float]:
        raise NotImplementedError

    def predict(self, X: Any) -> Any:
        return self.machine.predict(X)


class Clausal(Adapter):
    package, dtype = "clausal", np.uint8

    def fit(self, X, y, settings, seed, eval_set=None):
        from clausal import TsetlinClassifier

        marks = [time.process_time()]
        same = {"weighting": "integer", "weight_floor": 1, "n_states": 128, "boost_true_positive": False}
        stated = {name: settings[name] for name in ("n_clauses", "threshold", "specificity", "n_epochs")}
        rest = {"booleanizer": None, "n_jobs": settings["n_threads"], "random_state": seed}
        self.machine = TsetlinClassifier(**stated, **same, **rest)
        self.machine.fit(X, y, eval_set=eval_set, callbacks=lambda end: marks.append(time.process_time()))
        return np.diff(marks).tolist()

    def learning_curve(self, X, y, settings, seed, eval_set):
        """The accuracy on held-out rows after every epoch."""
        self.fit(X, y, settings, seed, eval_set)
        history = self.machine.history_
        return next(values for name, values in history.items() if name not in ("epoch", "n_live_clauses"))


class PyTsetlinMachine(Adapter):
    package = "pyTsetlinMachine"

    def fit(self, X, y, settings, seed):  # without a seed
        from pyTsetlinMachine.tm import MultiClassTsetlinMachine

        sizes = (settings["n_clauses"], settings["threshold"], settings["specificity"])
        same = {"weighted_clauses": True, "number_of_state_bits": 8, "boost_true_positive_feedback": 0}
        self.machine = MultiClassTsetlinMachine(*sizes, indexed=self.variant == "indexed", **same)
        self.machine.fit(X, y, epochs=settings["n_epochs"])
        return []


class PyTsetlinMachineParallel(Adapter):
    package = "pyTsetlinMachineParallel"

    def fit(self, X, y, settings, seed):  # without a seed
        from pyTsetlinMachineParallel.tm import MultiClassTsetlinMachine

        sizes = (settings["n_clauses"], settings["threshold"], settings["specificity"])
        same = {"weighted_clauses": True, "number_of_state_bits": 8, "boost_true_positive_feedback": 0}
        self.machine = MultiClassTsetlinMachine(*sizes, **same)
        self.machine.fit(X, y, epochs=settings["n_epochs"])
        return []


class Tmu(Adapter):
    package = "tmu"

    def __init__(self, variant: str) -> None:
        super().__init__(variant)
        logging.disable(logging.CRITICAL)
        try:
            np.uint32(~0)
        except OverflowError as error:
            why = f"fit fails on NumPy {np.__version__} ({error})"
            self.workaround = f"{why}; np.uint32(~0) is replaced at import"
            import_patched("tmu.clause_bank.clause_bank", "np.uint32(~0)", "np.uint32(0xFFFFFFFF)")

    def fit(self, X, y, settings, seed):
        from tmu.models.classification.vanilla_classifier import TMClassifier

        sizes = (settings["n_clauses"], settings["threshold"], settings["specificity"])
        platform = "CPU_sparse" if self.variant == "sparse" else "CPU"
        same = {"weighted_clauses": True, "number_of_state_bits_ta": 8, "boost_true_positive_feedback": 0}
        self.machine = TMClassifier(*sizes, platform=platform, seed=seed + 1, **same)  # seed 0 may hang
        marks = [time.process_time()]
        for _ in range(settings["n_epochs"]):  # one fit is one epoch
            self.machine.fit(X, y)
            marks.append(time.process_time())
        return np.diff(marks).tolist()

    def predict(self, X):
        self.machine.test_encoder_cache.array_hash = None  # so that rows seen before are packed again
        return self.machine.predict(X)


class GreenTsetlin(Adapter):
    package, dtype = "green_tsetlin", np.uint8

    def fit(self, X, y, settings, seed):
        import green_tsetlin as gt

        sizes = {name: settings[name] for name in ("n_clauses", "n_classes", "threshold")}
        self.machine = gt.TsetlinMachine(n_literals=X.shape[1], s=settings["specificity"], **sizes)
        marks = [time.process_time()]
        never = {"early_exit_acc": 2.0, "load_best_state": False, "progress_bar": False}
        trainer = gt.Trainer(
            self.machine,
            feedback_type="uniform",  # like all the others
            n_epochs=settings["n_epochs"],
            seed=seed + 1,
            fn_epoch_callback=lambda *_: marks.append(time.process_time()),
            **never,
        )
        trainer.set_train_data(X, y)
        trainer.set_eval_data(X[:1], y[:1])  # it evaluates after every epoch; one row costs nothing
        trainer.train()
        self.predictor = self.machine.get_predictor()
        return np.diff(marks).tolist()

    def predict(self, X):
        return np.array([self.predictor.predict(row) for row in X])  # one row at a time


class TorchTsetlin(Adapter):
    """It learns from batches, an approximation: 32 rows for small data, else 100."""

    package = "torchtsetlin"

    def __init__(self, variant: str) -> None:
        super().__init__(variant)
        import torch

        torch.set_num_threads(1)

    def prepared(self, X):
        import torch

        return torch.from_numpy(np.ascontiguousarray(X, dtype=bool))

    def fit(self, X, y, settings, seed):
        import torch
        from torchtsetlin import TsetlinMachine

        torch.manual_seed(seed)
        sizes = (settings["n_classes"], settings["n_clauses"], settings["threshold"], settings["specificity"])
        same = {"weighted": True, "n_states": 128, "boost_true_positive": False}
        self.machine = TsetlinMachine(X.shape[1], *sizes, **same).train()
        labels, marks = torch.from_numpy(y.astype(np.int64)), [time.process_time()]
        for _ in range(settings["n_epochs"]):
            for batch in torch.randperm(len(X)).split(32 if len(X) < 1000 else 100):
                self.machine.update(X[batch], labels[batch])
            marks.append(time.process_time())
        return np.diff(marks).tolist()

    def predict(self, X):
        self.machine.eval()
        return np.concatenate([self.machine.predict(part).numpy() for part in X.split(500)])


class XGBoost(Adapter):
    package, dtype = "xgboost-cpu", np.float32

    def fit(self, X, y, settings, seed):
        from xgboost import XGBClassifier

        self.machine = XGBClassifier(n_jobs=1, random_state=seed).fit(X, y)
        return []


class LightGBM(Adapter):
    package, dtype = "lightgbm", np.float32

    def fit(self, X, y, settings, seed):
        from lightgbm import LGBMClassifier

        self.machine = LGBMClassifier(n_jobs=1, random_state=seed, verbose=-1).fit(X, y)
        return []


class Ebm(Adapter):
    package, dtype = "interpret-core", np.float32

    def fit(self, X, y, settings, seed):
        from interpret.glassbox import ExplainableBoostingClassifier

        self.machine = ExplainableBoostingClassifier(n_jobs=1, random_state=seed).fit(X, y)
        return []


def import_patched(name: str, old: str, new: str) -> None:
    """Import a module with a part of its source replaced."""
    spec = importlib.util.find_spec(name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    exec(compile(spec.loader.get_source(name).replace(old, new), spec.origin, "exec"), module.__dict__)


TSETLIN_MACHINES = (Clausal, PyTsetlinMachine, PyTsetlinMachineParallel, Tmu, GreenTsetlin, TorchTsetlin)
ADAPTERS = {each.package: each for each in (*TSETLIN_MACHINES, XGBoost, LightGBM, Ebm)}
