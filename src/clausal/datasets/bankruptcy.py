"""The qualitative bankruptcy data: which firm went bankrupt, from six judgements of experts.

The file does not travel with the package. Not here: finding it (`bankruptcy_source`) and checking it
(`bankruptcy_rows`).
"""

from __future__ import annotations

import os
from typing import Any

from clausal.datasets.arguments import FLAG, check_arguments
from clausal.datasets.bankruptcy_rows import COLUMNS, LETTERS
from clausal.datasets.bankruptcy_source import find_bankruptcy
from clausal.datasets.feature import named
from clausal.datasets.table import Table, deliver
from clausal.parameters import Instance, OneOf

PATH = (Instance((str, os.PathLike), "a path (str or path-like)"), OneOf(None))
FEATURES = tuple(named(name, LETTERS) for name in COLUMNS[:-1])

DESCRIPTION = """\
Qualitative bankruptcy

Source: UCI Machine Learning Repository, data set 281, Qualitative Bankruptcy; read from a file or downloaded.
Licence: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
Credit: A. Martin, J. Uthayakumar and M. Nadarajan.
Changes: column names added, classes recoded to 0 and 1.
Rows: 250, none with a missing value, 103 of them distinct: 143 of class 1, 107 of class 0.
Target: 1 = the firm did not go bankrupt (NB), 0 = it did (B).
Every feature is an expert's judgement: P = positive, A = average, N = negative.
"""


def load_bankruptcy(
    path: str | os.PathLike[str] | None = None, *, return_X_y: bool = False, as_frame: bool = False
) -> Any:
    """Load the qualitative bankruptcy data: 250 firms, 6 features, 1 = did not go bankrupt.

    Looked for in `path`; without one in the folder CLAUSAL_DATA (an environment variable), then in the cache
    (~/.cache/clausal or CLAUSAL_CACHE), else downloaded from UCI into the cache. The content is checked.

    Parameters
    ----------
    path : str, path-like or None, default=None
        A file (UCI's text file, or a CSV file with a header), or a folder that holds bankruptcy.csv.
    return_X_y : bool, default=False
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool, default=False
        Data as a pandas DataFrame of nominal categories A, N and P, target as a Series. Otherwise an object
        array with the letters of the file. Rows are in the order of the file.

    Returns
    -------
    sklearn.utils.Bunch or tuple
        A Bunch with data, target (int64), feature_names, target_names, category_names, frame (None unless
        `as_frame`) and DESCR; or (data, target).

    Raises
    ------
    OSError
        There is no such file: a FileNotFoundError for `path`, a ConnectionError for a failed download.
    ValueError
        A file was found, but its content is not this data set.

    Examples
    --------
    >>> load_bankruptcy("Qualitative_Bankruptcy.data.txt").data.shape  # doctest: +SKIP
    (250, 6)
    """
    check_arguments(
        "load_bankruptcy", path=(path, PATH), return_X_y=(return_X_y, FLAG), as_frame=(as_frame, FLAG)
    )
    return deliver(_table(path), return_X_y=return_X_y, as_frame=as_frame)


def _table(path: str | os.PathLike[str] | None) -> Table:
    rows = find_bankruptcy(path)
    return Table(
        features=FEATURES,
        rows=[row[:-1] for row in rows],
        target=[row[-1] == "NB" for row in rows],
        target_names=("bankrupt", "non-bankrupt"),
        description=DESCRIPTION,
    )
