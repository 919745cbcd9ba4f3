"""The Ljubljana breast cancer data, embedded: whose cancer came back, from 9 findings, a few of them missing.

Not here: reading the file and making arrays or frames (`table`).
"""

from __future__ import annotations

from typing import Any

from clausal.datasets.table import FLAG, MISSING, Table, check_arguments, deliver, named, read_embedded, whole

TUMOR_SIZES = (
    *("0-4", "5-9", "10-14", "15-19", "20-24", "25-29"),
    *("30-34", "35-39", "40-44", "45-49", "50-54"),
)

# Only the ranges that occur: the file's documentation lists more.
FEATURES = (
    named("age", ("20-29", "30-39", "40-49", "50-59", "60-69", "70-79"), ordered=True),
    named("menopause", ("ge40", "lt40", "premeno")),
    named("tumor_size", TUMOR_SIZES, ordered=True),
    named("inv_nodes", ("0-2", "3-5", "6-8", "9-11", "12-14", "15-17", "24-26"), ordered=True),
    named("node_caps", ("no", "yes")),
    whole("deg_malig"),
    named("breast", ("left", "right")),
    named("breast_quad", ("central", "left_low", "left_up", "right_low", "right_up")),
    named("irradiat", ("no", "yes")),
)

DESCRIPTION = """\
Breast cancer (Ljubljana)

Source: UCI Machine Learning Repository, data set 14, Breast Cancer.
Licence: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
Credit: M. Zwitter and M. Soklic, Institute of Oncology, University Medical Centre Ljubljana.
Changes: column names added, classes recoded to 0 and 1.
Rows: 286, 9 of them with a missing value: 85 of class 1, 201 of class 0.
Complete rows (drop_missing=True): 277: 81 of class 1, 196 of class 0.
Target: 1 = the cancer came back (recurrence-events), 0 = it did not.
age in years, tumor_size in mm and inv_nodes (lymph nodes holding cancer) are ranges, ordered from low to
high. deg_malig: degree of malignancy, 1 to 3. menopause: premeno = not yet, ge40 = at 40 or later,
lt40 = before 40. node_caps: the cancer got through a lymph node's capsule. irradiat: treated by radiation.
"""


def load_breast_cancer(
    *, return_X_y: bool = False, as_frame: bool = False, drop_missing: bool = False
) -> Any:
    """Load the Ljubljana breast cancer data: 286 patients, 9 features, 1 = the cancer came back.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool, default=False
        Data as a pandas DataFrame: age, tumor_size and inv_nodes are ordered categories, deg_malig is int64,
        the others are nominal categories; target as a Series. Otherwise an object array with the text of the
        file (deg_malig too) and None where a value is missing.
    drop_missing : bool, default=False
        Keep only the 277 rows without a missing value.

    Returns
    -------
    sklearn.utils.Bunch or tuple
        A Bunch with data, target (int64), feature_names, target_names, category_names, frame (None unless
        `as_frame`) and DESCR; or (data, target).

    Examples
    --------
    >>> load_breast_cancer(drop_missing=True).data.shape
    (277, 9)
    """
    check_arguments(
        "load_breast_cancer",
        return_X_y=(return_X_y, FLAG),
        as_frame=(as_frame, FLAG),
        drop_missing=(drop_missing, FLAG),
    )
    return deliver(_table(drop_missing), return_X_y=return_X_y, as_frame=as_frame)


def _table(drop_missing: bool) -> Table:
    records = read_embedded("breast_cancer.csv")
    if drop_missing:
        records = [record for record in records if MISSING not in record.values()]
    return Table(
        features=FEATURES,
        rows=[[record[feature.name] for feature in FEATURES] for record in records],
        target=[record["class"] == "recurrence-events" for record in records],
        target_names=("no-recurrence-events", "recurrence-events"),
        description=DESCRIPTION,
    )
