"""Images and sequences: stacks of samples whose patches are read like the rows of a table.

A PatchEncoding is the encoding of one patch: the features are its pixels and the place where it begins. A
rule holds on a sample if all of its conditions hold on at least one patch. Not here: how a sample is cut into
patches (patch_view.py), and the parameter that asks for them (patch_encoder.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from clausal.encoding.column_choice import AUTO
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import BooleanFeature, Feature, NumericFeature
from clausal.encoding.patch_view import PatchView
from clausal.encoding.remarks import threshold_remarks
from clausal.encoding.values import Policy
from clausal.untrusted import read_integer, read_list, read_numbers, read_record, wrong

MAX_PATCH_COLUMNS = 2**15
_MAX_PIXELS = 2**31
_BLOCK_BOOLEANS = 2**26  # of patches that are evaluated at a time, to limit memory
ENCODER = "PatchEncoder"

Bools = NDArray[np.bool_]
Sizes = tuple[int, ...]
Test = Sequence[tuple[int, bool]]
"""The (column, negated) literals of a rule."""


@dataclass(frozen=True)
class PatchEncoding(Encoding):
    """The encoding of one patch, and which patches a sample has; made by `of`.

    Attributes
    ----------
    shape : of a sample, as in `X`, with its channels if it has any
    patch_shape, stride : one number for each axis
    thresholds : grey levels, ascending; None where samples are boolean
    """

    shape: Sizes = ()
    patch_shape: Sizes = ()
    stride: Sizes = ()
    thresholds: tuple[float, ...] | None = None

    @classmethod
    def of(
        cls, shape: Sizes, patch_shape: Sizes, stride: Sizes, thresholds: tuple[float, ...] | None
    ) -> PatchEncoding:
        """The encoding of such patches; raises ValueError where there can be none."""
        axes = shape[: len(patch_shape)]
        if any(size < 1 for size in shape):
            raise ValueError(f"A sample must have at least one pixel. Got samples of shape {shape}.")
        if any(patch > size for patch, size in zip(patch_shape, axes, strict=True)):
            raise invalid_parameter("patch_shape", f"at most as large as a sample, {axes}", patch_shape)
        view = _view(shape, patch_shape, stride, thresholds)
        if view.n_bits > _MAX_PIXELS or view.n_columns > MAX_PATCH_COLUMNS:
            raise ValueError(
                f"A sample must have at most {_MAX_PIXELS:,} booleans, and a patch {MAX_PATCH_COLUMNS:,}. "
                f"Got {view.n_bits:,} and {view.n_columns:,}."
            )
        pixel: Feature = BooleanFeature(shown=True, nullable=False)
        if thresholds is not None:
            pixel = NumericFeature(thresholds, nullable=False)
        places = _places(patch_shape, view)
        names = (*_pixel_names(shape, patch_shape), *places)
        features = (pixel,) * (len(names) - len(places))
        marks = (NumericFeature(cuts, nullable=False) for cuts in places.values())
        return cls(
            (*features, *marks), names, Policy("error", "error"), AUTO, shape, patch_shape, stride, thresholds
        )

    @cached_property
    def view(self) -> PatchView:
        """The patches, as an engine needs them."""
        return _view(self.shape, self.patch_shape, self.stride, self.thresholds)

    @property
    def places(self) -> frozenset[int]:
        """The features that say where a patch begins; every sample has patches at all places."""
        return frozenset(range(self.n_features - len(self.patch_shape), self.n_features))

    @property
    def place_names(self) -> tuple[str, ...]:
        """What the numbers that say where a patch begins are called: row and column, or start."""
        assert self.names is not None
        return tuple(self.names[index] for index in sorted(self.places))

    @property
    def corners(self) -> NDArray[np.intp]:
        """Where each patch begins, [patches, axes]: its row and column, or its start."""
        return self.view.corners[:, -len(self.patch_shape) :]

    @property
    def is_sequence(self) -> bool:
        """Whether samples are sequences; else they are images."""
        return len(self.patch_shape) == 1

    @property
    def sentence(self) -> str:
        """When a rule holds, and what its conditions are about, for readers of rules."""
        patch = "x".join(map(str, self.patch_shape))
        if self.is_sequence:
            return (
                f"A rule holds where all of its conditions hold on at least one stretch of {patch} values: "
                "value[i] is i values after `start`, where the stretch begins."
            )
        return (
            f"A rule holds where all of its conditions hold on at least one {patch} patch: pixel[i, j] is i "
            "rows below `row` and j columns right of `column`, where the patch begins."
        )

    # --- reading samples ---

    def read(self, X: Any, owner: str = ENCODER) -> Any:
        """A stack of samples like those of training, as PatchRows."""
        stack = read_stack(X, len(self.patch_shape), owner)
        if stack.shape[1:] != self.shape:
            raise ValueError(
                f"X must be a stack of samples of shape {self.shape}, as {owner} was fitted with. "
                f"Got samples of shape {stack.shape[1:]}."
            )
        view = self.view
        words = np.zeros((len(stack), view.n_words), np.uint64)
        step = max(1, _BLOCK_BOOLEANS // view.n_bits)
        for start in range(0, len(stack), step):
            bits = self._booleans(stack[start : start + step], start)
            words[start : start + step] = view.pack(bits.reshape(-1, view.height, view.width, view.depth))
        return PatchRows(self, words)

    def _booleans(self, stack: NDArray[Any], first: int) -> Bools:
        """The booleans of each pixel, in a last axis of their own."""
        if stack.dtype.kind == "f" and not np.isfinite(stack).all():
            place = np.argwhere(~np.isfinite(stack))[0]
            at = (int(place[0]) + first, *place[1:].tolist())
            raise ValueError(f"X must hold finite numbers, none missing. Got {stack[tuple(place)]} at {at}.")
        if self.thresholds is not None:
            return np.asarray(stack[..., None] <= np.array(self.thresholds))
        if stack.dtype.kind != "b" and ((stack != 0) & (stack != 1)).any():
            value = stack[(stack != 0) & (stack != 1)][0]
            raise ValueError(
                "X must hold booleans, or 0 and 1, when the 'thresholds' parameter of PatchEncoder is None. "
                f"Got {value}."
            )
        return stack.astype(bool)

    def remarks(self, X: Any) -> tuple[str, ...]:
        """What the user should know about a stack of samples to learn from, which `read` has accepted."""
        levels, stack = self.thresholds, np.asarray(X)
        if levels is None or not len(stack):
            return ()
        return tuple(threshold_remarks(levels, float(stack.min()), float(stack.max())))

    def read_by_name(self, X: Any, used: Any) -> Any:
        """Like `read`."""
        return X if isinstance(X, PatchRows) else self.read(X)

    def bits_with_warning(self, table: Any, used: Any = None) -> Any:
        """What `read` gives: patches are made when rules are evaluated."""
        return table

    def table_bits(self, table: Any, policy: Policy, used: Any = None) -> Any:
        """What `read` gives."""
        return table

    def boolean_rows(self, X: Any, owner: str = ENCODER) -> None:
        """None: samples are always packed."""
        return

    @property
    def is_boolean(self) -> bool:
        """False: a sample is no row of boolean columns."""
        return False

    def with_policy(self, **changes: str) -> Encoding:
        """Refused: nothing can be missing or unknown."""
        raise ValueError(
            "The policy of a model of images or sequences must stay as it is: no value is missing or "
            f"unknown. Got {changes}."
        )

    def reduced(self, tested: Any, with_all_categories: Any) -> Encoding:
        """The same encoding: all of it is needed to read a sample."""
        return self

    # --- model files ---

    def to_dict(self) -> dict[str, Any]:
        """The encoding as JSON-compatible values; see `read_encoding`."""
        return {
            "shape": list(self.shape),
            "patch_shape": list(self.patch_shape),
            "stride": list(self.stride),
            "thresholds": None if self.thresholds is None else list(self.thresholds),
        }

    @classmethod
    def from_dict(cls, data: object) -> PatchEncoding:
        """The inverse of `to_dict`; raises ValueError for anything else."""
        record = read_record(data, "booleanizer", ("shape", "patch_shape", "stride", "thresholds"))
        shape, patch, stride = (
            read_sizes(record[name], f"booleanizer.{name}") for name in ("shape", "patch_shape", "stride")
        )
        if len(patch) not in (1, 2) or len(stride) != len(patch) or len(shape) - len(patch) not in (0, 1):
            raise wrong(
                "booleanizer", "with 1 or 2 axes, and as many strides and sizes", [shape, patch, stride]
            )
        given = record["thresholds"]
        thresholds = None if given is None else read_thresholds(given, "booleanizer.thresholds")
        return cls.of(shape, patch, stride, thresholds)


def view_of(encoding: Encoding) -> PatchView | None:
    """The patches of samples; None where samples are the rows of a table."""
    return encoding.view if isinstance(encoding, PatchEncoding) else None


def require_table(encoding: Encoding, asked: str) -> None:
    """Refuse what is asked for, such as "an export", of a model of images or sequences."""
    if isinstance(encoding, PatchEncoding):
        raise ValueError(
            f"The model must be one of tables for {asked}. Got one of samples of shape {encoding.shape}, "
            "which was fitted with a PatchEncoder."
        )


def read_encoding(data: object) -> Encoding:
    """Any encoding from the output of its `to_dict`; raises ValueError for anything else."""
    is_patches = isinstance(data, dict) and "patch_shape" in data
    return PatchEncoding.from_dict(data) if is_patches else Encoding.from_dict(data)


@dataclass(frozen=True, eq=False)
class PatchRows:
    """Samples that have been read.

    Attributes
    ----------
    encoding : of their patches
    words : uint64 [n, words], packed
    """

    encoding: PatchEncoding
    words: NDArray[np.uint64]

    @property
    def n_rows(self) -> int:
        """Number of samples."""
        return len(self.words)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples, and of columns of a patch."""
        return len(self.words), self.encoding.n_columns

    def __getitem__(self, rows: Any) -> PatchRows:
        return PatchRows(self.encoding, self.words[rows])

    def holds(self, tests: Sequence[Test]) -> Bools:
        """Which rules hold on some patch, bool [n, rules]."""
        return np.concatenate(
            [
                np.stack([_matches(columns, test).any(axis=1) for test in tests], axis=1)
                if tests
                else np.zeros((columns.shape[1], 0), bool)
                for columns in self._blocks()
            ]
        )

    def matches(self, test: Test) -> Bools:
        """On which patches one rule holds, bool [n, patches]."""
        return np.concatenate([_matches(columns, test) for columns in self._blocks()])

    def matches_of_samples(self, tests: Sequence[Test]) -> Iterator[Bools]:
        """On which patches rules hold, bool [rules, patches], for one sample after the other."""
        n_patches = self.encoding.view.n_patches
        for columns in self._blocks():
            for sample in range(columns.shape[1]):
                own = np.ascontiguousarray(columns[:, [sample]])
                found = [_matches(own, test)[0] for test in tests]
                yield np.array(found, bool).reshape(len(tests), n_patches)

    def _blocks(self) -> Iterator[Bools]:
        """The columns of some samples after the other, bool [columns, n, patches]."""
        view = self.encoding.view
        step = max(1, _BLOCK_BOOLEANS // (view.n_patches * view.n_columns))
        for start in range(0, max(self.n_rows, 1), step):
            columns = view.columns(self.words[start : start + step])
            yield np.ascontiguousarray(columns.transpose(2, 0, 1))


def _matches(columns: Bools, test: Test) -> Bools:
    """Where a rule holds, bool [n, patches]."""
    holds = np.ones(columns.shape[1:], bool)
    for column, negated in test:
        holds &= columns[column] != negated
    return holds


# --- sizes, thresholds, stacks ---


def invalid_parameter(name: str, expected: str, value: object) -> ValueError:
    """The error for a parameter of PatchEncoder."""
    return ValueError(f"The {name!r} parameter of {ENCODER} must be {expected}. Got {value!r}.")


def read_sizes(data: object, where: str) -> Sizes:
    """Sizes from a file."""
    return tuple(read_integer(item, where, 1, 2**24) for item in read_list(data, where))


def read_thresholds(data: object, where: str) -> tuple[float, ...]:
    """Grey levels from a file."""
    numbers = tuple(map(float, read_numbers(data, where)))
    if not numbers or any(low >= high for low, high in pairwise(numbers)):
        raise wrong(where, "at least one number, ascending", data)
    return numbers


def read_stack(X: Any, n_axes: int, owner: str) -> NDArray[Any]:
    """Samples as an array of numbers with an axis for samples and, maybe, one for channels."""
    wanted = "(n, length) or (n, length, channels)"
    if n_axes == 2:
        wanted = "(n, height, width) or (n, height, width, channels)"
    said = f"X must be an array of shape {wanted} for the 'patch_shape' of {owner}'s PatchEncoder"
    if sparse.issparse(X):
        raise TypeError(f"{said}. Got a sparse matrix; call toarray() first.")
    try:
        stack = np.asarray(X)
    except ValueError as error:  # what NumPy says of rows of unequal length
        raise ValueError(f"{said}, with samples of equal shape. {error}") from error
    if stack.ndim - n_axes not in (1, 2):
        raise ValueError(f"{said}. Got {type(X).__name__} of shape {stack.shape}.")
    if stack.dtype.kind not in "biuf":
        raise ValueError(f"{said}, of numbers or booleans. Got an array of dtype {stack.dtype}.")
    return stack


def _view(shape: Sizes, patch: Sizes, stride: Sizes, thresholds: Sequence[float] | None) -> PatchView:
    axes = shape[: len(patch)]
    channels = shape[-1] if len(shape) > len(patch) else 1
    (height, width), (patch_height, patch_width), (down, across) = (
        (1,) * (2 - len(sizes)) + tuple(sizes) for sizes in (axes, patch, stride)
    )
    depth = channels * (1 if thresholds is None else len(thresholds))
    return PatchView(height, width, depth, patch_height, patch_width, down, across)


def _pixel_names(shape: Sizes, patch: Sizes) -> list[str]:
    """Names such as pixel[3, 4], with the channel last; in the order of columns."""
    name = "value" if len(patch) == 1 else "pixel"
    return [f"{name}[{', '.join(map(str, place))}]" for place in np.ndindex(*patch, *shape[len(patch) :])]


def _places(patch: Sizes, view: PatchView) -> Mapping[str, tuple[float, ...]]:
    """The features that say where a patch begins, each with its cut points."""
    across = tuple(float(k * view.column_stride) for k in range(view.patch_columns - 1))
    if len(patch) == 1:
        return {"start": across}
    return {"row": tuple(float(k * view.row_stride) for k in range(view.patch_rows - 1)), "column": across}
