"""PatchEncoder: how images and sequences are cut into patches, as a parameter of an estimator.

Not here: what patches mean and how samples are read (patches.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from clausal.encoding.patches import (
    ENCODER,
    PatchEncoding,
    Sizes,
    invalid_parameter,
    read_sizes,
    read_stack,
    read_thresholds,
)
from clausal.parameters import Number, Whole
from clausal.untrusted import read_record

_SIZE = Whole(1, 2**24)
_THRESHOLD = Number(-1e300, 1e300)


class PatchEncoder(BaseEstimator):  # type: ignore[misc]
    """How images and sequences are cut into patches: a value of the parameter `booleanizer`.

    With it, an estimator takes images of shape (n, height, width) or (n, height, width, channels), or
    sequences of shape (n, length) or (n, length, channels), as `X`. A rule then holds on a sample if all of
    its conditions hold on at least one patch. Its conditions are about the pixels of the patch and about the
    place where the patch begins.

    Parameters
    ----------
    patch_shape : int, or tuple of 1 or 2 ints
        Height and width of a patch of an image, or the length of a patch of a sequence.
    stride : int or tuple of ints, default=1
        How far patches are apart: a tuple has one number for each axis of `patch_shape`.
    thresholds : None, number or list of numbers, default=None
        Grey levels to compare pixels with; each makes a column `pixel <= threshold`. None: `X` holds
        booleans, or 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from clausal import PatchEncoder, TsetlinClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((200, 6, 6)) < 0.3
    >>> y = (X[:, :-1] & X[:, 1:]).any(axis=(1, 2))  # somewhere one pixel is above another
    >>> patches = PatchEncoder((2, 1))
    >>> clf = TsetlinClassifier(20, threshold=20, n_epochs=30, booleanizer=patches, random_state=0)
    >>> clf.fit(X, y).score(X, y)
    1.0
    """

    def __init__(self, patch_shape: Any, *, stride: Any = 1, thresholds: Any = None) -> None:
        self.patch_shape = patch_shape
        self.stride = stride
        self.thresholds = thresholds

    def encoding(self, X: Any, owner: str = ENCODER) -> PatchEncoding:
        """The encoding of the patches of a stack of samples; `owner` is for messages."""
        patch = _sizes("patch_shape", self.patch_shape)
        stride = _sizes("stride", self.stride)
        if not 1 <= len(patch) <= 2:
            raise invalid_parameter("patch_shape", "an int, or a tuple of 1 or 2 ints", self.patch_shape)
        if len(stride) == 1:
            stride *= len(patch)
        if len(stride) != len(patch):
            raise invalid_parameter(
                "stride", f"an int, or a tuple of {len(patch)} ints as patch_shape", self.stride
            )
        thresholds = _thresholds(self.thresholds)
        shape = read_stack(X, len(patch), owner).shape[1:]
        return PatchEncoding.of(shape, patch, stride, thresholds)

    def to_dict(self) -> dict[str, Any]:
        """The parameters as JSON-compatible values; see `read_patch_encoder`."""
        thresholds = _thresholds(self.thresholds)
        return {
            "patch_shape": list(_sizes("patch_shape", self.patch_shape)),
            "stride": list(_sizes("stride", self.stride)),
            "thresholds": None if thresholds is None else list(thresholds),
        }


def read_patch_encoder(data: object, where: str) -> PatchEncoder:
    """The inverse of `PatchEncoder.to_dict`; raises ValueError for anything else."""
    record = read_record(data, where, ("patch_shape", "stride", "thresholds"))
    sizes = {name: read_sizes(record[name], f"{where}.{name}") for name in ("patch_shape", "stride")}
    given = record["thresholds"]
    return PatchEncoder(
        **sizes, thresholds=None if given is None else read_thresholds(given, f"{where}.thresholds")
    )


def _sizes(name: str, value: Any) -> Sizes:
    listed = list(value) if isinstance(value, (tuple, list, np.ndarray)) else [value]
    if not listed or not all(_SIZE.accepts(size) for size in listed):
        raise invalid_parameter(name, f"{_SIZE}, or a tuple of such ints", value)
    return tuple(map(int, listed))


def _thresholds(value: Any) -> tuple[float, ...] | None:
    if value is None:
        return None
    listed = np.asarray(value).tolist() if hasattr(value, "__array__") else value
    numbers = list(listed) if isinstance(listed, (tuple, list)) else [listed]
    if not numbers or not all(_THRESHOLD.accepts(number) for number in numbers):
        raise invalid_parameter("thresholds", "None, a finite number or a list of finite numbers", value)
    if len(set(numbers)) != len(numbers):
        raise invalid_parameter("thresholds", "a list of different numbers", value)
    return tuple(sorted(map(float, numbers)))
