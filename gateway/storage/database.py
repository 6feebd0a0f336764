"""sqlite-utils without pandas, which it would load where that is installed (35 MB, 0.4 s)."""

from auscult.lean import without

with without("pandas"):
    from sqlite_utils import Database, Migrations

__all__ = ["Database", "Migrations"]
