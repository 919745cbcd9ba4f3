"""The balance scale data, generated: which way a scale tips, from two weights and their distances.

Not here: a file. The rows are every combination of four values 1 to 5, in the order of UCI's file.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from clausal.datasets.table import FLAG, Table, check_arguments, deliver, whole

FEATURES = tuple(whole(name) for name in ("left_weight", "left_distance", "right_weight", "right_distance"))

DESCRIPTION = """\
Balance scale

Source: generated; equals UCI Machine Learning Repository, data set 12, Balance Scale, without class B.
Licence of the original: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
Credit: R. S. Siegler, whose experiments the data model; given to UCI by T. Hume.
Changes: the 49 rows where the scale stays in balance (class B) are left out, classes recoded to 0 and 1.
Rows: 576, none with a missing value: 288 of class 1, 288 of class 0.
Target: 1 = tips to the right (R), 0 = tips to the left (L): the larger product of weight and distance wins.
"""


def load_balance_scale(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Generate the balance scale data: 576 scales that tip, 4 features, 1 = tips to the right.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool, default=False
        Data as a pandas DataFrame of int64 columns, target as a Series. Otherwise a float64 array.

    Returns
    -------
    sklearn.utils.Bunch or tuple
        A Bunch with data, target (int64), feature_names, target_names, category_names (empty), frame (None
        unless `as_frame`) and DESCR; or (data, target).

    Examples
    --------
    >>> load_balance_scale().data.shape
    (576, 4)
    """
    check_arguments("load_balance_scale", return_X_y=(return_X_y, FLAG), as_frame=(as_frame, FLAG))
    return deliver(_table(), return_X_y=return_X_y, as_frame=as_frame)


def _table() -> Table:
    scales = [scale for scale in product(range(1, 6), repeat=4) if _torque(scale) != 0]
    return Table(
        features=FEATURES,
        rows=[[str(value) for value in scale] for scale in scales],
        target=[_torque(scale) < 0 for scale in scales],
        target_names=("left", "right"),
        description=DESCRIPTION,
    )


def _torque(scale: tuple[int, ...]) -> int:
    """Left torque minus right torque."""
    left_weight, left_distance, right_weight, right_distance = scale
    return left_weight * left_distance - right_weight * right_distance
