"""Reports: tables, files, plots and pages, made from results alone.

`comparison_table` and `outputs` need only the core; `spreadsheet` needs XlsxWriter and
`plots` needs Matplotlib. Pages (`leaderboard`, `tournament_page`, `reproduction`) are
self-contained HTML files.
"""

from __future__ import annotations
