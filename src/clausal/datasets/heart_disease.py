"""The Statlog heart disease data, embedded: who has heart disease, from 13 findings.

Not here: reading the file and making arrays or frames (`table`).
"""

from __future__ import annotations

from typing import Any

from clausal.datasets.table import (
    FLAG,
    Table,
    boolean,
    check_arguments,
    coded,
    deliver,
    number,
    read_embedded,
    whole,
)

FEATURES = (
    whole("age"),
    coded("sex", {"0.0": "female", "1.0": "male"}),
    coded(
        "chest_pain",
        {"1.0": "typical angina", "2.0": "atypical angina", "3.0": "non-anginal pain", "4.0": "asymptomatic"},
    ),
    whole("resting_bp"),
    whole("serum_cholesterol"),
    boolean("fasting_blood_sugar"),
    coded("resting_ecg", {"0.0": "normal", "1.0": "ST-T abnormality", "2.0": "left ventricular hypertrophy"}),
    whole("max_heart_rate"),
    boolean("exercise_angina"),
    number("oldpeak"),
    coded("slope", {"1.0": "upsloping", "2.0": "flat", "3.0": "downsloping"}),
    whole("major_vessels"),
    coded("thal", {"3.0": "normal", "6.0": "fixed defect", "7.0": "reversible defect"}),
)

DESCRIPTION = """\
Heart disease (Statlog)

Source: UCI Machine Learning Repository, data set 145, Statlog (Heart).
Licence: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
Credit: A. Janosi, W. Steinbrunn, M. Pfisterer and R. Detrano, who collected the data; the Statlog project.
Changes: column names added, classes recoded to 0 and 1; frames name the categories.
Rows: 270, none with a missing value: 120 of class 1, 150 of class 0.
Target: 1 = heart disease is present (class 2 of the file), 0 = absent.
Codes, in the order of category_names: sex 0-1, chest_pain 1-4, resting_ecg 0-2, slope 1-3, thal 3, 6, 7.
fasting_blood_sugar: above 120 mg/dl. exercise_angina: angina brought on by exercise.
oldpeak: ST depression by exercise relative to rest. major_vessels: how many of 3 fluoroscopy coloured.
"""


def load_heart_disease(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the Statlog heart disease data: 270 patients, 13 features, 1 = disease present.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool, default=False
        Data as a pandas DataFrame with named categories, booleans and numbers; target as a Series.
        Otherwise a float64 array with the numeric codes of the file.

    Returns
    -------
    sklearn.utils.Bunch or tuple
        A Bunch with data, target (int64), feature_names, target_names, category_names, frame (None unless
        `as_frame`) and DESCR; or (data, target).

    Examples
    --------
    >>> load_heart_disease().data.shape
    (270, 13)
    """
    check_arguments("load_heart_disease", return_X_y=(return_X_y, FLAG), as_frame=(as_frame, FLAG))
    return deliver(_table(), return_X_y=return_X_y, as_frame=as_frame)


def _table() -> Table:
    records = read_embedded("heart_disease.csv")
    return Table(
        features=FEATURES,
        rows=[[record[feature.name] for feature in FEATURES] for record in records],
        target=[record["class"] == "2" for record in records],
        target_names=("absence", "presence"),
        description=DESCRIPTION,
    )
