"""The BUPA liver disorders data, embedded: five blood tests, with a choice of two targets.

Not here: reading the file and making arrays or frames (`table`).
"""

from __future__ import annotations

from typing import Any, Literal

from clausal.datasets.table import FLAG, Table, check_arguments, deliver, read_embedded, whole
from clausal.parameters import OneOf

FEATURES = tuple(whole(name) for name in ("mcv", "alkphos", "sgpt", "sgot", "gammagt"))

TARGET_NAMES = {"drinks": ("drinks < 3", "drinks >= 3"), "selector": ("selector 1", "selector 2")}

TARGET_WORDS = {
    "drinks": """\
Target: 1 = three or more half-pint equivalents of alcohol a day (drinks >= 3): 176 rows; 0: 169 rows.
""",
    "selector": """\
Target: 1 = selector is 2: 200 rows; 0 = selector is 1: 145 rows. The selector marks how an early study split
the rows into training and test data. It is not a diagnosis, though many publications used it as one.
""",
}

DESCRIPTION = """\
Liver disorders (BUPA)

Source: UCI Machine Learning Repository, data set 60, Liver Disorders.
Licence: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
Credit: BUPA Medical Research Ltd.; given to UCI by R. S. Forsyth.
Changes: column names added, the target made of one of the columns drinks and selector.
Rows: 345, none with a missing value; 4 of them repeat another row.
{target}The features are blood tests, for both targets: mcv (mean corpuscular volume), alkphos (alkaline
phosphatase), sgpt (alanine aminotransferase), sgot (aspartate aminotransferase) and gammagt (gamma-glutamyl
transpeptidase).
"""


def load_liver_disorders(
    *, target: Literal["drinks", "selector"] = "drinks", return_X_y: bool = False, as_frame: bool = False
) -> Any:
    """Load the BUPA liver disorders data: 345 men, 5 blood tests, 1 = three or more drinks a day.

    Parameters
    ----------
    target : {"drinks", "selector"}, default="drinks"
        What class 1 is: drinks >= 3, or selector == 2 (a mark of an old train/test split that is often taken
        for the diagnosis). Neither column is among the features.
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
    >>> load_liver_disorders(target="selector").data.shape
    (345, 5)
    """
    check_arguments(
        "load_liver_disorders",
        target=(target, (OneOf("drinks", "selector"),)),
        return_X_y=(return_X_y, FLAG),
        as_frame=(as_frame, FLAG),
    )
    return deliver(_table(target), return_X_y=return_X_y, as_frame=as_frame)


def _table(target: str) -> Table:
    records = read_embedded("liver_disorders.csv")
    drinks = target == "drinks"
    return Table(
        features=FEATURES,
        rows=[[record[feature.name] for feature in FEATURES] for record in records],
        target=[float(r["drinks"]) >= 3 if drinks else r["selector"] == "2" for r in records],
        target_names=TARGET_NAMES[target],
        description=DESCRIPTION.format(target=TARGET_WORDS[target]),
    )
