"""Reports: tables, files, plots and pages, made from results alone.

`table` and `files` need nothing more than the core; `spreadsheet` needs XlsxWriter
and `plots` needs Matplotlib; `pages` are HTML files that need nothing to be read.
"""

from __future__ import annotations
