"""From the user's table to boolean columns with a known meaning: `Booleanizer` and `Column`."""

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.columns import Column

__all__ = ["Booleanizer", "Column"]
