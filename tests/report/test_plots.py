"""Plots of a comparison."""

from __future__ import annotations

from seabattle.report import charts


def test_plots_are_deterministic(three, tmp_path):
    from seabattle.report.plots import write_plots

    drawn = []
    for turn in ("one", "two"):
        (tmp_path / turn).mkdir()
        drawn.append([path.read_bytes() for path in write_plots(three, tmp_path / turn)])
    assert drawn[0] == drawn[1]


def test_every_player_of_a_large_comparison_looks_different():
    from seabattle.report.plots import look

    looks = [tuple(look(place).values()) for place in range(300)]
    assert len(set(looks)) == 300


def test_ticks_are_round_and_few():
    assert charts.ticks(16, 101) == [20, 40, 60, 80, 100]
    assert charts.ticks(4, 10) == [4, 5, 6, 7, 8, 9, 10]
    for low, high in ((0, 256), (3, 5), (17, 18), (99, 256)):
        for most in (4, 8):
            assert 1 <= len(charts.ticks(low, high, most)) <= most
