"""The data sets of the package itself: heart disease, breast cancer, liver disorders, and two generated ones.

Balance scale and noisy XOR need no files. Not here: reading the files, and the conversion to arrays and data
frames (data_set.py), the data set that is downloaded (bankruptcy.py).
"""

from __future__ import annotations

from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from clausal.datasets.data_set import (
    FLAG,
    MISSING,
    DataSet,
    boolean,
    check_arguments,
    coded,
    integer,
    make_result,
    named,
    number,
    read_embedded,
)
from clausal.parameters import Instance, Number, OneOf, Whole

# --- heart disease ---

HEART_FEATURES = (
    integer("age"),
    coded("sex", {"0.0": "female", "1.0": "male"}),
    coded(
        "chest_pain",
        {"1.0": "typical angina", "2.0": "atypical angina", "3.0": "non-anginal pain", "4.0": "asymptomatic"},
    ),
    integer("resting_bp"),
    integer("serum_cholesterol"),
    boolean("fasting_blood_sugar"),
    coded("resting_ecg", {"0.0": "normal", "1.0": "ST-T abnormality", "2.0": "left ventricular hypertrophy"}),
    integer("max_heart_rate"),
    boolean("exercise_angina"),
    number("oldpeak"),
    coded("slope", {"1.0": "upsloping", "2.0": "flat", "3.0": "downsloping"}),
    integer("major_vessels"),
    coded("thal", {"3.0": "normal", "6.0": "fixed defect", "7.0": "reversible defect"}),
)

HEART_DESCRIPTION = """\
Heart disease (Statlog)

Source: UCI Machine Learning Repository, data set 145, Statlog (Heart).
License: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
Credit: A. Janosi, W. Steinbrunn, M. Pfisterer and R. Detrano, who collected the data; the Statlog project.
Changes: column names added, classes recoded to 0 and 1; frames name the categories.
Rows: 270, none with a missing value: 120 of class 1, 150 of class 0.
Target: 1 = heart disease is present (class 2 of the file), 0 = absent.
Codes, in the order of category_names: sex 0-1, chest_pain 1-4, resting_ecg 0-2, slope 1-3, thal 3, 6, 7.
fasting_blood_sugar: above 120 mg/dl. exercise_angina: angina brought on by exercise.
oldpeak: ST depression by exercise relative to rest. major_vessels: how many of 3 fluoroscopy colored.
"""


def load_heart_disease(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the Statlog heart disease data: 270 patients, 13 features, 1 = disease present.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool, default=False
        Return data as a pandas DataFrame with named categories, booleans and numbers; target as a Series.
        Otherwise, data is a float64 array with the numeric codes of the file.

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
    return make_result(_heart_data(), return_X_y=return_X_y, as_frame=as_frame)


def _heart_data() -> DataSet:
    records = read_embedded("heart_disease.csv")
    return DataSet(
        features=HEART_FEATURES,
        rows=[[record[feature.name] for feature in HEART_FEATURES] for record in records],
        target=[record["class"] == "2" for record in records],
        target_names=("absence", "presence"),
        description=HEART_DESCRIPTION,
    )


# --- breast cancer ---

TUMOR_SIZES = (
    *("0-4", "5-9", "10-14", "15-19", "20-24", "25-29"),
    *("30-34", "35-39", "40-44", "45-49", "50-54"),
)

# Only the ranges that occur in the file; its documentation lists more.
BREAST_FEATURES = (
    named("age", ("20-29", "30-39", "40-49", "50-59", "60-69", "70-79"), ordered=True),
    named("menopause", ("ge40", "lt40", "premeno")),
    named("tumor_size", TUMOR_SIZES, ordered=True),
    named("inv_nodes", ("0-2", "3-5", "6-8", "9-11", "12-14", "15-17", "24-26"), ordered=True),
    named("node_caps", ("no", "yes")),
    integer("deg_malig"),
    named("breast", ("left", "right")),
    named("breast_quad", ("central", "left_low", "left_up", "right_low", "right_up")),
    named("irradiat", ("no", "yes")),
)

BREAST_DESCRIPTION = """\
Breast cancer (Ljubljana)

Source: UCI Machine Learning Repository, data set 14, Breast Cancer.
License: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
Credit: M. Zwitter and M. Soklic, Institute of Oncology, University Medical Centre Ljubljana.
Changes: column names added, classes recoded to 0 and 1.
Rows: 286, 9 of them with a missing value: 85 of class 1, 201 of class 0.
Complete rows (drop_missing=True): 277: 81 of class 1, 196 of class 0.
Target: 1 = the cancer came back (recurrence-events), 0 = it did not.
age in years, tumor_size in mm and inv_nodes (lymph nodes with cancer) are ranges, ordered from low to
high. deg_malig: degree of malignancy, 1 to 3. menopause: premeno = not yet, ge40 = at 40 or later,
lt40 = before 40. node_caps: the cancer penetrated the capsule of a lymph node. irradiat: radiation therapy.
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
        Return data as a pandas DataFrame: age, tumor_size and inv_nodes are ordered categories, deg_malig is
        int64, the others are nominal categories; target as a Series. Otherwise, data is an object array with
        the text of the file (also for deg_malig) and None for missing values.
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
    return make_result(_breast_data(drop_missing), return_X_y=return_X_y, as_frame=as_frame)


def _breast_data(drop_missing: bool) -> DataSet:
    records = read_embedded("breast_cancer.csv")
    if drop_missing:
        records = [record for record in records if MISSING not in record.values()]
    return DataSet(
        features=BREAST_FEATURES,
        rows=[[record[feature.name] for feature in BREAST_FEATURES] for record in records],
        target=[record["class"] == "recurrence-events" for record in records],
        target_names=("no-recurrence-events", "recurrence-events"),
        description=BREAST_DESCRIPTION,
    )


# --- liver disorders ---

LIVER_FEATURES = tuple(integer(name) for name in ("mcv", "alkphos", "sgpt", "sgot", "gammagt"))

LIVER_TARGET_NAMES = {"drinks": ("drinks < 3", "drinks >= 3"), "selector": ("selector 1", "selector 2")}

LIVER_TARGET_TEXTS = {
    "drinks": """\
Target: 1 = three or more half-pint equivalents of alcohol a day (drinks >= 3): 176 rows; 0: 169 rows.
""",
    "selector": """\
Target: 1 = selector is 2: 200 rows; 0 = selector is 1: 145 rows. The selector marks how an early study split
the rows into training and test data. It is not a diagnosis, though many publications used it as one.
""",
}

LIVER_DESCRIPTION = """\
Liver disorders (BUPA)

Source: UCI Machine Learning Repository, data set 60, Liver Disorders.
License: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
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
        Class 1 is drinks >= 3, or selector == 2 (an old train/test split that is often mistaken for the
        diagnosis). Neither column is a feature.
    return_X_y : bool, default=False
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool, default=False
        Return data as a pandas DataFrame of int64 columns, target as a Series. Otherwise, data is a float64
        array.

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
    return make_result(_liver_data(target), return_X_y=return_X_y, as_frame=as_frame)


def _liver_data(target: str) -> DataSet:
    records = read_embedded("liver_disorders.csv")
    drinks = target == "drinks"
    return DataSet(
        features=LIVER_FEATURES,
        rows=[[record[feature.name] for feature in LIVER_FEATURES] for record in records],
        target=[float(r["drinks"]) >= 3 if drinks else r["selector"] == "2" for r in records],
        target_names=LIVER_TARGET_NAMES[target],
        description=LIVER_DESCRIPTION.format(target=LIVER_TARGET_TEXTS[target]),
    )


# --- balance scale ---

BALANCE_FEATURES = tuple(
    integer(name) for name in ("left_weight", "left_distance", "right_weight", "right_distance")
)

BALANCE_DESCRIPTION = """\
Balance scale

Source: generated; equals UCI Machine Learning Repository, data set 12, Balance Scale, without class B.
License of the original: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
Credit: R. S. Siegler, whose experiments the data model; given to UCI by T. Hume.
Changes: the 49 rows where the scale stays in balance (class B) are removed, classes recoded to 0 and 1.
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
        Return data as a pandas DataFrame of int64 columns, target as a Series. Otherwise, data is a float64
        array.

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
    return make_result(_balance_data(), return_X_y=return_X_y, as_frame=as_frame)


def _balance_data() -> DataSet:
    scales = [scale for scale in product(range(1, 6), repeat=4) if _torque(scale) != 0]
    return DataSet(
        features=BALANCE_FEATURES,
        rows=[[str(value) for value in scale] for scale in scales],
        target=[_torque(scale) < 0 for scale in scales],
        target_names=("left", "right"),
        description=BALANCE_DESCRIPTION,
    )


def _torque(scale: tuple[int, ...]) -> int:
    """Left torque minus right torque."""
    left_weight, left_distance, right_weight, right_distance = scale
    return left_weight * left_distance - right_weight * right_distance


# --- noisy XOR ---

Seed = int | np.random.RandomState | None
SEED = (Whole(0, 2**32 - 1), Instance(np.random.RandomState, "a RandomState"), OneOf(None))


def make_noisy_xor(
    n_samples: int = 5000, *, n_features: int = 12, noise: float = 0.4, random_state: Seed = None
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Generate random bits with the XOR of the first two as label, and flip a share of the labels.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows, at least 1.
    n_features : int, default=12
        Number of bits per row, at least 2; all but the first two are independent of the label.
    noise : float, default=0.4
        Probability, from 0 to 1, that a label is flipped. Use 0 for a test set without noise.
    random_state : int, RandomState or None, default=None
        The random seed; an int gives the same data on every call.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), uint8
        Zeros and ones.
    y : ndarray of shape (n_samples,), int64
        Labels 0 and 1.

    Examples
    --------
    >>> make_noisy_xor(100, random_state=0)[0].shape
    (100, 12)
    """
    check_arguments(
        "make_noisy_xor",
        n_samples=(n_samples, (Whole(1),)),
        n_features=(n_features, (Whole(2),)),
        noise=(noise, (Number(0, 1),)),
        random_state=(random_state, SEED),
    )
    generator: np.random.RandomState = check_random_state(random_state)
    X = generator.randint(0, 2, size=(n_samples, n_features), dtype=np.uint8)  # (n_samples, n_features)
    flipped = generator.random_sample(n_samples) < noise  # (n_samples,)
    y = (X[:, 0] ^ X[:, 1] ^ flipped).astype(np.int64)
    return X, y
